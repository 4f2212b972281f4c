"""A connection to a server that comes back: calls are made again until the server answers, each with the same ids."""

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
"""Of one message, in bytes."""

DEFAULT_PORT = 50051

_INITIAL_DELAY, _MAX_DELAY = 0.05, 2.0
_LATER_CONNECT_TIMEOUT = 0.5
"""Seconds for which a server is looked for that was not there before."""
_CHANNEL_OPTIONS = [
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # A machine that vanishes closes no connection: it is asked whether it is there.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
]

_log = logging.getLogger(__name__)


class Backoff:
    """The time between two tries: it doubles, up to a limit."""

    def __init__(self) -> None:
        self._seconds = _INITIAL_DELAY

    async def wait(self) -> None:
        """Wait before the next try."""
        never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        await asyncio.wait({never}, timeout=self._seconds)
        self._seconds = min(self._seconds * 2, _MAX_DELAY)

    def reset(self) -> None:
        """The last try went well."""
        self._seconds = _INITIAL_DELAY


class ReconnectingChannel:
    """Calls to one server. Use it from one event loop."""

    def __init__(self, url: str, *, connect_timeout: float) -> None:
        """Prepare calls to `url`; the first one fails if nobody answers within `connect_timeout` seconds."""
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
        """Hang up."""
        await self._channel.close()

    async def call(self, method: str, request: object) -> Any:
        """Make a call until it is answered; what the server refuses is raised as what it is."""
        pause = Backoff()
        while True:
            try:
                timeout = None if self._has_answered else self._connect_timeout
                answer = await getattr(self.stub, method)(request, wait_for_ready=True, timeout=timeout)
            except AioRpcError as error:
                self.raise_unless_transient(error)
                await pause.wait()
            else:
                self.mark_available()
                return answer

    def raise_unless_transient(self, error: AioRpcError) -> None:
        """Raise what cannot be tried again; else note that the server is gone."""
        if error.code() not in TRANSIENT_CODES:
            raise restore_error(self.url, error)
        if not self._has_answered and error.code() is StatusCode.DEADLINE_EXCEEDED:
            waited, self._connect_timeout = self._connect_timeout, min(self._connect_timeout, _LATER_CONNECT_TIMEOUT)
            raise ServerUnreachable(self.url, f"nothing within {waited:g} seconds")
        if not self._is_lost:
            _log.warning("The simulator server at %s is gone (%s); trying again.", self.url, error.details())
        self._is_lost = True

    def mark_available(self) -> None:
        """Note that the server is there."""
        if self._is_lost:
            _log.warning("The simulator server at %s is back.", self.url)
        self._has_answered, self._is_lost = True, False


def parse_target(url: str) -> tuple[str, bool]:
    """Where a URL leads, as gRPC takes it, and whether by TLS; a scheme and a port may be left out."""
    found = urlsplit(url if "//" in url else f"//{url}")
    try:
        host, port = found.hostname, found.port
    except ValueError as error:
        raise ServerUnreachable(url, f"that is no address: {error}") from None
    if not host or found.scheme not in ("", "grpc", "grpcs", "http", "https"):
        raise ServerUnreachable(url, "that is no address such as localhost:50051")
    name = f"[{host}]" if ":" in host else host
    return f"{name}:{port or DEFAULT_PORT}", found.scheme in ("grpcs", "https")
