"""A gRPC connection that survives server restarts: a call is retried until the server answers.

Retries are safe because every request carries ids that the client generated, so the server recognizes a repetition.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, cast
from urllib.parse import urlsplit

import grpc
from grpc import StatusCode
from grpc.aio import AioRpcError

from adk_agent_sim.errors import ServerUnreachable
from adk_agent_sim.generated.adksim.v1 import simulator_service_pb2_grpc
from adk_agent_sim.link.remote_errors import TRANSIENT_CODES, restore_error

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
"""The size limit of one message."""

DEFAULT_PORT = 50051

_INITIAL_DELAY, _MAX_DELAY = 0.05, 2.0
_LATER_CONNECT_TIMEOUT = 0.5
"""The connect timeout, in seconds, once a first attempt to reach the server has failed."""
_CHANNEL_OPTIONS = [
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # A machine that loses power closes no connection: only keepalive pings notice that it is gone.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
]

_log = logging.getLogger(__name__)


class Backoff:
    """The delay between two attempts: it doubles each time, up to a limit."""

    def __init__(self) -> None:
        self._seconds = _INITIAL_DELAY

    async def wait(self) -> None:
        """Wait before the next attempt."""
        # Real time must pass here. asyncio.sleep is banned by the linter, because simulated time uses a Clock.
        never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        await asyncio.wait({never}, timeout=self._seconds)
        self._seconds = min(self._seconds * 2, _MAX_DELAY)

    def reset(self) -> None:
        """Return to the initial delay, after an attempt that succeeded."""
        self._seconds = _INITIAL_DELAY


class ReconnectingChannel:
    """Calls to one server. Use it from one event loop."""

    def __init__(self, url: str, *, connect_timeout: float) -> None:
        """Prepare calls to `url`; the first call fails if the server does not answer in `connect_timeout` seconds."""
        self.url = url
        self._connect_timeout = connect_timeout
        target, secure = parse_target(url)
        self._channel = (
            grpc.aio.secure_channel(target, grpc.ssl_channel_credentials(), _CHANNEL_OPTIONS)
            if secure
            else grpc.aio.insecure_channel(target, _CHANNEL_OPTIONS)
        )
        self.stub = cast("Any", simulator_service_pb2_grpc).SimulatorServiceStub(self._channel)
        self._has_answered = False
        self._is_lost = False

    async def close(self) -> None:
        """Close the connection."""
        await self._channel.close()

    async def call(self, method: str, request: object) -> Any:
        """Call `method`, retrying while the server is unavailable; raise the error if the server rejects the call."""
        backoff = Backoff()
        while True:
            try:
                # Once the server has answered, a call waits for as long as a restart takes.
                timeout = None if self._has_answered else self._connect_timeout
                response = await getattr(self.stub, method)(request, wait_for_ready=True, timeout=timeout)
            except AioRpcError as error:
                self.raise_unless_transient(error)
                await backoff.wait()
            else:
                self.mark_available()
                return response

    def raise_unless_transient(self, error: AioRpcError) -> None:
        """Raise an error that a retry cannot fix; otherwise record that the server is unavailable."""
        if error.code() not in TRANSIENT_CODES:
            raise restore_error(self.url, error)
        if not self._has_answered and error.code() is StatusCode.DEADLINE_EXCEEDED:
            # Later calls fail sooner, so that an agent without a server is not delayed at every model call.
            waited, self._connect_timeout = self._connect_timeout, min(self._connect_timeout, _LATER_CONNECT_TIMEOUT)
            raise ServerUnreachable(self.url, f"no response within {waited:g} seconds")
        if not self._is_lost:
            _log.warning("Lost the connection to the simulator server at %s (%s); retrying.", self.url, error.details())
        self._is_lost = True

    def mark_available(self) -> None:
        """Record that the server answered."""
        if self._is_lost:
            _log.warning("Reconnected to the simulator server at %s.", self.url)
        self._has_answered, self._is_lost = True, False


def parse_target(url: str) -> tuple[str, bool]:
    """Return the gRPC target of a URL and whether it uses TLS; scheme and port are optional.

    Raises:
        ServerUnreachable: The URL is not an address.
    """
    parts = urlsplit(url if "//" in url else f"//{url}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ServerUnreachable(url, f"the address is invalid: {error}") from None
    if not host or parts.scheme not in ("", "grpc", "grpcs", "http", "https"):
        raise ServerUnreachable(url, "the address is invalid; use one such as localhost:50051")
    name = f"[{host}]" if ":" in host else host
    return f"{name}:{port or DEFAULT_PORT}", parts.scheme in ("grpcs", "https")
