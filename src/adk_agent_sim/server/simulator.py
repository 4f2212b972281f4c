"""The wizard in a browser: agents, a timeline, a web server, put together."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import webbrowser
from collections.abc import Collection, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.server.agent_catalog import AgentCatalog
from adk_agent_sim.server.scenario_catalog import ScenarioCatalog
from adk_agent_sim.server.session_services import SessionServices
from adk_agent_sim.server.web_server import RunningServer, is_wildcard_address, start_web_server
from adk_agent_sim.timeline.timeline import Timeline

_log = logging.getLogger(__name__)

_SHUTDOWN_TIMEOUT_SECONDS = 3.0
"""How many seconds tasks have that are left when everything is closed."""


class AgentSimulator:
    """Agents whose model a person plays in the browser.

        AgentSimulator([SimulatedAgentConfig(name="Math", agent=root_agent, eval_set_path="math.evalset.json")]).run()

    In a notebook, or any program with an event loop: `server = await simulator.start()`, `await server.stop()`.
    """

    def __init__(
        self,
        agents: Sequence[SimulatedAgentConfig],
        *,
        database: str | Path | None = None,
        scenarios: ScenarioCatalog | None = None,
    ) -> None:
        """Prepare; nothing is opened before `run` or `start`.

        Args:
            agents: The agents to choose from, each with a name of its own.
            database: Where sessions are kept, a file or a URL; without one they end with the process.
            scenarios: Scenarios to look at and to play, beside the agents or without any.
        """
        if not agents and not scenarios:
            raise ValueError("There is no agent to play: pass at least one SimulatedAgentConfig.")
        self._agents = AgentCatalog(agents)
        self._database = database
        self._scenarios = scenarios
        self.unfinished_tasks: Collection[asyncio.Task[Any]] = ()
        """What did not end with `run`: tools that ignore that they are cancelled."""

    def run(
        self,
        host: str = "127.0.0.1",
        port: int = 8080,
        *,
        allow_hosts: Sequence[str] = (),
        open_browser: bool = False,
    ) -> None:
        """Serve until Ctrl-C; prints the address to open, and opens it if told to. Otherwise as `start`."""
        if _is_in_event_loop():
            raise RuntimeError("An event loop runs already, as in a notebook: use `await simulator.start()` instead.")
        runner = asyncio.Runner()
        try:
            with contextlib.suppress(KeyboardInterrupt):
                runner.run(self._serve(host, port, allow_hosts, open_browser=open_browser))
        finally:
            self.unfinished_tasks = _close_runner(runner)

    async def start(
        self, host: str = "127.0.0.1", port: int = 8080, *, allow_hosts: Sequence[str] = ()
    ) -> RunningServer:
        """Serve in the background of the event loop that runs; the address is `url` of what this returns.

        Args:
            host: The address to listen on; anything but the default lets other machines connect.
            port: The port; if it is taken, the next free one. 0 takes any.
            allow_hosts: Further names under which the server is reached, as `build-box:8080`.
        """
        stack = AsyncExitStack()
        store = None if self._database is None else await stack.enter_async_context(open_store(self._database))
        services = SessionServices(self._agents, Timeline(store))
        stack.push_async_callback(services.close)
        keeps = self._database is not None
        return await start_web_server(
            services,
            stack,
            host=host,
            port=port,
            allow_hosts=allow_hosts,
            is_persistent=keeps,
            scenarios=self._scenarios,
        )

    async def _serve(self, host: str, port: int, allow_hosts: Sequence[str], *, open_browser: bool) -> None:
        async with await self.start(host, port, allow_hosts=allow_hosts) as server:
            with contextlib.suppress(NotImplementedError):
                asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.request_stop)
            if port not in (0, server.port):
                print(f"Port {port} is taken; using {server.port}.", flush=True)
            print(f"Open {server.url}\nCtrl-C ends it.", flush=True)
            if is_wildcard_address(host):
                print(
                    "Other machines can reach it; under a name or an address of this one only if told so, with "
                    f"--allow-host NAME:{server.port} (allow_hosts in Python).",
                    flush=True,
                )
            if open_browser:
                await asyncio.to_thread(webbrowser.open, server.url)
            await server.wait_until_stopped()


def _close_runner(runner: asyncio.Runner) -> Collection[asyncio.Task[Any]]:
    """Close as the runner does, but without waiting for ever for tasks that ignore that they are cancelled."""
    loop = runner.get_loop()
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    left = loop.run_until_complete(asyncio.wait(tasks, timeout=_SHUTDOWN_TIMEOUT_SECONDS))[1] if tasks else ()
    if left:
        names = ", ".join(sorted({task.get_name() for task in left}))
        _log.warning("Ending without waiting for what ignores that it was cancelled: %s.", names)
        loop.set_exception_handler(lambda _loop, _context: None)  # asyncio would tell of each that is forgotten
        loop.close()
    else:
        runner.close()
    return left


def _is_in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
