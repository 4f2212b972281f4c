"""`AgentSimulator`: the wizard in a browser. Wires agents, a timeline and the web server in one process."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import webbrowser
from collections.abc import Collection, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from adk_agent_sim.adk.loading.agent_folder import AgentFolder
from adk_agent_sim.adk.runs.session_storage import (
    BaseArtifactService,
    BaseMemoryService,
    BaseSessionService,
    RunnerServices,
    create_memory_service,
)
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.link.server_entry import is_wildcard
from adk_agent_sim.persistence.access_tokens import MemoryTokenStore
from adk_agent_sim.persistence.database_lock import lock_database
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.server.access.access_control import open_access_control, run_in_background
from adk_agent_sim.server.access.exposure import Exposure, build_exposure
from adk_agent_sim.server.access.server_keys import load_or_create_server_id
from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.announcement import announce_server
from adk_agent_sim.server.benches.bench_catalog import BenchCatalog
from adk_agent_sim.server.evals.eval_catalog import AgentEvalCatalog, EvalCatalog
from adk_agent_sim.server.scenarios.scenario_catalog import ScenarioCatalog
from adk_agent_sim.server.sessions.session_services import SessionServices
from adk_agent_sim.server.web.web_server import RunningServer, start_web_server
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.text.terminal_output import print_line
from adk_agent_sim.timeline.timeline import Timeline

_log = get_logger(__name__)

_SHUTDOWN_TIMEOUT_SECONDS = 3.0
"""How long tasks that are still running at the end may take to handle their cancellation."""


class AgentSimulator:
    """Lets a person play the model of agents in the browser.

        AgentSimulator([SimulatedAgentConfig(name="Math", agent=root_agent, eval_set_path="math.evalset.json")]).run()

    In a notebook, or any program with an event loop: `server = await simulator.start()`, `await server.stop()`.
    """

    def __init__(
        self,
        agents: Sequence[SimulatedAgentConfig] = (),
        *,
        folder: AgentFolder | str | Path | None = None,
        reload: bool = False,
        database: str | Path | None = None,
        scenarios: ScenarioCatalog | None = None,
        evals: EvalCatalog | None = None,
        benches: BenchCatalog | None = None,
        session_service: BaseSessionService | None = None,
        artifact_service: BaseArtifactService | None = None,
        memory_service: BaseMemoryService | None = None,
    ) -> None:
        """Create a simulator; nothing is opened before `run` or `start`.

        Args:
            agents: The agents to choose from; their names must be unique.
            folder: A folder of agents, as `adk web` takes it; each is loaded when it is first opened.
            reload: Whether agents of the folder are loaded again when their code has changed. New sessions then use
                it; others keep the code that they began with.
            database: A file or URL to store sessions in; without one they are lost when the process ends.
            scenarios: Scenarios to view and play, with or without agents.
            evals: Files of eval cases to view, check and edit, with or without agents; by default those in the
                agents' folders, and those that sessions are exported to.
            benches: Benches to watch, with or without agents.
            session_service: Where ADK's sessions are, such as a database; by default in memory. You close it.
            artifact_service: Where artifacts are; by default in memory.
            memory_service: What `load_memory` searches; by default one in memory that all sessions share.
        """
        has_files = evals is not None and evals.initial_count > 0
        if not agents and not scenarios and not has_files and not benches and folder is None:
            raise ValueError("There is no agent to play: pass at least one SimulatedAgentConfig.")
        self._services = RunnerServices(
            session=session_service,
            artifact=artifact_service,
            memory=memory_service or create_memory_service(),
        )
        if isinstance(folder, str | Path):
            folder = AgentFolder(Path(folder))
        self._agents = AgentCatalog(agents, self._services, folder=folder)
        self._reload = reload
        self._database = database
        self._scenarios = scenarios
        self._evals = AgentEvalCatalog(self._agents) if evals is None and (agents or folder is not None) else evals
        self._benches = benches
        self.busy_advice = "Use that server, or pass another `database`."
        """What to do if another server uses the database."""
        self.closes_services = False
        """Whether the services are closed when the server stops."""
        self.unfinished_tasks: Collection[asyncio.Task[Any]] = ()
        """Tasks that were still running when `run` returned: tools that ignore their cancellation."""

    def run(
        self,
        host: str = "127.0.0.1",
        port: int = 8080,
        *,
        allow_hosts: Sequence[str] = (),
        tls_cert: str | Path | None = None,
        tls_key: str | Path | None = None,
        behind_tls_proxy: bool = False,
        open_browser: bool = False,
    ) -> None:
        """Serve until Ctrl-C; prints the address and, with `open_browser`, opens it. Other arguments as for `start`."""
        if _is_in_event_loop():
            raise RuntimeError("An event loop is running already, as in a notebook: use `await simulator.start()`.")
        exposure = build_exposure(host, allow_hosts, tls_cert, tls_key, behind_tls_proxy=behind_tls_proxy)
        runner = asyncio.Runner()
        try:
            with contextlib.suppress(KeyboardInterrupt):
                runner.run(self._serve(exposure, port, open_browser=open_browser))
        finally:
            self.unfinished_tasks = _close_runner(runner)

    async def start(
        self,
        host: str = "127.0.0.1",
        port: int = 8080,
        *,
        allow_hosts: Sequence[str] = (),
        tls_cert: str | Path | None = None,
        tls_key: str | Path | None = None,
        behind_tls_proxy: bool = False,
    ) -> RunningServer:
        """Serve in the running event loop; `url` of the returned server is the address to open.

        Args:
            host: The address to listen on; one that other machines can reach needs TLS.
            port: The port; if it is in use, the next free one. 0 picks any.
            allow_hosts: Additional Host headers to accept, such as `build-box:8080`.
            tls_cert: The certificate of the server, as a PEM file.
            tls_key: The private key of the certificate, as a PEM file.
            behind_tls_proxy: Whether a proxy on the way to other machines encrypts.

        Raises:
            StoreNotOpened: The database cannot be opened, or another server uses it.
            ExposureRefused: Other machines could connect without encryption.
        """
        exposure = build_exposure(host, allow_hosts, tls_cert, tls_key, behind_tls_proxy=behind_tls_proxy)
        return await self._start(exposure, port)

    async def _start(self, exposure: Exposure, port: int) -> RunningServer:
        exposure.check()
        store = lock = server_id = None
        async with AsyncExitStack() as opening:
            if self._database is not None:
                lock = await opening.enter_async_context(lock_database(self._database, advice=self.busy_advice))
                store = await opening.enter_async_context(open_store(self._database, lock=lock))
                # Under the lock, so that two servers that start at once do not both create an id.
                server_id = load_or_create_server_id(self._database)
            access = await opening.enter_async_context(
                open_access_control(store.tokens if store else MemoryTokenStore())
            )
            announce = await opening.enter_async_context(announce_server(exposure, access.server_token))
            if self.closes_services:
                # Pushed before the runs, which are closed first therefore: their last events still need the services.
                opening.push_async_callback(self._services.close)
            services = SessionServices(self._agents, Timeline(store), evals=self._evals)
            opening.push_async_callback(services.close)
            await services.delete_untouched_sessions()
            if self._reload and (folder_agents := self._agents.folder_agents) is not None:
                await opening.enter_async_context(run_in_background(folder_agents.watch_files(), "adksim-reload"))
            # What was opened belongs to the web server now, which closes it, also if it does not start.
            stack = opening.pop_all()
        server = await start_web_server(
            services,
            stack,
            access=access,
            port=port,
            exposure=exposure,
            server_id=server_id,
            is_persistent=self._database is not None,
            scenarios=self._scenarios,
            evals=self._evals,
            benches=self._benches,
            on_bound=lambda bound: announce(web_port=bound),
        )
        if lock is not None:
            lock.call_when_lost(server.request_stop)
        return server

    async def _serve(self, exposure: Exposure, port: int, *, open_browser: bool) -> None:
        async with await self._start(exposure, port) as server:
            with contextlib.suppress(NotImplementedError):  # Windows has no signal handlers in event loops
                asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.request_stop)
            if port not in (0, server.port):
                print_line(f"Port {port} is in use; using {server.port}.")
            print_line(f"Open {server.url}")
            print_line("This login URL works once, for 10 minutes; `adksim open` prints another. Press Ctrl-C to stop.")
            if self._database is not None:
                print_line(f"Sessions are kept in {self._database}.")
            if self._agents.folder_agents is not None:
                self._agents.folder_agents.announce_load = lambda name: print_line(f"Loading {name}.")
            if is_wildcard(exposure.host):
                print_line(
                    "Other machines can connect. To let them use a name or address of this machine, add "
                    f"--allow-host NAME:{server.port} (allow_hosts in Python)."
                )
            if open_browser:
                await asyncio.to_thread(webbrowser.open, server.url)
            await server.wait_until_stopped()


def _close_runner(runner: asyncio.Runner) -> Collection[asyncio.Task[Any]]:
    """Close a runner without waiting forever for tasks that ignore their cancellation; returns those tasks.

    `asyncio.Runner.close` waits for them without a limit.
    """
    loop = runner.get_loop()
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    unfinished = loop.run_until_complete(asyncio.wait(tasks, timeout=_SHUTDOWN_TIMEOUT_SECONDS))[1] if tasks else ()
    if unfinished:
        names = ", ".join(sorted({task.get_name() for task in unfinished}))
        _log.warning("Exiting although these tasks ignore their cancellation: %s.", names)
        loop.set_exception_handler(lambda _loop, _context: None)  # asyncio would report each of them
        loop.close()
    else:
        runner.close()
    return unfinished


def _is_in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
