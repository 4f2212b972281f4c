"""Where a session stands, folded from its log event by event: what waits, what runs, how it ended.

A `Progress` is never changed: `after` gives the next one. So a timeline knows where a session will stand before it
commits, and a store can keep that beside the session: a list of sessions reads no logs.
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
    """Where a session stands, for people."""

    WAITING = "waiting"
    """A turn waits for a person."""

    RUNNING = "running"
    """The agent works, or has not begun."""

    DONE = "done"
    """The last run ended, or the session was closed."""

    FAILED = "failed"
    """The last run ended with an error or was cancelled."""

    ABANDONED = "abandoned"
    """The agent's process went away while a turn of it waited."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionProgress:
    """What a session's log has come to."""

    pending: Mapping[str, str] = field(default_factory=dict[str, str])
    """The turns that wait for a person, oldest first, each with the invocation that asks."""

    delegated: Mapping[str, str] = field(default_factory=dict[str, str])
    """The turns that another player answers, the agent's own model for one."""

    abandoned_turns: Mapping[str, str] = field(default_factory=dict[str, str])
    """The turns that were abandoned."""

    agent_name: str = ""
    """The app, or the first agent that asked."""

    outcome: RunOutcome | None = None
    """How the last run ended; None while one runs."""

    is_closed: bool = False
    """Whether the session takes no more events."""

    is_cancelled: bool = False
    """Whether it was given up rather than completed."""

    @property
    def status(self) -> SessionStatus:
        """Where the session stands."""
        if self.pending:
            return SessionStatus.WAITING
        if self.is_cancelled or self.outcome in (RunOutcome.FAILED, RunOutcome.CANCELLED):
            return SessionStatus.FAILED
        if self.is_closed or self.outcome is RunOutcome.DONE:
            return SessionStatus.DONE
        return SessionStatus.ABANDONED if self.abandoned_turns else SessionStatus.RUNNING

    def with_event(self, event: Event) -> SessionProgress:
        """Where the session stands with one more event."""
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
                left = (
                    {**self.abandoned_turns, turn_id: self.pending.get(turn_id, "")}
                    if abandoned
                    else self.abandoned_turns
                )
                return replace(self._without_turn(turn_id), abandoned_turns=left)
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
        """Where the session stands with these events more."""
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
    """What a store keeps beside a session, so that a list of sessions reads no logs."""

    status: SessionStatus = SessionStatus.RUNNING
    agent_name: str = ""
    pending_count: int = 0
    """How many turns wait for a person."""

    @classmethod
    def from_progress(cls, progress: SessionProgress) -> StatusSnapshot:
        """What to keep of a progress."""
        return cls(status=progress.status, agent_name=progress.agent_name, pending_count=len(progress.pending))


SessionCursor: TypeAlias = tuple[int, str]
"""By which sessions are sorted: when they were made, in milliseconds, then their ids."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionSummary:
    """A session in a list."""

    session: Session
    snapshot: StatusSnapshot
    last_seq: int
    """How many events it has."""

    last_event_at: float
    """When something last happened, in seconds since 1970; when it was made, if nothing has."""

    @property
    def cursor(self) -> SessionCursor:
        """Where it is in a list."""
        return round(self.session.created_at * 1_000), self.session.session_id


def _exclude_turn(turns: Mapping[str, str], turn_id: str) -> Mapping[str, str]:
    if turn_id not in turns:
        return turns
    return {other: invocation_id for other, invocation_id in turns.items() if other != turn_id}


def _exclude_invocation(turns: Mapping[str, str], invocation_id: str) -> Mapping[str, str]:
    return {turn_id: asking for turn_id, asking in turns.items() if asking != invocation_id} if turns else turns
