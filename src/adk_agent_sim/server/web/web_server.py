"""The web server: binds a port, guards the application, and runs uvicorn in the current event loop."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from collections.abc import Callable, Generator
from contextlib import AsyncExitStack
from secrets import token_hex
from types import TracebackType
from typing import Self

import uvicorn
from starlette.types import ASGIApp

from adk_agent_sim.server.access.access_control import AccessControl
from adk_agent_sim.server.access.connection_limits import IdleConnections, create_protocol_class
from adk_agent_sim.server.access.exposure import Exposure
from adk_agent_sim.server.access.guard import Guard
from adk_agent_sim.server.benches.bench_catalog import BenchCatalog
from adk_agent_sim.server.evals.eval_catalog import EvalCatalog
from adk_agent_sim.server.scenarios.scenario_catalog import ScenarioCatalog
from adk_agent_sim.server.sessions.session_services import SessionServices
from adk_agent_sim.server.web.web_app import create_app

_MAX_PORT_ATTEMPTS = 50
_LAST_PORT = 65535
_SHUTDOWN_TIMEOUT_SECONDS = 3
"""How long open connections may take to finish when the server stops."""

_MAX_SOCKET_MESSAGE_BYTES = 64 * 1024

_LOCAL = Exposure()


async def start_web_server(
    services: SessionServices,
    stack: AsyncExitStack,
    *,
    access: AccessControl,
    port: int,
    exposure: Exposure = _LOCAL,
    server_id: str | None = None,
    is_persistent: bool = False,
    scenarios: ScenarioCatalog | None = None,
    evals: EvalCatalog | None = None,
    benches: BenchCatalog | None = None,
    on_bound: Callable[[int], object] = lambda port: None,
    idle_connections: IdleConnections | None = None,
) -> RunningServer:
    """Start the web server.

    Args:
        services: The sessions to serve.
        stack: Closed when the server has stopped, or at once if it does not start.
        access: Checks tokens, codes and the sessions of browsers.
        port: The port; if it is in use, the next free one. 0 picks any.
        exposure: The address to listen on, and the names that requests may use for it.
        server_id: Identifies the set of sessions to the browser; by default a new one.
        is_persistent: Whether the sessions are stored in a database.
        scenarios: Scenarios to view and play.
        evals: Files of eval cases to view, check and edit.
        benches: Benches to watch.
        on_bound: Called with the port before the first request is accepted.
        idle_connections: Limits the connections without a request.

    Raises:
        ExposureRefused: Other machines could connect without encryption.
    """
    server_id = server_id or token_hex(8)
    async with AsyncExitStack() as undo:
        undo.push_async_callback(stack.aclose)
        exposure.check()
        # Bound here, because uvicorn ends the whole process if it cannot bind a port.
        listening = undo.enter_context(open_listening_socket(exposure.bound_host, port))
        bound = int(listening.getsockname()[1])
        url = exposure.build_web_url(bound)
        app = create_app(
            services,
            server_id=server_id,
            is_persistent=is_persistent,
            scenarios=scenarios,
            evals=evals,
            benches=benches,
            create_login_url=lambda grant: build_login_url(url, access.create_code(grant.token)),
        )
        guard = _create_guard(app, access, exposure, bound, server_id)
        on_bound(bound)
        server = _UvicornServer(_create_config(guard, exposure, idle_connections or IdleConnections()))
        serve_task = await server.start(listening)
        # From here on the running server closes all of it.
        undo.pop_all()
    return RunningServer(url, bound, access, server, serve_task, stack)


def _create_guard(app: ASGIApp, access: AccessControl, exposure: Exposure, port: int, server_id: str) -> Guard:
    return Guard(
        app,
        access=access,
        hosts=exposure.list_web_hosts(port),
        cookie=f"adksim_{port}_{server_id}",
        is_encrypted=exposure.tls is not None,
        is_proxied=exposure.behind_tls_proxy,
    )


def _create_config(guard: Guard, exposure: Exposure, idle_connections: IdleConnections) -> uvicorn.Config:
    return uvicorn.Config(
        guard,
        # uvicorn would otherwise set up logging, which belongs to the program that runs the server.
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        # By default uvicorn believes X-Forwarded headers of every client on this machine.
        proxy_headers=False,
        timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT_SECONDS,
        # A tab sends only small requests; the default allows 16 MB.
        ws_max_size=_MAX_SOCKET_MESSAGE_BYTES,
        http=create_protocol_class(idle_connections),
        ssl_certfile=exposure.tls.certificate if exposure.tls else None,
        ssl_keyfile=exposure.tls.key if exposure.tls else None,
    )


def build_login_url(url: str, code: str, path: str = "/") -> str:
    """Return the address that opens a session in a browser, once, and then this page."""
    return f"{url}{path}?code={code}"


class RunningServer:
    """A running web server; returned by `start_web_server`."""

    def __init__(
        self,
        base_url: str,
        port: int,
        access: AccessControl,
        server: _UvicornServer,
        serve_task: asyncio.Task[None],
        stack: AsyncExitStack,
    ) -> None:
        self.base_url = base_url
        """The address of the browser app, for a browser that has a session."""
        self.port = port
        self._access = access
        self._server = server
        self._serve_task = serve_task
        self._stack = stack

    @property
    def url(self) -> str:
        """An address to open in a browser. Each has its own code, which works once and for 10 minutes."""
        return self.build_page_url("/")

    def build_page_url(self, path: str) -> str:
        """Return an address like `url`, which opens this page."""
        return build_login_url(self.base_url, self._access.create_code(), path)

    @property
    def token(self) -> str:
        """The token for programs that use the API, as `Authorization: Bearer TOKEN`."""
        return self._access.server_token

    def request_stop(self) -> None:
        """Ask the server to stop; returns at once."""
        self._server.request_stop()

    async def wait_until_stopped(self) -> None:
        """Wait until the server has stopped."""
        await asyncio.wait({self._serve_task})

    async def stop(self) -> None:
        """Stop the server, then close the runs and the database; a second call does nothing."""
        self.request_stop()
        await self.wait_until_stopped()
        await self._stack.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


class _UvicornServer(uvicorn.Server):
    """A uvicorn server that does not take over the signals of the process, and reports when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._started = asyncio.Event()
        self._stop_requested = asyncio.Event()

    async def start(self, listening: socket.socket) -> asyncio.Task[None]:
        """Serve a socket; return the task that does, once the first request can be accepted."""
        serve_task = asyncio.create_task(self.serve(sockets=[listening]), name="adksim-web")
        wait_task = asyncio.create_task(self._started.wait())
        await asyncio.wait({serve_task, wait_task}, return_when=asyncio.FIRST_COMPLETED)
        wait_task.cancel()
        if serve_task.done():
            serve_task.result()
            raise RuntimeError("The web server stopped before it was listening.")
        return serve_task

    def request_stop(self) -> None:
        self.should_exit = True
        self._stop_requested.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield  # uvicorn would install its own handlers for SIGINT and SIGTERM

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._started.set()

    async def main_loop(self) -> None:
        # uvicorn looks ten times a second whether it should stop; this one wakes up once a second, for the Date
        # header (which `on_tick` renews when its argument is a multiple of ten), and stops at once.
        while not await self.on_tick(0):
            await asyncio.wait({stop := asyncio.ensure_future(self._stop_requested.wait())}, timeout=1)
            stop.cancel()


def open_listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on the port, or on the next free one.

    Raises:
        OSError: The address cannot be bound, or none of the ports tried is free.
        ValueError: The port is out of range.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    last = min(port + _MAX_PORT_ATTEMPTS - 1, _LAST_PORT) if port else 0
    for tried in range(port, last + 1):
        # asyncio sets TCP_NODELAY only if the protocol is named; without it, small responses are delayed by 40 ms.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, tried))
            listening.listen(128)
        except OSError as error:
            listening.close()
            if tried == last or not _is_port_taken(error):
                raise
        else:
            return listening
    raise ValueError(f"Port {port} is out of range: ports are 0 to {_LAST_PORT}.")


def _is_port_taken(error: OSError) -> bool:
    # Windows reports a port that another process holds exclusively as EACCES.
    return error.errno in (errno.EADDRINUSE, errno.EACCES)
