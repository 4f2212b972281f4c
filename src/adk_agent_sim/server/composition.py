"""What `adksim serve` is made of: a store, its timeline, and the servers on it. The composition root.

database --> Timeline --+--> gRPC: agents in other processes
                        +--> web:  people in the browser
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from adk_agent_sim.errors import SimulatorError, StoreNotOpened
from adk_agent_sim.persistence.database_engine import Durability, format_url, parse_database_url
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.server.agent_presence import ABANDON_AFTER_SECONDS
from adk_agent_sim.server.grpc_server import GrpcServer, serve_grpc
from adk_agent_sim.server.server_keys import load_or_create_keys
from adk_agent_sim.timeline.timeline import Timeline

if TYPE_CHECKING:
    from adk_agent_sim.server.web_server import RunningServer

_SECONDS_PER_DAY = 24 * 3600.0
_SECONDS_PER_HOUR = 3600.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class ServeSettings:
    """How to serve."""

    database: str | Path
    """A path or a URL."""

    host: str = "127.0.0.1"
    """Where the web server listens; gRPC, which takes no token, stays on this machine."""

    port: int = 8080
    """Of the web server; if it is taken, the next free one; 0 finds one."""

    allow_hosts: Sequence[str] = ()
    """Further names under which the web server is reached, as `build-box:8080`."""

    web: bool = True
    """Whether people can play in the browser, or only agents and other clients connect."""

    grpc_port: int = 50051
    """Of the gRPC server; 0 finds a free one."""

    durability: Durability = "full"
    keep_days: float | None = None
    """Sessions in which nothing has happened for longer are deleted; None keeps all."""

    abandon_after: float = ABANDON_AFTER_SECONDS
    """Seconds after which a turn without its agent's stream is abandoned."""


@dataclass(frozen=True, kw_only=True)
class RunningServices:
    """What runs."""

    timeline: Timeline
    grpc: GrpcServer
    web: RunningServer | None
    """None if there is no web server."""


@asynccontextmanager
async def run_services(settings: ServeSettings) -> AsyncGenerator[RunningServices]:
    """Serve a database; leaving ends every stream with a reason and waits until everything is durable."""
    with _lock_database(settings.database):
        async with (
            open_store(settings.database, durability=settings.durability) as store,
            _run_retention(timeline := Timeline(store), settings.keep_days),
            _run_web_server(timeline, settings) as web,
            serve_grpc(
                timeline,
                port=settings.grpc_port,
                web_url=lambda session_id: _build_session_url(web, session_id) if web else "",
                abandon_after=settings.abandon_after,
            ) as grpc,
        ):
            yield RunningServices(timeline=timeline, grpc=grpc, web=web)


@asynccontextmanager
async def _run_web_server(timeline: Timeline, settings: ServeSettings) -> AsyncGenerator[RunningServer | None]:
    """The web server on the same timeline, for sessions of agents that run elsewhere."""
    if not settings.web:
        yield None
        return
    from adk_agent_sim.server.agent_catalog import AgentCatalog
    from adk_agent_sim.server.session_services import SessionServices
    from adk_agent_sim.server.web_server import start_web_server

    keys = load_or_create_keys(settings.database)
    services = SessionServices(AgentCatalog([]), timeline, allow_remote_agents=True)
    stack = AsyncExitStack()
    stack.push_async_callback(services.close)
    async with await start_web_server(
        services,
        stack,
        host=settings.host,
        port=settings.port,
        allow_hosts=settings.allow_hosts,
        token=keys.token,
        server_id=keys.server_id,
        is_persistent=True,
    ) as web:
        yield web


def _build_session_url(web: RunningServer, session_id: str) -> str:
    """Where a person plays a session."""
    start, _, token = web.url.partition("/?")
    return f"{start}/sessions/{session_id}?{token}"


@contextmanager
def _lock_database(database: str | Path) -> Generator[None]:
    """Refuse a file that another server plays: each would know only the turns that it has seen itself."""
    url = parse_database_url(database)
    if url.get_backend_name() != "sqlite":
        yield
        return
    lock = FileLock(f"{url.database}.lock", blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise StoreNotOpened(
            format_url(url), "another `adksim serve` uses it", "Use that one, or choose another with --db."
        ) from None
    except OSError as error:
        raise StoreNotOpened(format_url(url), str(error), "Choose another path with --db.") from error
    try:
        yield
    finally:
        lock.release()


@asynccontextmanager
async def _run_retention(timeline: Timeline, keep_days: float | None) -> AsyncGenerator[None]:
    """Delete old sessions now and every hour."""
    if keep_days is None:
        yield
        return
    await _delete_expired_sessions(timeline, keep_days)
    task = asyncio.create_task(_delete_expired_hourly(timeline, keep_days), name="adksim-retention")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _delete_expired_hourly(timeline: Timeline, keep_days: float) -> None:
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    while True:
        await asyncio.wait({never}, timeout=_SECONDS_PER_HOUR)
        try:
            await _delete_expired_sessions(timeline, keep_days)
        except SimulatorError as error:  # the database may be busy: there is another hour
            _log.warning("Old sessions were not deleted: %s", error)


async def _delete_expired_sessions(timeline: Timeline, keep_days: float) -> None:
    for session in await timeline.delete_idle_sessions(timeline.clock.now() - keep_days * _SECONDS_PER_DAY):
        _log.info("Session %s was deleted: nothing has happened in it for %g days.", session.session_id, keep_days)
