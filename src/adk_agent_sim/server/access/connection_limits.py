"""Limits connections without a request: a client must send its header in time, and only so many may be idle.

    connection --> idle --(header complete)--> busy --(response sent)--> idle --> ...
                    |                                                      |
                    +--- closed after HEADER_TIMEOUT_SECONDS, or when there are too many: the oldest first

Another user of the machine could otherwise open connections until the server accepts none (as Slowloris does). Closing
the oldest idle one, rather than refusing new ones, keeps the server usable while that happens.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEADER_TIMEOUT_SECONDS = 10.0
"""How long a client may take to send the header of a request."""

MAX_IDLE_CONNECTIONS = 100
"""How many connections may have no request in progress."""


class IdleConnections:
    """The connections of a server that have no request in progress, oldest first."""

    def __init__(self, limit: int = MAX_IDLE_CONNECTIONS, header_timeout: float = HEADER_TIMEOUT_SECONDS) -> None:
        self._limit = limit
        self._header_timeout = header_timeout
        self._timers: dict[asyncio.Transport, asyncio.TimerHandle] = {}

    def add(self, transport: asyncio.Transport) -> None:
        """Count a connection as idle, unless it is already; closes the oldest one if there are too many."""
        if transport in self._timers or transport.is_closing():
            return
        loop = asyncio.get_running_loop()
        self._timers[transport] = loop.call_later(self._header_timeout, self._close, transport)
        if len(self._timers) > self._limit:
            self._close(next(iter(self._timers)))

    def discard(self, transport: asyncio.Transport) -> None:
        """Count a connection as idle no more."""
        if timer := self._timers.pop(transport, None):
            timer.cancel()

    def _close(self, transport: asyncio.Transport) -> None:
        self.discard(transport)
        # Not close(), which first sends what is buffered: a client that reads nothing could keep the connection open.
        transport.abort()


def create_protocol_class(idle: IdleConnections) -> type[asyncio.Protocol]:
    """Create uvicorn's protocol for HTTP with these limits."""
    base: Any = AutoHTTPProtocol

    class LimitedProtocol(base):
        """uvicorn's protocol, which has a timeout only between a response and the next request."""

        def connection_made(self, transport: asyncio.Transport) -> None:
            base.connection_made(self, transport)
            idle.add(transport)

        def data_received(self, data: bytes) -> None:
            base.data_received(self, data)
            self._update()

        def on_response_complete(self) -> None:
            base.on_response_complete(self)
            self._update()

        def connection_lost(self, exc: Exception | None) -> None:
            idle.discard(self.transport)
            base.connection_lost(self, exc)

        def _update(self) -> None:
            # For a WebSocket, uvicorn gives the transport another protocol and does not tell this one.
            is_upgraded = self.transport.get_protocol() is not self
            is_busy = self.cycle is not None and not self.cycle.response_complete
            if is_upgraded or is_busy:
                idle.discard(self.transport)
            else:
                idle.add(self.transport)

    return cast("type[asyncio.Protocol]", LimitedProtocol)
