"""The messages of the web API about files of eval cases: what they hold, how cases are checked, and edits."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from adk_agent_sim.golden.case_changes import FieldKind
from adk_agent_sim.use_cases.cases import CaseCheckInfo, ConvertedCases, EvalCaseInfo
from adk_agent_sim.use_cases.record import Record


class EvalFileSummary(Record):
    """A file of eval cases in a list."""

    key: str
    path: str
    kind: Literal["evalset", "session"]
    case_count: int
    problem: str = Field(description="Why the file cannot be read now; empty if it can")


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


class EvalCaseDetail(Record):
    """A case, without its rows."""

    case: EvalCaseInfo
    row_count: int
    fields: list[CaseFieldInfo]
    omitted_field_count: int = Field(description="How many values are too long to be corrected here")
    is_editable: bool
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


class EvalConversionResult(ConvertedCases):
    """The new file that has the cases of one that can only be read."""

    key: str


class EvalEditResult(Record):
    """The file after an edit."""

    file: EvalFileInfo
    case_key: str = Field(description="The case that was edited; empty if it was removed")
    is_copy: bool = Field(default=False, description="Whether the values went to a copy")
    label: str = Field(default="", description="What was undone or redone")
