"""The stream on which an agent's process offers to restart its sessions, and gets the orders to do so.

It is opened with the first offer and stays open, across restarts of the server: what was offered is offered again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from grpc.aio import AioRpcError

from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.link.channel import Backoff, ReconnectingChannel, build_metadata
from adk_agent_sim.text.escaped_logging import get_logger

_log = get_logger(__name__)


class RestartStream:
    """Offers sessions for restarts. Use it from the event loop of its channel."""

    def __init__(self, channel: ReconnectingChannel) -> None:
        self.on_order: Callable[[v1.RestartOrder], object] = lambda order: None
        """Called with each order."""
        self.on_lost: Callable[[], object] = lambda: None
        """Called when the connection is lost: the orders that are not done are void."""
        self._channel = channel
        self._session_ids: dict[str, None] = {}
        self._reports: asyncio.Queue[v1.RestartReport] | None = None
        """The reports to send; None without a connection."""
        self._task: asyncio.Task[None] | None = None

    def offer(self, session_id: str) -> None:
        """Offer to restart a session."""
        self._session_ids[session_id] = None
        self.send_report(v1.RestartReport(session_ids=[session_id]))
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="adksim-restarts")

    def withdraw_offer(self, session_id: str) -> None:
        """Do not offer a session again after the next reconnect; an order that comes before is refused."""
        self._session_ids.pop(session_id, None)

    def send_report(self, report: v1.RestartReport) -> None:
        """Send a report; without a connection it is dropped, because the order that it is about is void."""
        if self._reports is not None:
            self._reports.put_nowait(report)

    async def close(self) -> None:
        """Close the stream."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        backoff = Backoff()
        while True:
            token = self._channel.get_token()
            # A new queue for each connection: reports about orders of an earlier one must not reach the next server.
            reports = self._reports = asyncio.Queue()
            reports.put_nowait(v1.RestartReport(session_ids=list(self._session_ids)))
            call: Any = self._channel.stub.OfferRestarts(wait_for_ready=True, metadata=build_metadata(token))
            writing = asyncio.create_task(_write_reports(call, reports), name="adksim-restart-reports")
            try:
                async for order in call:
                    backoff.reset()
                    self.on_order(order)
            except AioRpcError as error:
                if error.code() is grpc.StatusCode.UNIMPLEMENTED:
                    _log.warning(
                        "The server at %s is an older release that cannot restart sessions.", self._channel.url
                    )
                    return
                try:
                    if not self._channel.renew_token(error, token):
                        self._channel.raise_unless_transient(error)
                except SimulatorError as refusal:
                    _log.warning("Sessions of this process cannot be restarted: %s", refusal)
                    return
            except DecodeError:
                pass  # an incomplete message: the server was stopped
            finally:
                self._reports = None
                writing.cancel()
                call.cancel()
                self.on_lost()
            await backoff.wait()


async def _write_reports(call: Any, reports: asyncio.Queue[v1.RestartReport]) -> None:
    # A stream that has ended raises here as well; why it has is seen by who reads it.
    with suppress(AioRpcError, asyncio.InvalidStateError):
        while True:
            await call.write(await reports.get())
