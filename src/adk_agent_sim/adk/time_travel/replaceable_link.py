"""The link of a run that nobody can cancel, because its caller is not ours: another run may take its session over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from adk_agent_sim.adk.runs.cross_loop import CrossLoopEvent
from adk_agent_sim.adk.time_travel.replay_link import ReplayLink
from adk_agent_sim.errors import RunUndone
from adk_agent_sim.link.link import Link
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision, TurnRequest


class ReplaceableLink(ReplayLink):
    """Forwards what happens in a run, until another run replaces it. Use it from one event loop."""

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._released: asyncio.Event | None = None
        """Is set when it is clear whether the run is replaced; None if nobody wants to replace it."""
        self._replaced = CrossLoopEvent()
        self._replacement: asyncio.Future[None] | None = None

    @property
    def is_replaced(self) -> bool:
        """Whether another run has taken the session over."""
        return self._replaced.is_set

    def hold(self) -> None:
        """Hold everything back, until it is clear whether another run takes the session over."""
        self._released = asyncio.Event()

    def release(self) -> None:
        """Forward what was held back: no other run takes the session over."""
        if self._released is not None:
            self._released.set()
            self._released = None

    def replace(self, replacement: asyncio.Future[None]) -> None:
        """Forward nothing any more, also of what was held back.

        Args:
            replacement: Ends with the run that takes the session over. The replaced run waits for that in its next
                model call, which then fails. If it failed at once, a script would end, and the other run with it.
        """
        self._replacement = replacement
        self._replaced.set()
        # Muted before it is released, so that nothing that was held back gets through.
        self.mute()
        self.release()

    async def append(self, batch: EventBatch) -> object:
        """Append events, unless another run has the session."""
        await self._wait_until_released()
        return await super().append(batch)

    async def ask(self, turn: TurnRequest) -> object:
        """Submit a model call; raise RunUndone if another run has the session."""
        await self._wait_until_released()
        await self._check_not_replaced()
        return await super().ask(turn)

    async def decide(self, decision: TurnDecision) -> object:
        """Submit the decision of a turn, unless another run has the session."""
        await self._wait_until_released()
        return await super().decide(decision)

    async def withdraw(self, session_id: str, turn_id: str) -> object:
        """Withdraw a turn, unless another run has the session."""
        await self._wait_until_released()
        return await super().withdraw(session_id, turn_id)

    async def wait_for_decision(self, session_id: str, turn_id: str) -> Event:
        """Wait for the decision of a turn; raise RunUndone if another run takes the session over."""
        deciding = asyncio.ensure_future(super().wait_for_decision(session_id, turn_id))
        # A decision that fails just as the run is replaced is not read below.
        deciding.add_done_callback(lambda done: done.cancelled() or done.exception())
        replacing = asyncio.ensure_future(self._replaced.wait())
        try:
            await asyncio.wait({deciding, replacing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            replacing.cancel()
            if self.is_replaced or not deciding.done():
                deciding.cancel()
        await self._check_not_replaced()
        return await deciding

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` with every new event, as any link; in a replay with none: there may be no session yet."""
        if self.replay is not None and not self.replay.is_over:
            return lambda: None
        return await super().listen(session_id, listener)

    async def _wait_until_released(self) -> None:
        # Somebody may hold the link again before this task runs.
        while self._released is not None:
            await self._released.wait()

    async def _check_not_replaced(self) -> None:
        if self._replacement is not None:
            # asyncio.wait neither raises what the other run raises, nor cancels it if this wait is cancelled.
            await asyncio.wait({self._replacement})
            raise RunUndone
