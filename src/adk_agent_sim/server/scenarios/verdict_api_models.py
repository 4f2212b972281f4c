"""The messages of the web API about verdicts: for each turn, what was expected beside what happened."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adk_agent_sim.use_cases.record import Record


class DifferenceInfo(Record):
    """One thing that is not as expected."""

    argument: str = Field(description="The argument; `time` or `order` for those")
    expected: str = Field(description="JSON text, cut at 4 KB")
    got: str = Field(description="JSON text, cut at 4 KB")
    rule: str = Field(description="The rule that decided")


class ExpectedEventInfo(Record):
    """An event that the scenario expects, and its outcome."""

    event_id: str
    kind: str
    tool: str
    status: Literal["matched", "wrong", "missing", "not judged"]
    rule: str = Field(description="The rule that decided; empty if it was not judged")
    summary: str = Field(description="One line: the expected arguments; empty if they are not known")
    partner: int | None = Field(
        description="The place in the turn's `actual` of the matched event, or of the nearest one if it is wrong"
    )
    differences: list[DifferenceInfo]
    nearest: str = Field(description="If it is missing: the action that may have been meant, in one line")


class ActualEventInfo(Record):
    """An event of the run."""

    event_id: str
    kind: str
    tool: str
    seconds: float = Field(description="When it happened, since the scenario's start")
    summary: str = Field(description="One line: its arguments")
    is_judged: bool = Field(description="Whether it counts: reads and failed calls do not")
    is_extra: bool = Field(description="Whether nothing expects it")
    error: str = Field(description="Why it failed; empty if it did not")
    row_index: int | None = Field(description="The row of the timeline that shows it, if one does")


class CountInfo(Record):
    """A tool that was called more or less often than expected."""

    tool: str
    expected: int
    got: int


class VerdictTurn(Record):
    """A turn: what was expected of it, and what happened in it."""

    number: int = Field(description="From 1; one more than the last turn for what happened after it")
    status: Literal["passed", "failed", "not judged", "after the end"]
    expected: list[ExpectedEventInfo]
    actual: list[ActualEventInfo]
    counts: list[CountInfo]


class ValidationInfo(Record):
    """A milestone or minefield of the scenario's author."""

    event_id: str
    passed: bool
    reason: str


class VerdictInfo(Record):
    """A verdict on a run."""

    scenario_id: str
    passed: bool
    reason: str = Field(description="Why it failed, in one sentence; empty if it passed")
    judge: str = Field(description="Who answered the soft checks, such as scripted or the name of a model")
    turns: list[VerdictTurn]
    validations: list[ValidationInfo]
