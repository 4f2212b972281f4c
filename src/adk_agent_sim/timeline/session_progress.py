"""The progress and status of a session, folded from its log event by event.

A `SessionProgress` is immutable: `with_event` returns the next one. A timeline therefore knows the new status before it
commits, and stores it in the same transaction, so that listing sessions reads no logs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    Closed,
    Event,
    Player,
    RunEnded,
    RunOutcome,
    Session,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
    UserSpoke,
)


class SessionStatus(StrEnum):
    """The status of a session, for people."""

    WAITING = "waiting"
    """A turn is waiting for a person."""

    RUNNING = "running"
    """The agent is running, or has not started."""

    DONE = "done"
    """The last run ended, or the session was closed."""

    FAILED = "failed"
    """The last run ended with an error or was cancelled."""

    ABANDONED = "abandoned"
    """The agent's process disappeared while one of its turns was pending."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionProgress:
    """The state that follows from a session's log."""

    pending: Mapping[str, str] = field(default_factory=dict[str, str])
    """The invocation ids of the turns that wait for a person, by turn id, oldest first."""

    delegated: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same for turns of other players, such as the agent's own model."""

    abandoned_turns: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same for abandoned turns."""

    agent_name: str = ""
    """The app name, or the name of the first agent that called its model."""

    outcome: RunOutcome | None = None
    """How the last run ended; None while one runs."""

    is_closed: bool = False
    """Whether the session takes no more events."""

    is_cancelled: bool = False
    """Whether it was cancelled rather than completed."""

    @property
    def status(self) -> SessionStatus:
        """The status of the session."""
        if self.pending:
            return SessionStatus.WAITING
        if self.is_cancelled or self.outcome in (RunOutcome.FAILED, RunOutcome.CANCELLED):
            return SessionStatus.FAILED
        if self.is_closed or self.outcome is RunOutcome.DONE:
            return SessionStatus.DONE
        return SessionStatus.ABANDONED if self.abandoned_turns else SessionStatus.RUNNING

    def with_event(self, event: Event) -> SessionProgress:
        """Return the progress after one more event."""
        turn_id = event.turn_id
        match event.payload:
            case TurnAsked(invocation_id=invocation_id):
                return self._with_turn(event, invocation_id)
            case TurnRevived(invocation_id=invocation_id):
                return replace(
                    self,
                    pending={**self.pending, turn_id: invocation_id},
                    abandoned_turns=_exclude_turn(self.abandoned_turns, turn_id),
                )
            case TurnDecided():
                return self._without_turn(turn_id)
            case TurnWithdrawn(abandoned=abandoned):
                abandoned_turns = (
                    {**self.abandoned_turns, turn_id: self.pending.get(turn_id, "")}
                    if abandoned
                    else self.abandoned_turns
                )
                return replace(self._without_turn(turn_id), abandoned_turns=abandoned_turns)
            case AgentJoined(app_name=app_name):
                return replace(self, agent_name=app_name or self.agent_name)
            case UserSpoke() | AgentEvent() if self.outcome is not None:
                return replace(self, outcome=None)
            case RunEnded(invocation_id=invocation_id, outcome=outcome):
                return replace(
                    self,
                    pending=_exclude_invocation(self.pending, invocation_id),
                    delegated=_exclude_invocation(self.delegated, invocation_id),
                    abandoned_turns=_exclude_invocation(self.abandoned_turns, invocation_id),
                    outcome=outcome,
                )
            case Closed(cancelled=cancelled):
                return replace(
                    self, pending={}, delegated={}, abandoned_turns={}, is_closed=True, is_cancelled=cancelled
                )
            case _:
                return self

    def with_events(self, events: Iterable[Event]) -> SessionProgress:
        """Return the progress after more events."""
        progress = self
        for event in events:
            progress = progress.with_event(event)
        return progress

    def _with_turn(self, event: Event, invocation_id: str) -> SessionProgress:
        named = replace(self, agent_name=self.agent_name or event.agent_name, outcome=None)
        if event.player in (None, Player.HUMAN):
            return replace(named, pending={**self.pending, event.turn_id: invocation_id})
        return replace(named, delegated={**self.delegated, event.turn_id: invocation_id})

    def _without_turn(self, turn_id: str) -> SessionProgress:
        return replace(
            self,
            pending=_exclude_turn(self.pending, turn_id),
            delegated=_exclude_turn(self.delegated, turn_id),
            abandoned_turns=_exclude_turn(self.abandoned_turns, turn_id),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class StatusSnapshot:
    """The part of the progress that a store keeps per session, so that listing sessions reads no logs."""

    status: SessionStatus = SessionStatus.RUNNING
    agent_name: str = ""
    pending_count: int = 0
    """The number of turns that wait for a person."""

    @classmethod
    def from_progress(cls, progress: SessionProgress) -> StatusSnapshot:
        """Build the snapshot of a progress."""
        return cls(status=progress.status, agent_name=progress.agent_name, pending_count=len(progress.pending))


SessionCursor: TypeAlias = tuple[int, str]
"""The sort key of sessions: creation time in milliseconds, then id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionSummary:
    """A session with its status, for lists."""

    session: Session
    snapshot: StatusSnapshot
    last_seq: int
    """The number of events."""

    last_event_at: float
    """The time of the last event, or of the creation if there is none, in seconds since the Unix epoch."""

    @property
    def cursor(self) -> SessionCursor:
        """The position in a list."""
        return round(self.session.created_at * 1_000), self.session.session_id


def _exclude_turn(turns: Mapping[str, str], turn_id: str) -> Mapping[str, str]:
    if turn_id not in turns:
        return turns
    return {other: invocation_id for other, invocation_id in turns.items() if other != turn_id}


def _exclude_invocation(turns: Mapping[str, str], invocation_id: str) -> Mapping[str, str]:
    return {turn_id: asking for turn_id, asking in turns.items() if asking != invocation_id} if turns else turns
