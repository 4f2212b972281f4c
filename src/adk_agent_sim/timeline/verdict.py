"""The verdict on a run: for every expected event, its outcome and the rule that decided; as data and as text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import ConfigDict, Field

from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.timeline.record import FrozenRecord

EventStatus: TypeAlias = Literal["matched", "wrong", "missing"]
TurnStatus: TypeAlias = Literal["passed", "failed", "not judged"]


class _VerdictPart(FrozenRecord):
    """What was stored by another version is readable, whatever else it has."""

    model_config = ConfigDict(extra="ignore")


class VerdictDifference(_VerdictPart):
    """One thing that is not as expected: an argument, the time or the order."""

    argument: str
    """The argument; `time` or `order` for those."""

    expected: Any

    got: Any

    rule: str
    """The rule that decided, such as `unordered`, `soft`, `time window` or `strictness: exact`."""


class ActionSummary(_VerdictPart):
    """An action of the agent, or an event of its run."""

    event_id: str

    tool: str

    seconds: float
    """When it happened, in seconds since the scenario's start."""

    arguments: Mapping[str, Any] = Field(default_factory=dict[str, Any])

    note: str = ""
    """What is special about it, such as its error."""


class JudgedEvent(_VerdictPart):
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

    arguments: Mapping[str, Any] = Field(default_factory=dict[str, Any])
    """If it is not matched: its expected arguments."""


class CountDifference(_VerdictPart):
    """A tool that was called more or less often than expected."""

    tool: str

    expected: int

    got: int


class JudgedTurn(_VerdictPart):
    """A turn and its events."""

    number: Annotated[int, Field(ge=0)]
    """From 1."""

    status: TurnStatus

    events: tuple[JudgedEvent, ...] = ()

    counts: tuple[CountDifference, ...] = ()
    """The tools whose numbers of calls differ, if that decided."""

    extra: tuple[ActionSummary, ...] = ()
    """Actions that nothing expects."""


class JudgedValidation(_VerdictPart):
    """A validation of the author: its milestones and minefields."""

    event_id: str

    passed: bool

    reason: str = ""


class SoftQuestion(_VerdictPart):
    """What a soft check asks: whether the agent's value means the same as the expected one."""

    task: str
    """What the user has asked for until then."""

    tool: str
    """The tool by the class of its app, such as `EmailClientV2__send_email`."""

    argument: str

    expected: Any

    got: Any

    user: str = ""
    """The user's name, or an empty text."""


class AskedCheck(SoftQuestion):
    """A soft check that was asked, with its answer."""

    passed: bool

    reply: str = ""
    """The reason, in the words of whoever answered."""


class Verdict(_VerdictPart):
    """The verdict on a run."""

    scenario_id: str = ""

    passed: bool = False

    reason: str = ""
    """Why it failed, in one sentence; empty if it passed."""

    turns: tuple[JudgedTurn, ...] = ()

    validations: tuple[JudgedValidation, ...] = ()

    matches: Mapping[str, str] = Field(default_factory=dict[str, str])
    """The ids of the agent's events -> the ids of the expected events, up to the decision."""

    soft_checks: tuple[AskedCheck, ...] = ()
    """The soft checks that were asked, in order."""

    after_end: tuple[ActionSummary, ...] = ()
    """Actions after the last turn, which are not judged."""

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as JSON values."""
        return self.model_dump(mode="json")

    def __str__(self) -> str:
        """Return the verdict as text."""
        return "\n".join(render_verdict(self))


_MAX_VALUE = 200
_MARKS = {"matched": "  ", "wrong": "~ ", "missing": "- "}


def render_verdict(verdict: Verdict) -> list[str]:
    """Return a verdict as lines of text. Texts of the agent are escaped, so that none of them looks like a line."""
    return [escape_line(each) for each in _iter_lines(verdict)]


def describe_failure(turn: JudgedTurn) -> str:
    """Return why a turn failed, in one sentence."""
    place = f"Turn {turn.number}: "
    if turn.counts:
        calls = ", ".join(f"{each.tool} (expected {each.expected}, got {each.got})" for each in turn.counts)
        return f"{place}the number of calls differs: {calls}"
    event = next((each for each in turn.events if each.status != "matched"), None)
    if event is None:
        return f"{place}a text was rejected"
    if event.status == "missing":
        return f"{place}{event.tool} is missing ({event.event_id})"
    first = event.differences[0]
    return (
        f"{place}{event.tool} ({event.event_id}): {first.argument}: expected {_format(first.expected)}, "
        f"got {_format(first.got)} ({first.rule})"
    )


def _iter_lines(verdict: Verdict) -> Iterator[str]:
    yield f"{'PASSED' if verdict.passed else 'FAILED'}  {verdict.scenario_id}"
    if verdict.reason:
        yield verdict.reason
    for turn in verdict.turns:
        yield from _iter_turn_lines(turn)
    for each in verdict.validations:
        yield f"Validation {each.event_id}: {'passed' if each.passed else f'failed: {each.reason}'}"
    for action in verdict.after_end:
        yield f"Not judged, after the last turn: {_describe_action(action)}"


def _iter_turn_lines(turn: JudgedTurn) -> Iterator[str]:
    if turn.status == "passed":
        yield f"Turn {turn.number}: passed, {len(turn.events)} events as expected"
        return
    yield f"Turn {turn.number}: {turn.status}"
    for each in turn.counts:
        yield f"    {each.tool}: expected {each.expected} calls, got {each.got}"
    for event in turn.events:
        yield from _iter_event_lines(event)
    for action in turn.extra:
        yield f"  + extra    {_describe_action(action)}"
        yield from _iter_argument_lines(action.arguments)


def _iter_event_lines(event: JudgedEvent) -> Iterator[str]:
    yield f"  {_MARKS[event.status]}{event.status:<8} {event.tool}  ({event.event_id})"
    if event.status == "wrong" and event.nearest is not None:
        yield f"        nearest: {_describe_action(event.nearest)}"
    for each in event.differences:
        yield f"        {each.argument}  [{each.rule}]"
        yield f"          - {_format(each.expected)}"
        yield f"          + {_format(each.got)}"
    if event.status == "missing":
        yield from _iter_argument_lines(event.arguments)
        if event.nearest is not None:
            yield f"        nearest: {_describe_action(event.nearest)}"


def _iter_argument_lines(arguments: Mapping[str, Any]) -> Iterator[str]:
    for name, value in arguments.items():
        if value is not None:
            yield f"        {name}: {_format(value)}"


def _describe_action(action: ActionSummary) -> str:
    note = f", {action.note}" if action.note else ""
    return f"{action.tool} at +{action.seconds:g} s  ({action.event_id}){note}"


def _format(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]}..."
