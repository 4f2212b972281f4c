"""The messages of the web API, except those about scenarios. The browser's TypeScript types are generated from them.

A session is shown as rows. A row is one fact that people care about: a call and its result are one row, which changes
while the call runs. Rows are never removed or reordered, so a row's `index` is its identity. `updated_seq` is the `seq`
of the timeline event that last changed a row: a browser that has everything up to a seq asks for the changes after it.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from adk_agent_sim.golden.export_formats import ExportFormatName
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind
from adk_agent_sim.timeline.read_model.session_status import SessionStatus
from adk_agent_sim.timeline.read_model.timeline_row import RowKind, RowStatus, TimelineRow


class ApiModel(BaseModel):
    """Base class of all messages; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


class ToolInfo(ApiModel):
    """A tool as it is offered to the model."""

    name: str
    description: str
    parameters: dict[str, Any] = Field(description="The schema of the arguments, normalised to JSON Schema")
    response_schema: dict[str, Any] | None = Field(default=None, description="The schema of the result, if declared")
    asks_for_consent: bool = Field(
        default=False, description="Whether a call may ask the user for consent; False if that is not known"
    )


class InstructionPart(ApiModel):
    """A part of an instruction."""

    text: str
    is_from_adk: bool = Field(description="Whether ADK added it, rather than the agent's author")


class AgentInfo(ApiModel):
    """An agent that can be played."""

    key: str = Field(description="Identifies the agent in the API")
    name: str = Field(description="The display name")
    description: str
    model: str = Field(description="The agent's own model; empty if it has none")
    tools: list[str]
    sub_agents: list[str] = Field(description="The names of its sub-agents")
    eval_set_path: str
    eval_case_count: int | None = Field(description="The number of cases in the EvalSet; None if it does not exist yet")
    eval_set_problem: str = Field(default="", description="Why the EvalSet file cannot be appended to; empty if it can")
    problem: str = Field(default="", description="Why its tools did not load; empty if they did")


class Briefing(ApiModel):
    """The agent's instruction, tools and schemas, in a turn or before the first one."""

    agent_name: str
    instruction: str
    instruction_parts: list[InstructionPart] = Field(
        default_factory=list[InstructionPart], description="The instruction, divided by who wrote it"
    )
    is_template: bool = Field(
        default=False, description="Whether the instruction has variables that are filled when the agent runs"
    )
    tools: list[ToolInfo]
    input_schema: dict[str, Any] | None = Field(description="The schema of a user message; None: any text")
    output_schema: dict[str, Any] | None = Field(description="The schema of a final response; None: any text")
    model: str = Field(description="The agent's own model; empty if there is none that can be asked here")
    problem: str = Field(default="", description="Why the tools did not load; empty if they did")


class RequestInfo(ApiModel):
    """The exact request of a turn, as the model would receive it."""

    request: dict[str, Any]
    character_count: int
    token_estimate: int = Field(description="A rough estimate: a quarter of the characters")


class AgentPathInfo(ApiModel):
    """Which of the agents of a run: several run side by side, or inside a tool of another agent."""

    branch: str = Field(description="ADK's branch; empty for agents that see the whole conversation")
    parent_call_id: str = Field(description="The call of the tool that the agent runs in; empty outside tools")


class PendingInfo(ApiModel):
    """A request that is waiting for a person."""

    kind: RequestKind
    request_id: str = Field(description="The turn id of a model turn; otherwise the id of ADK's request")
    agent_name: str
    agent_label: str = Field(description="What lists call the agent: its display name, or its name if it has none")
    agent_path: AgentPathInfo | None = Field(description="None if it is unknown")
    requested_at: float
    tool_name: str = Field(description="The tool that it is about; empty if none")
    claimed_by: str = Field(description="Who is working on it; empty if nobody is")
    claimed_until: float = Field(description="When the claim expires; 0 without a claim")


class PendingConfirmation(ApiModel):
    """A call that is waiting for the user's confirmation."""

    question_id: str
    tool_name: str
    arguments: str = Field(description="A JSON object as text, so that numbers keep their digits")
    hint: str
    payload: str | None = Field(
        default=None, description="An example of what the tool expects with an approval, as JSON text"
    )


class ExportFormatInfo(ApiModel):
    """A format that the server can export a session to."""

    name: ExportFormatName
    label: str = Field(description="What a person reads in a list of formats")
    extension: str = Field(description="How the names of its files end")
    requirement: str = Field(description="What a session needs before it can be exported; empty if nothing")
    is_redactable: bool = Field(description="Whether secrets can be removed on request")


class ExportRecord(ApiModel):
    """An export that was written."""

    format: ExportFormatName
    path: str
    eval_id: str
    exported_at: float


class SessionInfo(ApiModel):
    """What lists show of a session."""

    session_id: str
    name: str
    agent_key: str = Field(description="The key of the agent; empty if it runs in another process")
    agent_name: str
    agent_label: str = Field(description="What lists call the agent: its display name, or its name if it has none")
    agent_names: list[str] = Field(description="The agents that called their models")
    created_at: float
    status: SessionStatus
    failure: str = Field(default="", description="Why the last run failed, or why the session cannot be read")
    last_seq: int = Field(description="The seq of the last event that is included here")
    row_count: int = Field(description="The number of rows")
    turn_count: int = Field(description="The number of model turns")
    call_count: int = Field(description="The number of tool calls that ran")
    pending: list[PendingInfo] = Field(description="What is waiting for a person, the next one first")
    running_since: float | None = Field(default=None, description="When the oldest running tool started, else the run")
    last_event_at: float
    exports: list[ExportRecord] = Field(default_factory=list[ExportRecord])


class SessionDetail(SessionInfo):
    """A session, without its rows."""

    confirmation: PendingConfirmation | None = Field(
        default=None, description="The oldest confirmation that is waiting for the user"
    )


class SessionPage(ApiModel):
    """A page of the list of sessions, newest first."""

    sessions: list[SessionInfo]
    next_cursor: str | None = Field(description="The cursor of the next page; None on the last one")


class QueueItem(ApiModel):
    """A request that is waiting for a person, in any session."""

    session_id: str
    session_name: str
    request: PendingInfo


class QueuePage(ApiModel):
    """A page of the queue, oldest first."""

    items: list[QueueItem]
    next_cursor: str | None = Field(description="The cursor of the next page; None on the last one")
    total: int = Field(description="How many requests are waiting, on all pages")


class Row(ApiModel):
    """One line of the timeline; its details are requested when it is opened."""

    index: int
    seq: int
    updated_seq: int
    kind: RowKind
    status: RowStatus
    timestamp: float = Field(description="In seconds since 1970")
    agent_name: str
    player: str = Field(description="real, human, recorded or simulated; empty for rows that no player produced")
    subject: str = Field(description="The tool or file; empty for other rows")
    summary: str = Field(description="One line: the arguments, or the text; cut at 300 characters")
    result: str = Field(default="", description="One line: the result; cut at 300 characters")
    duration_ms: float | None = None
    call_id: str = Field(default="", description="The id of the call, by which it can be cancelled while it runs")
    rule: str = Field(default="", description="The rule of the simulated environment that answered instead of the tool")
    is_unknown_tool: bool = Field(
        default=False, description="Whether the agent has no tool of that name: the model made it up"
    )
    anyway: bool = Field(default=False, description="Whether the call was sent although it does not match the request")
    branch: str = Field(default="", description="ADK's branch; empty for agents that see the whole conversation")
    parent_call_id: str = Field(
        default="", description="The call of the tool that the agent runs in; empty outside tools"
    )


def to_api_row(row: TimelineRow) -> Row:
    """Returns a row of the read model as it is sent to the browser."""
    return Row(**{name: getattr(row, name) for name in Row.model_fields})


class DisplayValue(ApiModel):
    """A value of a row. Of more than 20 KB only the beginning is sent, unless the full value is requested."""

    label: str
    format: Literal["json", "text", "markdown", "traceback"]
    text: str = Field(description="For json, JSON text, so that numbers keep their digits")
    size: int = Field(description="The length of the full text, in characters")
    is_complete: bool


class MediaFile(ApiModel):
    """An image or file of a row."""

    name: str
    mime_type: str
    size: int
    url: str = Field(description="The address of its bytes; images can be shown, other files are downloaded")
    is_image: bool


class RowDetail(ApiModel):
    """The details of a row."""

    index: int
    values: list[DisplayValue]
    media: list[MediaFile]


class NewSession(ApiModel):
    """A request to start a session."""

    agent_key: str


class SessionPatch(ApiModel):
    """A request to rename a session."""

    name: str = Field(min_length=1, max_length=200)


class FilePart(ApiModel):
    """A file attached to a user message."""

    name: str
    mime_type: str
    data: str = Field(description="The bytes in base64")


class UserMessage(ApiModel):
    """A user message: text, or JSON data for an agent with an input_schema, and files."""

    text: str = ""
    data: str | None = Field(default=None, description="JSON text that is checked against the input_schema")
    files: list[FilePart] = Field(default_factory=list[FilePart])
    anyway: bool = Field(default=False, description="Send it although it does not match the schema")


class CallInput(ApiModel):
    """One call of a tool."""

    name: str
    arguments: str = Field(description="A JSON object as text, so that 5 and 5.0 stay different")


class DecisionInput(ApiModel):
    """A person's decision as the model: calls with or without text, or a final response."""

    decision_id: str = Field(min_length=8, max_length=100)
    calls: list[CallInput] = Field(default_factory=list[CallInput])
    text: str | None = Field(default=None, description="The final response, or the text that accompanies the calls")
    data: str | None = Field(default=None, description="The final response as JSON text, if there is an output_schema")
    anyway: bool = Field(default=False, description="Decide although a tool is not offered or arguments are invalid")


class Suggestion(ApiModel):
    """What the agent's own model would decide; the turn keeps waiting."""

    calls: list[CallInput]
    text: str


class ConsentInput(ApiModel):
    """The user's answer to a confirmation."""

    question_id: str
    approve: bool
    payload: str | None = Field(default=None, description="JSON text, if the tool expects a payload")


class CheckInput(ApiModel):
    """A form to check: the arguments of a call, a user message, or a final response."""

    target: Literal["call", "message", "answer"]
    tool_name: str = ""
    value: str = Field(description="JSON text")


class FieldProblem(ApiModel):
    """A place where a value is invalid, and what is expected there."""

    path: str = Field(description="The field, such as `items[0].quantity`; empty for the whole value")
    message: str
    call_index: int | None = Field(default=None, description="The index of the call, if there are several")


class RuleInfo(ApiModel):
    """A rule of the simulated environment."""

    name: str
    tools: list[str]
    conditions: list[str] = Field(description="Descriptions of what a call must meet besides the tool's name")
    actions: list[str] = Field(description="Descriptions of what it does")
    effects: list[str] = Field(description="What it does in the format of rules files, each action as JSON text")
    enabled: bool
    tried_count: int = Field(description="How many calls it was compared with")
    fired_count: int = Field(description="How many calls it answered")


class FaultInfo(ApiModel):
    """A fault that is pending for the next call of a tool."""

    fault_id: str
    tool_name: str
    action: str = Field(description="The action in the format of rules files, as JSON text")
    description: str = Field(description="What happens to the call")


class EnvironmentInfo(ApiModel):
    """The simulated environment of a session, which can answer tool calls instead of the tools."""

    rules: list[RuleInfo]
    pending_faults: dict[str, int] = Field(description="How many faults are pending for the next calls, by tool")
    faults: list[FaultInfo] = Field(description="The faults that are pending, in the order in which they are used")
    exceptions: list[str] = Field(description="The exceptions that a fault can raise")


class RuleSwitchInput(ApiModel):
    """A request to switch a rule on or off, for this session and from the next call on."""

    rule: str
    enabled: bool


class FaultInput(ApiModel):
    """A request to inject a fault into the next call of a tool."""

    tool_name: str = Field(min_length=1, max_length=200)
    action: str = Field(description="An action in the format of rules files, as JSON text")


class ExportInput(ApiModel):
    """A request to export the session, to the file that the agent's config names or to another one in its folder."""

    format: ExportFormatName = "evalset"
    path: str | None = Field(
        default=None, max_length=4096, description="Another file in the folder of the agent's exports"
    )
    again: bool = Field(default=False, description="Export it although it was exported before")
    anyway: bool = Field(default=False, description="Export it although `adk test` cannot replay it")
    include_rejected: bool = Field(
        default=False, description="Include structured responses that the agent's output_schema rejected"
    )


class ExportResult(ApiModel):
    """The result of an export."""

    record: ExportRecord
    case_json: str = Field(description="The case or fixture that was written, as JSON text")
    command: str = Field(description="The command that runs `adk eval` or `adk test` on it")
    notes: list[str] = Field(description="What is left out and all warnings, together")
    left_out: list[str] = Field(default_factory=list[str], description="What is not exported, and why")
    warnings: list[str] = Field(default_factory=list[str], description="What `adk eval` or `adk test` cannot repeat")


class ExportPreview(ApiModel):
    """What an export would write. Nothing is written by asking for it."""

    path: str = Field(description="The file")
    folder: str = Field(description="The folder in which another file can be chosen")
    eval_id: str = Field(description="The name of the case or fixture")
    is_appended: bool = Field(description="Whether the file exists already and gets another case")
    case_json: str = Field(description="The case or fixture, as JSON text")
    left_out: list[str] = Field(description="What is not exported, and why")
    warnings: list[str] = Field(description="What `adk eval` or `adk test` cannot repeat")
    obstacles: list[str] = Field(description="Why it is refused without `anyway`")
    previous: ExportRecord | None = Field(description="The last export in this format; another one needs `again`")


class ErrorBody(ApiModel):
    """The body of every 4xx and 5xx response."""

    error: str = Field(description="The class of the error, such as `TurnAlreadyDecided`")
    message: str = Field(description="What happened and what to do")
    problems: list[FieldProblem] = Field(default_factory=list[FieldProblem])
    can_override: bool = Field(default=False, description="Whether `anyway` or `again` in the request overrides it")


class FollowRequest(ApiModel):
    """From the browser: follow this session from now on; None: only the list of sessions."""

    session_id: str | None
    after_seq: int = 0
    tail: int = Field(default=200, description="How many of the last rows to send at most, when after_seq is 0")
    revision: int = Field(default=0, description="The revision of the list that the browser has; 0 if none")


class SessionUpdate(ApiModel):
    """To the browser: a session, and the rows that are new or have changed since the last update."""

    type: Literal["session"] = "session"
    session: SessionDetail
    rows: list[Row]


class SessionListUpdate(ApiModel):
    """To the browser: what has changed in the list of sessions since the last update."""

    type: Literal["sessions"] = "sessions"
    revision: int = Field(description="Increases with every change of the list; sent back after a reconnection")
    pending_count: int = Field(description="How many requests are waiting for a person, over all sessions")
    sessions: list[SessionInfo] = Field(description="The sessions that are new or have changed")
    deleted: list[str] = Field(description="The ids of the sessions that were deleted")
    reload: bool = Field(description="More has changed than is listed here: reload what is shown")


class SessionGone(ApiModel):
    """To the browser: the session to follow does not exist."""

    type: Literal["gone"] = "gone"
    session_id: str
    message: str


class ServerInfo(ApiModel):
    """What a page loads first."""

    version: str
    server_id: str = Field(description="Identifies the set of sessions: a new one has other sessions")
    agents: list[AgentInfo]
    export_formats: list[ExportFormatInfo] = Field(description="What a session can be exported to, in display order")
    is_persistent: bool = Field(description="Whether sessions are stored in a database")
    scenario_count: int = Field(default=0, description="The number of scenarios on this server")
