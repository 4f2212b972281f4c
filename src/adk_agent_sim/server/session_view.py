"""The read model of one open session: its rows, status and pending turns, folded from its timeline alone.

It needs no run, so it works for agents in other processes and for sessions of earlier processes.
"""

from __future__ import annotations

import asyncio

from adk_agent_sim.server.api_models import DisplayStatus, PendingTurn
from adk_agent_sim.server.session_rows import SessionRows
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.decision_checks import get_function_calls
from adk_agent_sim.timeline.events import (
    AgentJoined,
    Event,
    RunEnded,
    RunOutcome,
    Session,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.turn_index import TurnIndex

_EVENTS_PER_YIELD = 1_000
"""How many events are applied before other tasks may run."""

_STOPPED_MESSAGE = "The run was stopped."


class SessionView:
    """The rows and status of a session, as of the last `catch_up`."""

    def __init__(self, timeline: Timeline, session: Session) -> None:
        self.session = session
        self.rows = SessionRows()
        self.turns = TurnIndex(session.session_id)
        self.agent_joined: AgentJoined | None = None
        self.last_turn_asked: Event | None = None
        self.failure = ""
        self.last_event_at = session.created_at
        self._timeline = timeline
        self._busy_since: float | None = None
        self._has_started = False
        self._is_abandoned = False
        self._running_tools: dict[str, float] = {}
        self._read_lock = asyncio.Lock()

    async def catch_up(self) -> None:
        """Apply the events since the last call."""
        async with self._read_lock:
            events = await self._timeline.read_events(self.session.session_id, self.rows.last_seq)
            for index, event in enumerate(events):
                self.apply(event)
                if index % _EVENTS_PER_YIELD == _EVENTS_PER_YIELD - 1:
                    await asyncio.sleep(0)  # noqa: TID251 - not a wait: lets other tasks run during a long fold

    def apply(self, event: Event) -> None:
        """Apply the next event."""
        self.last_event_at = event.timestamp
        self.rows.apply(event)
        self.turns.apply(event)
        self._is_abandoned = isinstance(event.payload, TurnWithdrawn) and event.payload.abandoned
        match event.payload:
            case AgentJoined() as joined:
                self.agent_joined = joined
            case UserSpoke():
                self._has_started, self._busy_since, self.failure = True, event.timestamp, ""
            case TurnAsked():
                self._has_started = True
                self.last_turn_asked = event
            case TurnDecided(response=response):
                self._busy_since = event.timestamp if self._is_running_after(response) else None
            case ToolStarted(call_id=call_id):
                self._running_tools[call_id] = event.timestamp
            case ToolFinished(call_id=call_id) | ToolFailed(call_id=call_id):
                self._running_tools.pop(call_id, None)
            case RunEnded() as ended:
                self._busy_since, self.failure = None, _describe_run_failure(ended)
                self._running_tools.clear()
            case _:
                pass

    @property
    def status(self) -> DisplayStatus:
        """The status to show; the first that applies wins."""
        if self.turns.is_closed:
            return DisplayStatus.CLOSED
        if self.turns.pending_turns:
            return DisplayStatus.YOUR_TURN
        if self._is_abandoned:
            return DisplayStatus.ABANDONED
        if self._busy_since is not None:
            return DisplayStatus.RUNNING
        if self.rows.confirmation is not None:
            return DisplayStatus.CONFIRM
        if self.failure:
            return DisplayStatus.STOPPED if self.failure == _STOPPED_MESSAGE else DisplayStatus.FAILED
        return DisplayStatus.DONE if self._has_started else DisplayStatus.QUERY

    @property
    def app_name(self) -> str:
        """The name of the app that joined the session; until one has, the session's description."""
        return self.agent_joined.app_name if self.agent_joined else self.session.description

    @property
    def running_since(self) -> float | None:
        """When the oldest running tool started, else when the agent did; None if nothing is running."""
        if self._running_tools:
            return min(self._running_tools.values())
        return self._busy_since if self.status is DisplayStatus.RUNNING else None

    @property
    def pending_turns(self) -> list[PendingTurn]:
        """The turns that wait for a decision, the next one first."""
        return [
            PendingTurn(turn_id=asked.turn_id, agent_name=asked.agent_name, asked_at=asked.timestamp)
            for asked in self.turns.pending_turns
        ]

    def _is_running_after(self, response: Json) -> bool:
        """Whether the agent is still running after a decision.

        An agent that joined reports the end of its runs itself. One that reports only turns (the first protocol) runs
        on if it was told to call tools.
        """
        return self.agent_joined is not None or bool(get_function_calls(response))


def _describe_run_failure(ended: RunEnded) -> str:
    match ended.outcome:
        case RunOutcome.DONE:
            return ""
        case RunOutcome.CANCELLED:
            return _STOPPED_MESSAGE
        case RunOutcome.FAILED:
            return f"{ended.error_type}: {ended.error_message}"
