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
from adk_agent_sim.link.failures import PASSING, restored

MESSAGE_LIMIT = 64 * 1024 * 1024
"""Of one message, in bytes."""

DEFAULT_PORT = 50051

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0
_NEXT_TIME = 0.5
"""Seconds for which a server is looked for that was not there before."""
_OPTIONS = [
    ("grpc.max_receive_message_length", MESSAGE_LIMIT),
    ("grpc.max_send_message_length", MESSAGE_LIMIT),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # A machine that vanishes closes no connection: it is asked whether it is there.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
]

_log = logging.getLogger(__name__)


class Pause:
    """The time between two tries: it doubles, up to a limit."""

    def __init__(self) -> None:
        self._seconds = _FIRST_PAUSE

    async def take(self) -> None:
        """Wait before the next try."""
        never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        await asyncio.wait({never}, timeout=self._seconds)
        self._seconds = min(self._seconds * 2, _LONGEST_PAUSE)

    def reset(self) -> None:
        """The last try went well."""
        self._seconds = _FIRST_PAUSE


class Channel:
    """Calls to one server. Use it from one event loop."""

    def __init__(self, url: str, *, connect_timeout: float) -> None:
        """Prepare calls to `url`; the first one fails if nobody answers within `connect_timeout` seconds."""
        self.url = url
        self._connect_timeout = connect_timeout
        target, secure = target_of(url)
        self._channel = (
            grpc.aio.secure_channel(target, grpc.ssl_channel_credentials(), _OPTIONS)
            if secure
            else grpc.aio.insecure_channel(target, _OPTIONS)
        )
        self.stub = cast("Any", simulator_service_pb2_grpc).SimulatorServiceStub(self._channel)
        self._answered = False
        self._lost = False

    async def close(self) -> None:
        """Hang up."""
        await self._channel.close()

    async def call(self, method: str, request: object) -> Any:
        """Make a call until it is answered; what the server refuses is raised as what it is."""
        pause = Pause()
        while True:
            try:
                timeout = None if self._answered else self._connect_timeout
                answer = await getattr(self.stub, method)(request, wait_for_ready=True, timeout=timeout)
            except AioRpcError as error:
                self.check(error)
                await pause.take()
            else:
                self.answers()
                return answer

    def check(self, error: AioRpcError) -> None:
        """Raise what cannot be tried again; else note that the server is gone."""
        if error.code() not in PASSING:
            raise restored(self.url, error)
        if not self._answered and error.code() is StatusCode.DEADLINE_EXCEEDED:
            waited, self._connect_timeout = self._connect_timeout, min(self._connect_timeout, _NEXT_TIME)
            raise ServerUnreachable(self.url, f"nothing within {waited:g} seconds")
        if not self._lost:
            _log.warning("The simulator server at %s is gone (%s); trying again.", self.url, error.details())
        self._lost = True

    def answers(self) -> None:
        """Note that the server is there."""
        if self._lost:
            _log.warning("The simulator server at %s is back.", self.url)
        self._answered, self._lost = True, False


def target_of(url: str) -> tuple[str, bool]:
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
