"""The parts of a verdict: turns, their expected events, and what differs. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

EventStatus: TypeAlias = Literal["matched", "wrong", "missing"]
TurnStatus: TypeAlias = Literal["passed", "failed", "not judged"]


@dataclass(frozen=True, kw_only=True, slots=True)
class VerdictDifference:
    """One thing that is not as expected: an argument, the time or the order."""

    argument: str
    """The argument; `time` or `order` for those."""

    expected: Any

    got: Any

    rule: str
    """The rule that decided, such as `unordered`, `soft`, `time window` or `strictness: exact`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ActionSummary:
    """An action of the agent, or an event of its run."""

    event_id: str

    tool: str

    seconds: float
    """When it happened, in seconds since the scenario's start."""

    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])

    note: str = ""
    """What is special about it, such as its error."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedEvent:
    """An expected event and its outcome."""

    event_id: str

    kind: str

    tool: str

    status: EventStatus

    rule: str
    """The rule that decided."""

    agent_event_id: str | None = None
    """The matched action."""

    differences: tuple[VerdictDifference, ...] = ()
    """What differs from the nearest action; empty if it is matched."""

    nearest: ActionSummary | None = None
    """If it is not matched: the action that is most like it."""

    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """If it is not matched: its expected arguments."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CountDifference:
    """A tool that was called more or less often than expected."""

    tool: str

    expected: int

    got: int


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedTurn:
    """A turn and its events."""

    number: int
    """From 1."""

    status: TurnStatus

    events: tuple[JudgedEvent, ...] = ()

    counts: tuple[CountDifference, ...] = ()
    """The tools whose numbers of calls differ, if that decided."""

    extra: tuple[ActionSummary, ...] = ()
    """Actions that nothing expects."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedValidation:
    """A validation of the author: its milestones and minefields."""

    event_id: str

    passed: bool

    reason: str = ""
