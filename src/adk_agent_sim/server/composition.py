"""The composition root of `adksim serve`: opens the store and runs the servers on its timeline.

database --> Timeline --+--> gRPC: agents in other processes
                        +--> web:  people in the browser
"""

from __future__ import annotations

import gc
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.link.agent_restarts import AgentRestarts
from adk_agent_sim.persistence.database_engine import Durability
from adk_agent_sim.persistence.database_lock import DatabaseLock, lock_database
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.server.access.access_control import AccessControl, open_access_control, run_in_background
from adk_agent_sim.server.access.exposure import Exposure
from adk_agent_sim.server.access.server_keys import load_or_create_server_id
from adk_agent_sim.server.announcement import announce_server
from adk_agent_sim.server.grpc.agent_presence import ABANDON_AFTER_SECONDS
from adk_agent_sim.server.grpc.grpc_server import GrpcServer, serve_grpc
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.clock import RealSleeper
from adk_agent_sim.timeline.timeline import Timeline

if TYPE_CHECKING:
    from adk_agent_sim.server.web.web_server import RunningServer

_SECONDS_PER_DAY = 24 * 3600.0
_SECONDS_PER_HOUR = 3600.0

_LOCAL = Exposure()
_BUSY_ADVICE = "Use that server, or run `adksim serve` with another --db."

_log = get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class ServeSettings:
    """The settings of `adksim serve`."""

    database: str | Path
    """A file path or a database URL."""

    exposure: Exposure = _LOCAL
    """The address of both servers, and how connections are encrypted."""

    port: int = 8080
    """The port of the web server; if it is in use, the next free one. 0 picks any."""

    web: bool = True
    """Whether to run the web server; without it, only gRPC clients can connect."""

    grpc_port: int = 50051
    """The port of the gRPC server; 0 picks a free one."""

    durability: Durability = "full"
    keep_days: float | None = None
    """Delete sessions without an event for this long; None keeps all."""

    abandon_after: float = ABANDON_AFTER_SECONDS
    """How many seconds an agent may be disconnected before its pending turns are abandoned."""


@dataclass(frozen=True, kw_only=True)
class RunningServices:
    """The servers that are running."""

    timeline: Timeline
    grpc: GrpcServer
    web: RunningServer | None
    """None if the web server is switched off."""
    lock: DatabaseLock
    """When it is lost, stop the services."""
    token: str = field(repr=False)
    """The token for the user who runs the server."""


@asynccontextmanager
async def run_services(settings: ServeSettings) -> AsyncGenerator[RunningServices]:
    """Serve a database; on exit, end every stream with a reason and wait until all events are durable.

    Raises:
        StoreNotOpened: The database cannot be opened, or another server uses it or has taken it meanwhile.
        ExposureRefused: Other machines could connect without encryption.
    """
    exposure = settings.exposure
    exposure.check()
    async with (
        lock_database(settings.database, advice=_BUSY_ADVICE) as lock,
        open_store(settings.database, durability=settings.durability, lock=lock) as store,
        open_access_control(store.tokens) as access,
        _run_retention(timeline := Timeline(store), settings.keep_days),
        # Before gRPC, whose responses contain the address of the web server; stopped after it, in the reverse order.
        _run_web_server(timeline, restarts := AgentRestarts(timeline), settings, access) as web,
        announce_server(exposure, access.server_token) as announce,
        serve_grpc(
            timeline,
            access=None if exposure.allow_unauthenticated else access,
            port=settings.grpc_port,
            exposure=exposure,
            on_bound=lambda port: announce(grpc_port=port, web_port=web.port if web else None),
            web_url=lambda session_id: f"{web.base_url}/sessions/{session_id}" if web else "",
            abandon_after=settings.abandon_after,
            restarts=restarts,
        ) as grpc,
    ):
        yield RunningServices(timeline=timeline, grpc=grpc, web=web, lock=lock, token=access.server_token)


def exclude_modules_from_collections() -> None:
    """Keep Python's garbage collector away from what is loaded by now, for a process that only serves.

    ADK and its libraries are a million objects. Every full collection would go through them, which takes 0.1 to 0.3 s,
    and a request that happens to trigger one would be that much slower.
    """
    gc.freeze()


@asynccontextmanager
async def _run_web_server(
    timeline: Timeline, restarts: AgentRestarts, settings: ServeSettings, access: AccessControl
) -> AsyncGenerator[RunningServer | None]:
    """Run the web server on the same timeline; all agents are in other processes."""
    if not settings.web:
        yield None
        return
    # Imported only here: the web server loads ADK and FastAPI, which `--no-web` does without.
    from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
    from adk_agent_sim.server.sessions.session_services import SessionServices
    from adk_agent_sim.server.web.web_server import start_web_server

    server_id = load_or_create_server_id(settings.database)
    services = SessionServices(AgentCatalog([]), timeline, allow_remote_agents=True, restarts=restarts)
    stack = AsyncExitStack()
    stack.push_async_callback(services.close)
    async with await start_web_server(
        services,
        stack,
        access=access,
        port=settings.port,
        exposure=settings.exposure,
        server_id=server_id,
        is_persistent=True,
    ) as web:
        yield web


@asynccontextmanager
async def _run_retention(timeline: Timeline, keep_days: float | None) -> AsyncGenerator[None]:
    """Delete expired sessions at once and then every hour."""
    if keep_days is None:
        yield
        return
    await _delete_expired_sessions(timeline, keep_days)
    async with run_in_background(_delete_expired_hourly(timeline, keep_days), "adksim-retention"):
        yield


async def _delete_expired_hourly(timeline: Timeline, keep_days: float) -> None:
    while True:
        await RealSleeper().sleep(_SECONDS_PER_HOUR)
        try:
            await _delete_expired_sessions(timeline, keep_days)
        except SimulatorError as error:  # the database may be busy; retried in an hour
            _log.warning("Expired sessions were not deleted: %s", error)


async def _delete_expired_sessions(timeline: Timeline, keep_days: float) -> None:
    for session in await timeline.delete_idle_sessions(timeline.clock.now() - keep_days * _SECONDS_PER_DAY):
        _log.info("Session %s was deleted: it had no event for %g days.", session.session_id, keep_days)
