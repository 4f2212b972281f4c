"""The messages of the web API about exports of a session."""

from __future__ import annotations

from pydantic import Field

from adk_agent_sim.golden.eval_criteria import DEFAULT_JUDGE_MODEL, CallMatch, RubricText, Score
from adk_agent_sim.golden.export_formats import ExportFormatName
from adk_agent_sim.use_cases.record import Record


class ExportFormatInfo(Record):
    """A format that the server can export a session to."""

    name: ExportFormatName
    label: str = Field(description="What a person reads in a list of formats")
    extension: str = Field(description="How the names of its files end")
    requirement: str = Field(description="What a session needs before it can be exported; empty if nothing")
    is_redactable: bool = Field(description="Whether secrets can be removed on request")


class ExportRecord(Record):
    """An export that was written."""

    format: ExportFormatName
    path: str
    eval_id: str
    exported_at: float


class CriteriaInput(Record):
    """What `adk eval` compares, to be written to the test_config.json beside the EvalSet."""

    calls: CallMatch = Field(default="exact", description="How tool calls are compared; `off` to not compare them")
    rouge: Score | None = Field(
        default=0.8, description="How similar the final response must be, as ROUGE-1; null to not compare it"
    )
    rubrics: list[RubricText] = Field(
        default_factory=list[str], max_length=50, description="What a model must find true of the final response"
    )
    tool_rubrics: list[RubricText] = Field(
        default_factory=list[str], max_length=50, description="What a model must find true of the use of tools"
    )
    rubric_score: Score = Field(default=0.8, description="Which part of the rubrics must be true")
    judge_model: str = Field(
        default=DEFAULT_JUDGE_MODEL, min_length=1, max_length=200, description="The model that judges rubrics"
    )


class CriteriaInfo(CriteriaInput):
    """The criteria that a test_config.json has."""


class ExportInput(Record):
    """A request to export the session, to the file that the agent's config names or to another one in its folder."""

    format: ExportFormatName = "evalset"
    path: str | None = Field(
        default=None, max_length=4096, description="Another file in the folder of the agent's exports"
    )
    again: bool = Field(default=False, description="Export it although it was exported before")
    replace: bool = Field(
        default=False, description="Replace the case or file that the preview names as `replaceable`, in its place"
    )
    force: bool = Field(default=False, description="Export it although `adk test` cannot replay it")
    include_rejected: bool = Field(
        default=False, description="Include structured responses that the agent's output_schema rejected"
    )
    criteria: CriteriaInput | None = Field(
        default=None, description="With `evalset`: criteria for all EvalSets of the folder; null to leave them alone"
    )


class EvalCaseKeys(Record):
    """Where the eval pages show a case."""

    file_key: str
    case_key: str


class ExportResult(Record):
    """The result of an export."""

    record: ExportRecord
    case_json: str = Field(description="The case or fixture that was written, as JSON text")
    command: str = Field(description="The command that runs `adk eval` or `adk test` on it")
    criteria_path: str | None = Field(default=None, description="The test_config.json that was written")
    eval_case: EvalCaseKeys | None = Field(
        default=None, description="With `evalset`: the case on the eval pages of this server, if it has them"
    )
    notes: list[str] = Field(description="What is left out and all warnings, together")
    left_out: list[str] = Field(default_factory=list[str], description="What is not exported, and why")
    warnings: list[str] = Field(default_factory=list[str], description="What `adk eval` or `adk test` cannot repeat")


class ExportPreview(Record):
    """What an export would write. Nothing is written by asking for it."""

    path: str = Field(description="The file")
    folder: str = Field(description="The folder in which another file can be chosen")
    eval_id: str = Field(description="The name of the case or fixture")
    is_appended: bool = Field(description="Whether the file exists already and gets another case")
    case_json: str = Field(description="The case or fixture, as JSON text")
    left_out: list[str] = Field(description="What is not exported, and why")
    warnings: list[str] = Field(description="What `adk eval` or `adk test` cannot repeat")
    criteria_path: str | None = Field(default=None, description="The test_config.json beside the EvalSet")
    criteria: CriteriaInfo | None = Field(default=None, description="The criteria that it has now, if it has any")
    obstacles: list[str] = Field(description="Why it is refused without `force`")
    previous: ExportRecord | None = Field(description="The last export in this format; another one needs `again`")
    replaceable: ExportRecord | None = Field(
        default=None,
        description="The export that `replace` replaces: of this session, or else of the session that it is a fork of",
    )
