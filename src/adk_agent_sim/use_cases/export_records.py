"""What is asked for when a session is exported, and what is answered."""

from __future__ import annotations

from pydantic import Field, model_validator

from adk_agent_sim.errors import InvalidExportOption
from adk_agent_sim.golden.eval_criteria import EvalCriteria
from adk_agent_sim.golden.export_formats import EXPORT_FORMATS, ExportFormat, ExportFormatName
from adk_agent_sim.golden.golden_trace_builder import EvalIdStyle
from adk_agent_sim.timeline.read_model.session_summary import ExportEntry
from adk_agent_sim.use_cases.record import OperationResult, Record


class ExportRequest(Record):
    """A request to export a session, to the file that the agent's config names or to another one."""

    format: ExportFormatName = "evalset"
    path: str | None = Field(
        default=None, max_length=4096, description="Another file; over the web API, in the folder of the exports"
    )
    again: bool = Field(default=False, description="Write a golden trace although the session has one in this format")
    replace: bool = Field(
        default=False,
        description="Replace the file that `path` names, or the session's earlier export, in its place; without one, "
        "that of the session that it is a fork of",
    )
    replaces: str | None = Field(
        default=None, max_length=1000, description="With `evalset`: the id of the case in the file to replace"
    )
    force: bool = Field(default=False, description="Write a fixture although `adk test` cannot replay it")
    finished_only: bool = Field(
        default=False,
        description="Leave out a user turn that has no final response, rather than refusing; a timeline is whole",
    )
    include_rejected: bool = Field(
        default=False,
        description="Include structured responses that the agent's output_schema rejected; reports always do",
    )
    redact: bool | None = Field(
        default=None, description="Remove secrets; null for what the format does by default: reports have none"
    )
    criteria: EvalCriteria | None = Field(
        default=None, description="With `evalset`: criteria for all EvalSets of the folder; null to leave them alone"
    )
    eval_id_style: EvalIdStyle = Field(
        default="iso", description="Whether the id of a case has colons, or can be selected as `adk eval file:id`"
    )

    @property
    def table_entry(self) -> ExportFormat:
        """What the table of formats says of the format."""
        return EXPORT_FORMATS[self.format]

    @property
    def is_redacted(self) -> bool:
        """Whether secrets are removed."""
        return self.table_entry.is_redacted_by_default if self.redact is None else self.redact

    @model_validator(mode="after")
    def _check_format(self) -> ExportRequest:
        """Raise InvalidExportOption for an option that the format does not have."""
        if self.is_redacted and not self.table_entry.is_redactable:
            others = ", ".join(name for name, each in EXPORT_FORMATS.items() if each.is_redactable)
            raise InvalidExportOption(
                f"`redact` does not work with the format {self.format}, whose values must stay exact. Use {others}."
            )
        if self.format != "evalset" and (self.criteria or self.replaces):
            option = "`criteria`" if self.criteria else "`replaces`"
            raise InvalidExportOption(f"{option} does not work with the format {self.format}: choose evalset.")
        return self


class CriteriaInfo(EvalCriteria, Record):
    """The criteria that a test_config.json has."""


class WrittenExport(Record):
    """An export that another process has written."""

    format: ExportFormatName
    path: str = Field(max_length=4096)
    eval_id: str = Field(max_length=1000)
    exported_at: float


class EvalCaseKeys(Record):
    """Where the eval pages show a case."""

    file_key: str
    case_key: str


class ExportResult(OperationResult):
    """An export that was written."""

    format: ExportFormatName
    path: str
    eval_id: str = Field(description="The id of the case, or the name of the file")
    exported_at: float
    text: str = Field(description="The case, fixture or report that was written; empty for a timeline")
    command: str = Field(default="", description="The command that runs `adk eval` or `adk test` on it; empty if none")
    criteria_path: str | None = Field(default=None, description="The test_config.json that was written")
    eval_case: EvalCaseKeys | None = Field(
        default=None, description="With `evalset`: the case on the eval pages of this server, if it has them"
    )
    left_out: list[str] = Field(default_factory=list[str], description="What is not exported, and why")
    warnings: list[str] = Field(
        default_factory=list[str], description="What `adk eval` or `adk test` cannot repeat, and what else to know"
    )


class ExportPreview(Record):
    """What an export would write. Nothing is written by asking for it."""

    path: str = Field(description="The file")
    folder: str = Field(description="The folder in which another file can be chosen")
    eval_id: str = Field(description="The id of the case, or the name of the file")
    is_appended: bool = Field(description="Whether the file exists already and gets another case")
    is_redacted: bool = Field(description="Whether secrets are removed")
    text: str = Field(description="The case, fixture or report; empty for a timeline, which may be long")
    left_out: list[str] = Field(description="What is not exported, and why")
    warnings: list[str] = Field(description="What `adk eval` or `adk test` cannot repeat")
    criteria_path: str | None = Field(default=None, description="The test_config.json beside the EvalSet")
    criteria: CriteriaInfo | None = Field(default=None, description="The criteria that it has now, if it has any")
    obstacles: list[str] = Field(description="Why it is refused without `force`")
    previous: ExportEntry | None = Field(description="The last export in this format; another one needs `again`")
    replaceable: ExportEntry | None = Field(
        default=None,
        description="The export that `replace` replaces: of this session, or else of the session that it is a fork of",
    )
