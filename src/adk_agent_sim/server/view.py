"""What the browser is shown of a session, read from its timeline alone, whoever plays its agent and wherever."""

from __future__ import annotations

import asyncio

from adk_agent_sim.server.rows import Rows
from adk_agent_sim.server.shapes import Status, Waiting
from adk_agent_sim.timeline.canonical import Json
from adk_agent_sim.timeline.decision import function_calls
from adk_agent_sim.timeline.events import (
    AgentJoined,
    Event,
    Outcome,
    RunEnded,
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
from adk_agent_sim.timeline.turns import Turns

_AT_ONCE = 1_000
"""How many events are taken in before others get their turn."""

_STOPPED = "The run was stopped."


class SessionView:
    """The rows and the standing of a session, brought up to date when somebody looks."""

    def __init__(self, timeline: Timeline, session: Session) -> None:
        self.session = session
        self.rows = Rows()
        self.turns = Turns(session.session_id)
        self.joined: AgentJoined | None = None
        self.last_asked: Event | None = None
        self.failure = ""
        self.last_event_at = session.created_at
        self._timeline = timeline
        self._busy_since: float | None = None
        self._spoken = False
        self._abandoned = False
        self._tools: dict[str, float] = {}
        self._reading = asyncio.Lock()

    async def catch_up(self) -> None:
        """Take in what has happened since."""
        async with self._reading:
            for place, event in enumerate(await self._timeline.events(self.session.session_id, self.rows.seq)):
                self.apply(event)
                if place % _AT_ONCE == _AT_ONCE - 1:
                    await asyncio.sleep(0)  # noqa: TID251 - no wait: others get their turn while a long log is read

    def apply(self, event: Event) -> None:
        """Take in the next event."""
        self.last_event_at = event.timestamp
        self.rows.apply(event)
        self.turns.apply(event)
        self._abandoned = isinstance(event.payload, TurnWithdrawn) and event.payload.abandoned
        match event.payload:
            case AgentJoined() as joined:
                self.joined = joined
            case UserSpoke():
                self._spoken, self._busy_since, self.failure = True, event.timestamp, ""
            case TurnAsked():
                self._spoken = True
                self.last_asked = event
            case TurnDecided(response=response):
                self._busy_since = event.timestamp if self._goes_on(response) else None
            case ToolStarted(call_id=call_id):
                self._tools[call_id] = event.timestamp
            case ToolFinished(call_id=call_id) | ToolFailed(call_id=call_id):
                self._tools.pop(call_id, None)
            case RunEnded() as ended:
                self._busy_since, self.failure = None, _failure(ended)
                self._tools.clear()
            case _:
                pass

    @property
    def status(self) -> Status:
        """Where the session stands."""
        if self.turns.closed:
            return Status.CLOSED
        if self.turns.waiting:
            return Status.YOUR_TURN
        if self._abandoned:
            return Status.ABANDONED
        if self._busy_since is not None:
            return Status.RUNNING
        if self.rows.confirmation is not None:
            return Status.CONFIRM
        if self.failure:
            return Status.STOPPED if self.failure == _STOPPED else Status.FAILED
        return Status.DONE if self._spoken else Status.QUERY

    @property
    def running_since(self) -> float | None:
        """When what runs now began: the oldest running tool, else the agent itself."""
        if self._tools:
            return min(self._tools.values())
        return self._busy_since if self.status is Status.RUNNING else None

    @property
    def waiting(self) -> list[Waiting]:
        """The turns that wait, the one to decide first."""
        return [
            Waiting(turn_id=asked.turn_id, agent_name=asked.agent_name, asked_at=asked.timestamp)
            for asked in self.turns.waiting
        ]

    def _goes_on(self, response: Json) -> bool:
        """Whether the agent works on after a decision: an agent that tells of its runs says when it is done."""
        return self.joined is not None or bool(function_calls(response))


def _failure(ended: RunEnded) -> str:
    match ended.outcome:
        case Outcome.DONE:
            return ""
        case Outcome.CANCELLED:
            return _STOPPED
        case Outcome.FAILED:
            return f"{ended.error_type}: {ended.error_message}"
