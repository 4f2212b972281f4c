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
    Outcome,
    Player,
    RunEnded,
    Session,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
    UserSpoke,
)


class Status(StrEnum):
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
class Progress:
    """What a session's log has come to."""

    asked: Mapping[str, str] = field(default_factory=dict[str, str])
    """The turns that wait for a person, oldest first, each with the invocation that asks."""

    unasked: Mapping[str, str] = field(default_factory=dict[str, str])
    """The turns that another player answers, the agent's own model for one."""

    left: Mapping[str, str] = field(default_factory=dict[str, str])
    """The turns that were abandoned."""

    agent_name: str = ""
    """The app, or the first agent that asked."""

    outcome: Outcome | None = None
    """How the last run ended; None while one runs."""

    closed: bool = False
    """Whether the session takes no more events."""

    cancelled: bool = False
    """Whether it was given up rather than completed."""

    @property
    def status(self) -> Status:
        """Where the session stands."""
        if self.asked:
            return Status.WAITING
        if self.cancelled or self.outcome in (Outcome.FAILED, Outcome.CANCELLED):
            return Status.FAILED
        if self.closed or self.outcome is Outcome.DONE:
            return Status.DONE
        return Status.ABANDONED if self.left else Status.RUNNING

    def after(self, event: Event) -> Progress:
        """Where the session stands with one more event."""
        turn_id = event.turn_id
        match event.payload:
            case TurnAsked(invocation_id=invocation_id):
                return self._with_turn(event, invocation_id)
            case TurnRevived(invocation_id=invocation_id):
                return replace(self, asked={**self.asked, turn_id: invocation_id}, left=_without(self.left, turn_id))
            case TurnDecided():
                return self._without_turn(turn_id)
            case TurnWithdrawn(abandoned=abandoned):
                left = {**self.left, turn_id: self.asked.get(turn_id, "")} if abandoned else self.left
                return replace(self._without_turn(turn_id), left=left)
            case AgentJoined(app_name=app_name):
                return replace(self, agent_name=app_name or self.agent_name)
            case UserSpoke() | AgentEvent() if self.outcome is not None:
                return replace(self, outcome=None)
            case RunEnded(invocation_id=invocation_id, outcome=outcome):
                return replace(
                    self,
                    asked=_of_others(self.asked, invocation_id),
                    unasked=_of_others(self.unasked, invocation_id),
                    left=_of_others(self.left, invocation_id),
                    outcome=outcome,
                )
            case Closed(cancelled=cancelled):
                return replace(self, asked={}, unasked={}, left={}, closed=True, cancelled=cancelled)
            case _:
                return self

    def after_all(self, events: Iterable[Event]) -> Progress:
        """Where the session stands with these events more."""
        progress = self
        for event in events:
            progress = progress.after(event)
        return progress

    def _with_turn(self, event: Event, invocation_id: str) -> Progress:
        named = replace(self, agent_name=self.agent_name or event.agent_name, outcome=None)
        if event.player in (None, Player.HUMAN):
            return replace(named, asked={**self.asked, event.turn_id: invocation_id})
        return replace(named, unasked={**self.unasked, event.turn_id: invocation_id})

    def _without_turn(self, turn_id: str) -> Progress:
        return replace(
            self,
            asked=_without(self.asked, turn_id),
            unasked=_without(self.unasked, turn_id),
            left=_without(self.left, turn_id),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What a store keeps beside a session, so that a list of sessions reads no logs."""

    status: Status = Status.RUNNING
    agent_name: str = ""
    waiting: int = 0
    """How many turns wait for a person."""

    @classmethod
    def of(cls, progress: Progress) -> Standing:
        """What to keep of a progress."""
        return cls(status=progress.status, agent_name=progress.agent_name, waiting=len(progress.asked))


Place: TypeAlias = tuple[int, str]
"""By which sessions are sorted: when they were made, in milliseconds, then their ids."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionSummary:
    """A session in a list."""

    session: Session
    standing: Standing
    last_seq: int
    """How many events it has."""

    last_event_at: float
    """When something last happened, in seconds since 1970; when it was made, if nothing has."""

    @property
    def place(self) -> Place:
        """Where it is in a list."""
        return round(self.session.created_at * 1_000), self.session.session_id


def _without(turns: Mapping[str, str], turn_id: str) -> Mapping[str, str]:
    if turn_id not in turns:
        return turns
    return {other: invocation_id for other, invocation_id in turns.items() if other != turn_id}


def _of_others(turns: Mapping[str, str], invocation_id: str) -> Mapping[str, str]:
    return {turn_id: asking for turn_id, asking in turns.items() if asking != invocation_id} if turns else turns
