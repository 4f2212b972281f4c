"""The agents' processes that can restart their sessions: who offers which, and the orders that they are given.

    gRPC stream of a process --> offers, reports --> AgentRestarts <-- orders <-- undo, redo, fork of a person

Nothing is written here: who gives an order says what to do when the replay has arrived.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from uuid import uuid4

from adk_agent_sim.errors import ForkRefused, SessionNotFound
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.turn_prefix import TurnPrefix

_DISCONNECTED = (
    "The agent's process has disconnected, so the session was not restarted and nothing was changed. "
    "If it is still running, try again when it is back."
)
_TOO_OLD = (
    "The agent's process has an earlier release of adksim, which cannot do this from here. "
    "Upgrade it, or do it in the program that runs the agent."
)
_NO_LONGER_WANTED = "The request for it was cancelled."

_END = v1.RestartReport()
"""Follows the last report of a process that has disconnected."""


class RestartConnection:
    """The stream of one process."""

    def __init__(self) -> None:
        self.session_ids: dict[str, None] = {}
        """The sessions that it offers to restart."""
        self._orders: asyncio.Queue[v1.RestartOrder | None] = asyncio.Queue()
        self._reports: dict[str, asyncio.Queue[v1.RestartReport]] = {}
        self._is_closed = False

    async def plan(self, session_id: str, prefix: TurnPrefix) -> Sequence[str]:
        """Return what would run again: callbacks, plugins and workflow functions.

        Raises:
            ForkRefused: The process cannot tell; the message says why.
        """
        order = _build_order(session_id, session_id, prefix)
        order.interrupted_seqs[:] = [event.seq for event in prefix.replayed_events]
        order.only_plan = True
        async with self._give_order(order) as reports:
            report = await reports.get()
            _check_report(report)
            return list(report.callbacks)

    async def restart(
        self,
        session_id: str,
        target_session_id: str,
        prefix: TurnPrefix,
        activate: Callable[[], Awaitable[None]],
        *,
        on_wait: Callable[[str], object],
        is_lenient: bool = False,
    ) -> str:
        """Let the process replay a session up to a point, and continue it from there.

        Args:
            session_id: The session.
            target_session_id: The session that continues; the same one to undo decisions.
            prefix: The point.
            activate: Called when the replay has arrived, before the run continues: writes that to the timeline.
            on_wait: Called with what the replay waits for, and with an empty text when it goes on.
            is_lenient: Do not compare what happens with what was recorded.

        Returns:
            How the run differs from what was recorded, in which case nothing was changed; empty if it does not.

        Raises:
            ForkRefused: The process cannot do it, or has disconnected; nothing was changed.
        """
        order = _build_order(session_id, target_session_id, prefix)
        order.is_lenient = is_lenient
        async with self._give_order(order) as reports:
            while True:
                report = await reports.get()
                _check_report(report)
                if report.difference:
                    return report.difference
                if report.has_arrived:
                    await activate()
                    self._orders.put_nowait(v1.RestartOrder(order_id=order.order_id, is_ready=True))
                    return ""
                on_wait(report.waits_for)

    async def resume(self, session_id: str, message: str) -> None:
        """Let the process continue a paused run with the user's answer, which is stored nowhere here.

        Args:
            session_id: The session.
            message: The user message, a content as JSON text.

        Raises:
            ForkRefused: The process cannot do it, or has disconnected; nothing was changed.
        """
        await self._complete_order(v1.RestartOrder(session_id=session_id, message_json=message))

    async def edit_state(self, session_id: str, changes: str) -> None:
        """Let the process set keys of the session state.

        Args:
            session_id: The session.
            changes: The keys with their values, a JSON object as text.

        Raises:
            ForkRefused: The process cannot do it now, or has disconnected; nothing was changed.
        """
        await self._complete_order(v1.RestartOrder(session_id=session_id, state_json=changes))

    async def _complete_order(self, order: v1.RestartOrder) -> None:
        """Give an order that restarts nothing, and wait until it is done."""
        order.order_id = str(uuid4())
        order.only_plan = True  # a process of an earlier release takes it as a question about a restart
        async with self._give_order(order) as reports:
            report = await reports.get()
            _check_report(report)
            if not report.has_arrived:
                raise ForkRefused(_TOO_OLD)

    @asynccontextmanager
    async def _give_order(self, order: v1.RestartOrder) -> AsyncGenerator[asyncio.Queue[v1.RestartReport]]:
        """Give an order; yields the reports about it. It is cancelled if it cannot be completed here."""
        reports = self._reports[order.order_id] = asyncio.Queue()
        # `close` has told only the orders that were given before it.
        if self._is_closed:
            reports.put_nowait(_END)
        self._orders.put_nowait(order)
        try:
            yield reports
        except BaseException:
            cancelled = v1.RestartOrder(order_id=order.order_id, cancelled_because=_NO_LONGER_WANTED)
            self._orders.put_nowait(cancelled)
            raise
        finally:
            del self._reports[order.order_id]

    def receive(self, report: v1.RestartReport) -> None:
        """Handle a report; one about an order that has ended is ignored."""
        if reports := self._reports.get(report.order_id):
            reports.put_nowait(report)

    async def iter_orders(self) -> AsyncGenerator[v1.RestartOrder]:
        """Yield the orders, until the process has disconnected."""
        while (order := await self._orders.get()) is not None:
            yield order

    def close(self) -> None:
        """End all orders: the process has disconnected."""
        self._is_closed = True
        self._orders.put_nowait(None)
        for reports in self._reports.values():
            reports.put_nowait(_END)


class AgentRestarts:
    """The sessions that agents' processes offer to restart. Not thread-safe: use it from one event loop."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._connections: dict[str, RestartConnection] = {}
        self._former_ids: dict[str, None] = {}

    def find(self, session_id: str) -> RestartConnection | None:
        """Return the connection of the process that can restart a session; None if there is none."""
        return self._connections.get(session_id)

    def was_offered(self, session_id: str) -> bool:
        """Return whether a process could restart a session that is gone by now."""
        return session_id in self._former_ids

    async def serve(self, reports: AsyncIterable[v1.RestartReport]) -> AsyncGenerator[v1.RestartOrder]:
        """Serve the stream of a process: takes its reports, and yields its orders."""
        connection = RestartConnection()
        reading = asyncio.create_task(self._read_reports(connection, reports), name="adksim-restart-reports")
        try:
            async for order in connection.iter_orders():
                yield order
        finally:
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.wait({reading})
            self._remove(connection)

    async def _read_reports(self, connection: RestartConnection, reports: AsyncIterable[v1.RestartReport]) -> None:
        try:
            async for report in reports:
                for session_id in report.session_ids:
                    await self._add_offer(connection, session_id)
                connection.receive(report)
        finally:
            connection.close()

    async def _add_offer(self, connection: RestartConnection, session_id: str) -> None:
        try:
            await self._timeline.get_summary(session_id)
        except SessionNotFound:
            return  # it was deleted, or never existed
        connection.session_ids[session_id] = None
        self._connections[session_id] = connection
        self._former_ids.pop(session_id, None)
        self._timeline.announce_change(session_id)

    def _remove(self, connection: RestartConnection) -> None:
        for session_id in connection.session_ids:
            # A process that reconnects may have a new connection before the old one has ended.
            if self._connections.get(session_id) is connection:
                del self._connections[session_id]
                self._former_ids[session_id] = None
                self._timeline.announce_change(session_id)
        connection.close()


def _build_order(session_id: str, target_session_id: str, prefix: TurnPrefix) -> v1.RestartOrder:
    return v1.RestartOrder(
        order_id=str(uuid4()),
        session_id=session_id,
        target_session_id=target_session_id,
        completed_seqs=[event.seq for event in prefix.completed],
        interrupted_seqs=[event.seq for event in prefix.interrupted],
    )


def _check_report(report: v1.RestartReport) -> None:
    """Raise the reason if an order has failed."""
    if report is _END:
        raise ForkRefused(_DISCONNECTED)
    if report.problem:
        raise ForkRefused(report.problem)
