"""Serves the browser app for one run in a scenario's world: a person plays the agent there, or watches it play."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack

from adk_agent_sim.adk.runs.session_storage import RunnerServices
from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.persistence.access_tokens import MemoryTokenStore
from adk_agent_sim.server.access.access_control import open_access_control
from adk_agent_sim.server.access.exposure import Exposure
from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.announcement import announce_server
from adk_agent_sim.server.sessions.session_services import SessionServices
from adk_agent_sim.server.web.web_server import RunningServer, start_web_server
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.timeline import Timeline


class WorldWorkbench:
    """The browser app with one run; sessions that are forked from it are served too."""

    def __init__(
        self, server: RunningServer, services: SessionServices, store: MemoryStore, timeline: Timeline
    ) -> None:
        self.server = server
        self.timeline = timeline
        """Where the run is to be recorded."""
        self._services = services
        self._store = store

    @classmethod
    async def start(cls, exposure: Exposure, port: int) -> WorldWorkbench:
        """Serve, before there is a run.

        Args:
            exposure: The address to listen on.
            port: The port; if it is in use, the next free one. 0 picks any.

        Raises:
            ExposureRefused: Other machines could connect without encryption.
        """
        exposure.check()
        async with AsyncExitStack() as opening:
            access = await opening.enter_async_context(open_access_control(MemoryTokenStore()))
            announce = await opening.enter_async_context(announce_server(exposure, access.server_token))
            # What was opened belongs to the web server now, which closes it, also if it does not start.
            stack = opening.pop_all()
        store = MemoryStore()
        timeline = Timeline(store)
        services = SessionServices(AgentCatalog([], RunnerServices()), timeline)
        stack.push_async_callback(services.close)
        server = await start_web_server(
            services,
            stack,
            access=access,
            port=port,
            exposure=exposure,
            on_bound=lambda bound: announce(web_port=bound),
        )
        return cls(server, services, store, timeline)

    async def play(self, run: WorldRun, on_started: Callable[[str], object]) -> WorldRunResult | None:
        """Run to the end.

        Args:
            run: The run, on the timeline of this workbench.
            on_started: Called with the address of the session when there is one.

        Returns:
            The result; None if the server was asked to stop before.
        """
        run.store = self._store
        session_id, task = await self._services.worlds.begin(run)
        on_started(self.server.build_page_url(f"/sessions/{session_id}"))
        stopped = asyncio.create_task(self.server.wait_until_stopped())
        try:
            await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
        return task.result() if task.done() else None

    def stop_on_signals(self) -> None:
        """Stop at Ctrl-C and when the process is asked to end, instead of raising KeyboardInterrupt."""
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):  # Windows has no signal handlers in event loops
                asyncio.get_running_loop().add_signal_handler(number, self.server.request_stop)
