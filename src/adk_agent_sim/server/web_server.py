"""A web server around sessions: binds a port, guards it, and runs in the event loop that is there."""

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
"""How many seconds open connections have at the end."""

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
    """Serve sessions to browsers.

    Args:
        services: What is served.
        stack: What is to be closed when the server has ended; closed at once if it does not start.
        host: The address to listen on.
        port: The port; if it is taken, the next free one. 0 takes any.
        allow_hosts: Further names under which the server is reached, as `build-box:8080`.
        token: What browsers must know; by default a new one.
        server_id: Which sessions these are; by default a new one.
        keeps: Whether the sessions survive the end of the process.
        scenarios: What can be looked at and played beside the sessions.
    """
    host = host or "0.0.0.0"  # noqa: S104 - as sockets read an empty address
    token, server_id = token or token_urlsafe(32), server_id or token_hex(8)
    try:
        listening = open_listening_socket(host, port)
    except BaseException:
        await stack.aclose()
        raise
    try:
        bound = int(listening.getsockname()[1])
        named = f"[{host}]" if ":" in host else host
        guarded = Guard(
            create_app(services, server_id=server_id, is_persistent=is_persistent, scenarios=scenarios),
            token=token,
            hosts=[*list_loopback_hosts(bound), f"{named}:{bound}", *allow_hosts],
            cookie=f"adksim_{bound}_{server_id}",
        )
        server = _UvicornServer(
            uvicorn.Config(
                guarded,
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
    shown = "127.0.0.1" if is_wildcard_address(host) else named
    return RunningServer(f"http://{shown}:{bound}/?token={token}", bound, token, server, serving, stack)


def is_wildcard_address(host: str) -> bool:
    """Whether who listens there listens on all addresses of the machine."""
    return host in ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound


class RunningServer:
    """A server that runs; made by `start_web`."""

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
        """The address to open, with its token."""
        self.port = port
        self.token = token
        self._server = server
        self._serve_task = serve_task
        self._stack = stack

    def request_stop(self) -> None:
        """Ask the server to end."""
        self._server.should_exit = True

    async def wait_until_stopped(self) -> None:
        """Wait until the server has ended."""
        await asyncio.wait({self._serve_task})

    async def stop(self) -> None:
        """End the server, the runs, and what they hold; stopping twice is stopping once."""
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
    """Leaves the signals of the process to whoever owns it, and says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.on_started: Callable[[], None] = lambda: None

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.on_started()


async def _wait_until_started(server: _UvicornServer, serve_task: asyncio.Task[None]) -> None:
    listens = asyncio.Event()
    server.on_started = listens.set
    waiting = asyncio.create_task(listens.wait())
    await asyncio.wait({serve_task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if serve_task.done():
        serve_task.result()
        raise RuntimeError("The web server ended before it listened.")


def open_listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens on the port, or on the next free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    last = min(port + _MAX_PORT_ATTEMPTS - 1, _LAST_PORT) if port else 0
    for tried in range(port, last + 1):
        # With the protocol named, asyncio sends small answers at once; else each would wait 40 ms for the browser.
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
    raise ValueError(f"There is no port {port}: ports are 0 to {_LAST_PORT}.")


def _is_port_taken(error: OSError) -> bool:

    return error.errno in (errno.EADDRINUSE, errno.EACCES)
