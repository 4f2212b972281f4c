"""A link that keeps from the timeline what is on it already, while a run is replayed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from adk_agent_sim.adk.time_travel.replay_differences import describe_event
from adk_agent_sim.adk.time_travel.run_replay import RunReplay
from adk_agent_sim.errors import ToolRequestAbandoned, TurnAbandoned
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
