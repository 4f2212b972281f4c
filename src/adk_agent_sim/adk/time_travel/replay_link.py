"""Links that keep from the timeline what is on it already, while a run is replayed, or what comes too late.

The caller of some runs is not ours, so that nobody can cancel them: another run may take the session over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from adk_agent_sim.adk.runs.cross_loop import CrossLoopEvent
from adk_agent_sim.adk.time_travel.run_replay import RunReplay, describe_event
from adk_agent_sim.errors import RunUndone, ToolRequestAbandoned, TurnAbandoned
from adk_agent_sim.link.link import Link
from adk_agent_sim.timeline.events import EnvironmentDecided, Event, RunEnded, RunOutcome
from adk_agent_sim.timeline.submissions import EventBatch, ToolRequest, TurnDecision, TurnRequest


class ReplayLink:
    """Between the seats of a session and its timeline; forwards everything once the replay is over."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.replay: RunReplay | None = None
        """The replay that is going on."""
        self._is_muted = False

    def mute(self) -> None:
        """Append nothing any more: the run is abandoned, and another one continues its session."""
        self._is_muted = True

    async def append(self, batch: EventBatch) -> object:
        """Append events, unless they are recorded already."""
        if self._is_muted:
            return None
        if self.replay is not None and not self.replay.is_over:
            for payload in batch.payloads:
                if isinstance(payload, RunEnded):
                    self._end_replay(self.replay, payload)
                    return None
                if await self.replay.expect(payload, batch.agent_name, batch.agent_path):
                    return None
                # What the rules decided for a recorded call is on the timeline, whatever they say today.
                if isinstance(payload, EnvironmentDecided) and self.replay.has_call(payload.call_id):
                    return None
            await self.replay.go_live(describe_event(batch.build_drafts()[0]))
        return await self._link.append(batch)

    def _end_replay(self, replay: RunReplay, ended: RunEnded) -> None:
        missing = replay.describe_missing()
        how = f"the run ended ({ended.error_type}: {ended.error_message})" if ended.error_type else "the run ended"
        # Who cancels a replay knows the reason already.
        if ended.outcome is not RunOutcome.CANCELLED:
            replay.fail(f"{how} before {missing or 'the turn'}")

    async def ask(self, turn: TurnRequest) -> object:
        """Submit a model call; the first one ends the replay."""
        await self._leave_replay(f"a turn of agent {turn.agent_name!r}")
        return None if self._is_muted else await self._link.ask(turn)

    async def decide(self, decision: TurnDecision) -> object:
        """Submit the decision of a turn."""
        return None if self._is_muted else await self._link.decide(decision)

    async def wait_for_decision(self, session_id: str, turn_id: str) -> Event:
        """Wait for the decision of a turn and return its event."""
        return await self._wait_until_undone(self._link.wait_for_decision(session_id, turn_id))

    async def ask_tool(self, request: ToolRequest) -> object:
        """Submit a tool call whose response a person must give; it has none yet, so it ends the replay."""
        await self._leave_replay(f"a question about the call of {request.asked.tool_name!r}")
        return None if self._is_muted else await self._link.ask_tool(request)

    async def wait_for_tool_response(self, session_id: str, request_id: str) -> Event:
        """Wait for the response of a person to a tool call and return its event."""
        return await self._wait_until_undone(self._link.wait_for_tool_response(session_id, request_id))

    async def withdraw(self, session_id: str, turn_id: str) -> object:
        """Withdraw a turn."""
        return None if self._is_muted else await self._link.withdraw(session_id, turn_id)

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` with every new event of a session; returns a function that unsubscribes it."""
        return await self._link.listen(session_id, listener)

    async def _wait_until_undone(self, waiting: Awaitable[Event]) -> Event:
        """Return what somebody decided; wait for the end of the run instead if it is undone."""
        try:
            return await waiting
        except (TurnAbandoned, ToolRequestAbandoned):
            if self._is_muted:
                await asyncio.Event().wait()  # the run is being cancelled
            raise

    async def _leave_replay(self, what: str) -> None:
        if self.replay is not None and not self.replay.is_over:
            await self.replay.go_live(what)


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
