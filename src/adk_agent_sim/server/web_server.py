"""The web server: binds a port, guards the application, and runs uvicorn in the current event loop."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from collections.abc import Callable, Generator, Sequence
from contextlib import AsyncExitStack
from secrets import token_hex, token_urlsafe
from types import TracebackType
from typing import Self

import uvicorn

from adk_agent_sim.server.guard import Guard, list_loopback_hosts
from adk_agent_sim.server.scenario_catalog import ScenarioCatalog
from adk_agent_sim.server.session_services import SessionServices
from adk_agent_sim.server.web_app import create_app

_MAX_PORT_ATTEMPTS = 50
_LAST_PORT = 65535
_SHUTDOWN_TIMEOUT_SECONDS = 3
"""How long open connections may take to finish when the server stops."""

_MAX_SOCKET_MESSAGE_BYTES = 64 * 1024


async def start_web_server(
    services: SessionServices,
    stack: AsyncExitStack,
    *,
    host: str,
    port: int,
    allow_hosts: Sequence[str] = (),
    token: str | None = None,
    server_id: str | None = None,
    is_persistent: bool = False,
    scenarios: ScenarioCatalog | None = None,
) -> RunningServer:
    """Start the web server.

    Args:
        services: The sessions to serve.
        stack: Closed when the server has stopped, or at once if it does not start.
        host: The address to listen on.
        port: The port; if it is in use, the next free one. 0 picks any.
        allow_hosts: Additional Host headers to accept, such as `build-box:8080`.
        token: The token that browsers must present; by default a new one.
        server_id: Identifies the set of sessions to the browser; by default a new one.
        is_persistent: Whether the sessions are stored in a database.
        scenarios: Scenarios to view and play.
    """
    host = host or "0.0.0.0"  # noqa: S104 - what an empty address means to a socket
    token, server_id = token or token_urlsafe(32), server_id or token_hex(8)
    try:
        listening = open_listening_socket(host, port)
    except BaseException:
        await stack.aclose()
        raise
    try:
        bound = int(listening.getsockname()[1])
        url_host = f"[{host}]" if ":" in host else host
        guard = Guard(
            create_app(services, server_id=server_id, is_persistent=is_persistent, scenarios=scenarios),
            token=token,
            hosts=[*list_loopback_hosts(bound), f"{url_host}:{bound}", *allow_hosts],
            cookie=f"adksim_{bound}_{server_id}",
        )
        server = _UvicornServer(
            uvicorn.Config(
                guard,
                log_config=None,
                access_log=False,
                lifespan="off",
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT_SECONDS,
                ws_max_size=_MAX_SOCKET_MESSAGE_BYTES,
            )
        )
        serving = asyncio.create_task(server.serve(sockets=[listening]), name="adksim-web")
        await _wait_until_started(server, serving)
    except BaseException:
        listening.close()
        await stack.aclose()
        raise
    shown_host = "127.0.0.1" if is_wildcard_address(host) else url_host
    return RunningServer(f"http://{shown_host}:{bound}/?token={token}", bound, token, server, serving, stack)


def is_wildcard_address(host: str) -> bool:
    """Whether an address means all interfaces of the machine."""
    return host in ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound


class RunningServer:
    """A running web server; returned by `start_web_server`."""

    def __init__(
        self,
        url: str,
        port: int,
        token: str,
        server: _UvicornServer,
        serve_task: asyncio.Task[None],
        stack: AsyncExitStack,
    ) -> None:
        self.url = url
        """The address to open, including the token."""
        self.port = port
        self.token = token
        self._server = server
        self._serve_task = serve_task
        self._stack = stack

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
        self.on_started: Callable[[], None] = lambda: None
        self._stop_requested = asyncio.Event()

    def request_stop(self) -> None:
        self.should_exit = True
        self._stop_requested.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield  # uvicorn would install its own handlers for SIGINT and SIGTERM

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.on_started()

    async def main_loop(self) -> None:
        # uvicorn looks ten times a second whether it should stop; this one wakes up once a second, for the Date
        # header (which `on_tick` renews when its argument is a multiple of ten), and stops at once.
        while not await self.on_tick(0):
            await asyncio.wait({stop := asyncio.ensure_future(self._stop_requested.wait())}, timeout=1)
            stop.cancel()


async def _wait_until_started(server: _UvicornServer, serve_task: asyncio.Task[None]) -> None:
    started = asyncio.Event()
    server.on_started = started.set
    wait_task = asyncio.create_task(started.wait())
    await asyncio.wait({serve_task, wait_task}, return_when=asyncio.FIRST_COMPLETED)
    wait_task.cancel()
    if serve_task.done():
        serve_task.result()
        raise RuntimeError("The web server stopped before it was listening.")


def open_listening_socket(host: str, port: int) -> socket.socket:
    """Returns a socket that listens on the port, or on the next free one.

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
