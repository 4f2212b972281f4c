"""The messages of the web API about files of eval cases: what they hold, how cases are checked, and edits."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from adk_agent_sim.adk.evals.case_badge import BadgeState
from adk_agent_sim.golden.case_fields import FieldKind
from adk_agent_sim.use_cases.record import Record


class EvalFileSummary(Record):
    """A file of eval cases in a list."""

    key: str
    path: str
    kind: Literal["evalset", "session"]
    case_count: int
    problem: str = Field(description="Why the file cannot be read now; empty if it can")


class BadgeInfo(Record):
    """What is known about a case: whether it still replays as recorded."""

    state: BadgeState
    reason: str = Field(description="One sentence")


class MetricInfo(Record):
    """The result of one of ADK's metrics."""

    name: str
    threshold: float | None
    score: float | None = Field(description="None if the metric was not run")
    is_passed: bool | None
    turn_scores: list[float | None] = Field(description="The scores of the user turns")
    note: str = Field(description="Why the metric was not run; empty if it was")


class EvalCaseInfo(Record):
    """A case in a list."""

    key: str
    eval_id: str
    fingerprint: str = Field(description="Differs if the content does: an edit says which content it is about")
    app_name: str
    first_message: str = Field(description="Cut at 300 characters")
    turn_count: int
    call_count: int
    badge: BadgeInfo
    metrics: list[MetricInfo] = Field(description="The scores of the last check; empty before one")


class EvalFileInfo(Record):
    """A file with its cases, in their order."""

    key: str
    path: str
    kind: Literal["evalset", "session"]
    version: str = Field(description="Differs if the file does")
    is_editable: bool
    has_agent: bool = Field(description="Whether cases can be replayed")
    undo_label: str = Field(description="What can be undone; empty if nothing can")
    redo_label: str = Field(description="What can be redone; empty if nothing can")
    cases: list[EvalCaseInfo]


class CaseFieldInfo(Record):
    """A value of a case that can be corrected."""

    path: str
    turn: int = Field(description="The user turn, from 1; 0 for the case as a whole")
    label: str
    kind: FieldKind
    value: str = Field(description="The text, or for an object JSON text, so that numbers keep their digits")
    tool_name: str = Field(description="The tool that the value is about; empty if none")
    value_schema: dict[str, Any] | None = Field(
        description="The JSON Schema of the tool's arguments; None for other values, or if the tool is unknown"
    )


class ReplayDifferenceInfo(Record):
    """Something that is not as recorded in a replay."""

    message_number: int = Field(description="The user message that it follows, from 1")
    agent_name: str
    what: str
    recorded: str = Field(description="The recorded value as JSON text")
    found: str = Field(description="The current value as JSON text")
    call_id: str = Field(description="The call that differs; empty if it is something else")


class ComparedCallInfo(Record):
    """A call of the case beside the call that was made."""

    status: Literal["same", "changed", "missing", "extra"]
    expected_name: str = Field(description="The tool in the case; empty if the call is extra")
    expected_arguments: str = Field(description="JSON text; empty if the call is extra")
    actual_name: str = Field(description="The tool that was called; empty if the call is missing")
    actual_arguments: str = Field(description="JSON text; empty if the call is missing")


class ComparedTurnInfo(Record):
    """A user turn of the case beside what happened."""

    calls: list[ComparedCallInfo]
    expected_response: str
    actual_response: str


class CaseCheckInfo(Record):
    """What a replay or a comparison of a case found."""

    source: str = Field(description="What the case was compared with: a replay, or another recording")
    differences: list[ReplayDifferenceInfo]
    notes: list[str]
    metrics: list[MetricInfo]
    turns: list[ComparedTurnInfo]
    config_path: str = Field(description="The file that the criteria are from; empty if they are ADK's own")
    problem: str = Field(description="Why there are no scores; empty if there are")


class EvalCaseDetail(Record):
    """A case, without its rows."""

    case: EvalCaseInfo
    row_count: int
    fields: list[CaseFieldInfo]
    omitted_field_count: int = Field(description="How many values are too long to be corrected here")
    is_editable: bool
    problem: str = Field(description="Why the case has no timeline; empty if it has one")
    check: CaseCheckInfo | None = Field(description="The last check of this content; None before one")


class ComparisonInput(Record):
    """Another recording to compare a case with."""

    file_key: str = Field(max_length=200)
    case_key: str = Field(max_length=100)


class CaseRenameInput(Record):
    """Another id for a case."""

    eval_id: str = Field(min_length=1, max_length=300)


class CaseMoveInput(Record):
    """Another place for a case."""

    after_key: str | None = Field(max_length=100, description="The case that it follows; None to be the first")


class CaseDeletionInput(Record):
    """Which content of a case is deleted."""

    fingerprint: str = Field(max_length=100)


class FieldValue(Record):
    """A new value of a field of a case."""

    path: str = Field(max_length=500)
    value: str = Field(description="The text, or for an object JSON text")


class CaseCorrectionInput(Record):
    """New values for fields of a case."""

    fingerprint: str = Field(max_length=100, description="The content that the values are about")
    values: list[FieldValue] = Field(min_length=1, max_length=1_000)
    keep_both: bool = Field(
        default=False, description="Whether a copy gets the values if another writer has changed the case since"
    )


class EvalConversionResult(Record):
    """The new file that has the cases of one that can only be read."""

    key: str
    path: str
    case_count: int
    omitted_turn_count: int = Field(description="How many user turns of a session have no final response")


class EvalEditResult(Record):
    """The file after an edit."""

    file: EvalFileInfo
    case_key: str = Field(description="The case that was edited; empty if it was removed")
    is_copy: bool = Field(default=False, description="Whether the values went to a copy")
    label: str = Field(default="", description="What was undone or redone")
