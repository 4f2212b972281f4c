"""What the browser and the server say to each other. The browser's TypeScript types are made from these.

A session is shown as rows. A row is one fact that people care about: a call and its result are one row, which changes
while the call runs. Rows are never removed and never change their place, so a row's `index` is its identity. `updated`
is the `seq` of the timeline at which a row last changed: a browser that has seen everything up to a seq asks for what
changed after it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from adk_agent_sim.golden.export_formats import ExportFormatName


class ApiModel(BaseModel):
    """A message of the API: what is not declared is refused."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


class ToolInfo(ApiModel):
    """A tool as the model is offered it."""

    name: str
    description: str
    parameters: dict[str, Any] = Field(description="The arguments, as one normalised JSON Schema")
    response_schema: dict[str, Any] | None = Field(default=None, description="The result, if the tool declares it")


class AgentInfo(ApiModel):
    """An agent that can be played."""

    key: str = Field(description="What the API calls it")
    name: str = Field(description="What people read")
    description: str
    model: str = Field(description="The agent's own model; empty if it has none")
    tools: list[str]
    sub_agents: list[str] = Field(description="The names of its sub-agents")
    eval_set_path: str
    eval_case_count: int | None = Field(description="How many cases the EvalSet holds; None if there is no file yet")
    eval_set_problem: str = Field(default="", description="Why the EvalSet file cannot be appended to")
    problem: str = Field(default="", description="Why its tools did not load")


class Briefing(ApiModel):
    """What the agent is told and may do: of the turn that waits, or before the first turn."""

    agent_name: str
    instruction: str
    tools: list[ToolInfo]
    input_schema: dict[str, Any] | None = Field(description="What a user message must be; None: any text")
    output_schema: dict[str, Any] | None = Field(description="What a final response must be; None: any text")
    model: str = Field(description="The agent's own model; empty if it has none that could be asked")
    problem: str = Field(default="", description="Why the tools did not load")


class RequestInfo(ApiModel):
    """The exact request of a turn, as the model would get it."""

    request: dict[str, Any]
    character_count: int
    token_estimate: int = Field(description="An estimate: a quarter of the characters")


class DisplayStatus(StrEnum):
    """Where a session stands, for a person."""

    QUERY = "query"
    """A user message is waited for; nothing has been said yet."""
    YOUR_TURN = "your_turn"
    """A turn of the model waits for a person."""
    CONFIRM = "confirm"
    """A call waits for the user's consent."""
    RUNNING = "running"
    DONE = "done"
    """The agent has answered; a further message goes on."""
    FAILED = "failed"
    """The last run ended with an error; a further message goes on."""
    STOPPED = "stopped"
    """A person stopped the last run; a further message goes on."""
    ABANDONED = "abandoned"
    """The agent's process went away while a turn of it waited; if it comes back, the session goes on."""
    CLOSED = "closed"
    """Nothing can be added."""


class PendingTurn(ApiModel):
    """A turn that waits for a person."""

    turn_id: str
    agent_name: str
    asked_at: float


class PendingConfirmation(ApiModel):
    """A call that waits for the user's consent."""

    question_id: str
    tool_name: str
    arguments: str = Field(description="A JSON object as text: numbers keep their digits")
    hint: str
    payload: str | None = Field(
        default=None, description="What the tool wants to be told with the consent, as an example in JSON text"
    )


class ExportFormatInfo(ApiModel):
    """A format that the server can export a session to."""

    name: ExportFormatName
    label: str = Field(description="What a person reads in a list of formats")
    extension: str = Field(description="How the names of its files end")
    requirement: str = Field(description="What a session needs before it can be exported; empty if nothing")
    is_redactable: bool = Field(description="Whether secrets can be removed on request")


class ExportRecord(ApiModel):
    """A golden trace that was written."""

    format: ExportFormatName
    path: str
    eval_id: str
    exported_at: float


class SessionInfo(ApiModel):
    """A session, without its rows."""

    session_id: str
    name: str
    agent_key: str = Field(description="The key of the agent; empty for one that runs elsewhere")
    agent_name: str
    created_at: float
    status: DisplayStatus
    failure: str = ""
    last_seq: int = Field(description="The last event that is told of here")
    row_count: int = Field(description="How many rows there are")
    pending_turns: list[PendingTurn] = Field(description="Turns that wait for a person, the one to decide first")
    confirmation: PendingConfirmation | None = None
    running_since: float | None = Field(default=None, description="When what runs now began")
    last_event_at: float
    exports: list[ExportRecord] = Field(default_factory=list[ExportRecord])


class RowKind(StrEnum):
    """What a row is about."""

    USER = "user"
    CALL = "call"
    SAY = "say"
    """Text beside calls, or a thought."""
    ANSWER = "answer"
    ARTIFACT = "artifact"
    CONSENT = "consent"
    ERROR = "error"
    NOTE = "note"


class RowStatus(StrEnum):
    """How far a row is; most are done when they appear."""

    CONFIRM = "confirm"
    """A call that waits for consent."""
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    DENIED = "denied"
    """A call that the user did not consent to."""


class Row(ApiModel):
    """One line of the timeline; what stands behind it is asked for when it is opened."""

    index: int
    seq: int
    updated_seq: int
    kind: RowKind
    status: RowStatus
    timestamp: float = Field(description="When, in seconds since 1970")
    agent_name: str
    player: str = Field(description="real, human, recorded or simulated; empty where no seat was played")
    subject: str = Field(description="The tool, the file, or nothing")
    summary: str = Field(description="One line: the arguments, or the text; cut at 300 characters")
    result: str = Field(default="", description="One line: what came back; cut at 300 characters")
    duration_ms: float | None = None
    call_id: str = Field(default="", description="The call, which can be cancelled while it runs")
    rule: str = Field(default="", description="The rule that answered instead of the tool")


class DisplayValue(ApiModel):
    """A value behind a row. Over 20 KB only its beginning is sent, unless all of it is asked for."""

    label: str
    format: Literal["json", "text", "markdown", "traceback"]
    text: str = Field(description="JSON text for json: numbers keep their digits")
    size: int = Field(description="How long the whole text is, in characters")
    is_complete: bool


class MediaFile(ApiModel):
    """An image or a file behind a row."""

    name: str
    mime_type: str
    size: int
    url: str = Field(description="Where its bytes are; images can be shown, others are saved")
    is_image: bool


class RowDetail(ApiModel):
    """Everything behind a row."""

    index: int
    values: list[DisplayValue]
    media: list[MediaFile]


class NewSession(ApiModel):
    """Starts a session of an agent."""

    agent_key: str


class SessionPatch(ApiModel):
    """Renames a session."""

    name: str = Field(min_length=1, max_length=200)


class FilePart(ApiModel):
    """A file that goes with a user message."""

    name: str
    mime_type: str
    data: str = Field(description="The bytes, base64")


class UserMessage(ApiModel):
    """What the user says: text, or data for an agent with an input_schema as JSON text; and files."""

    text: str = ""
    data: str | None = Field(default=None, description="JSON text, checked against the input_schema")
    files: list[FilePart] = Field(default_factory=list[FilePart])
    anyway: bool = Field(default=False, description="Send it although it does not fit")


class CallInput(ApiModel):
    """One call of a tool."""

    name: str
    arguments: str = Field(description="A JSON object as text: 5 stays 5 and 5.0 stays 5.0")


class DecisionInput(ApiModel):
    """What the person decides as the model: calls, with or without a text, or an answer."""

    decision_id: str = Field(min_length=8, max_length=100)
    calls: list[CallInput] = Field(default_factory=list[CallInput])
    text: str | None = Field(default=None, description="The final response; beside calls, what is said with them")
    data: str | None = Field(default=None, description="The final response as JSON text, for an output_schema")
    anyway: bool = False


class Suggestion(ApiModel):
    """What the agent's own model would decide; nothing happens by it."""

    calls: list[CallInput]
    text: str


class ConsentInput(ApiModel):
    """The user's answer to a confirmation."""

    question_id: str
    approve: bool
    payload: str | None = Field(default=None, description="JSON text that the tool asked for")


class CheckInput(ApiModel):
    """A form as it stands: a call's arguments, a message, or an answer."""

    target: Literal["call", "message", "answer"]
    tool_name: str = ""
    value: str = Field(description="JSON text")


class FieldProblem(ApiModel):
    """Where a value does not fit, and what would."""

    path: str = Field(description="The field, as `items[0].quantity`; empty for the value as a whole")
    message: str
    call_index: int | None = Field(default=None, description="Which of several calls")


class RuleInfo(ApiModel):
    """A rule of the simulated environment."""

    name: str
    tools: list[str]
    actions: list[str] = Field(description="What it does, in words")
    enabled: bool
    tried_count: int = Field(description="How many calls it was compared with")
    fired_count: int = Field(description="How many calls it answered")


class EnvironmentInfo(ApiModel):
    """What answers the session's tool calls instead of the tools."""

    rules: list[RuleInfo]
    pending_faults: dict[str, int] = Field(description="How many faults wait for the next calls, by tool")


class RuleSwitchInput(ApiModel):
    """Switches a rule on or off, for this session, from the next call on."""

    rule: str
    enabled: bool


class FaultInput(ApiModel):
    """Lets the next call of a tool meet a fault."""

    tool_name: str = Field(min_length=1, max_length=200)
    action: str = Field(description="An action as rules files write it, JSON text")


class ExportInput(ApiModel):
    """Writes the session as a golden trace, where the agent's config says."""

    format: ExportFormatName = "evalset"
    again: bool = Field(default=False, description="Although it was exported before")
    anyway: bool = Field(default=False, description="Although `adk test` could not repeat it")


class ExportResult(ApiModel):
    """What was written."""

    record: ExportRecord
    case_json: str = Field(description="The case as it stands in the file, JSON text")
    command: str = Field(description="What runs `adk eval` or `adk test` on it")
    notes: list[str]


class ErrorBody(ApiModel):
    """Why something was not done; the body of every 4xx and 5xx answer."""

    error: str = Field(description="The kind, as `TurnAlreadyDecided`")
    message: str = Field(description="What happened, and what to do")
    problems: list[FieldProblem] = Field(default_factory=list[FieldProblem])
    can_override: bool = Field(default=False, description="Whether `anyway` or `again` would do it all the same")


class FollowRequest(ApiModel):
    """From the browser: tell me of this session from here on; `None` follows no session, only the list."""

    session_id: str | None
    after_seq: int = 0
    tail: int = Field(default=200, description="At most so many of the last rows, when after_seq is 0")


class SessionUpdate(ApiModel):
    """To the browser: a session, and its rows that are new or changed since it was last told."""

    type: Literal["session"] = "session"
    session: SessionInfo
    rows: list[Row]


class SessionListUpdate(ApiModel):
    """To the browser: the sessions changed; ask for the list again if it is on the screen."""

    type: Literal["sessions"] = "sessions"
    your_turn_count: int = Field(description="How many turns wait for a person, in all sessions")


class SessionGone(ApiModel):
    """To the browser: the session that was to be followed is not there."""

    type: Literal["gone"] = "gone"
    session_id: str
    message: str


class ServerInfo(ApiModel):
    """What the page needs to know first."""

    version: str
    server_id: str = Field(description="Changes when the sessions are others")
    agents: list[AgentInfo]
    export_formats: list[ExportFormatInfo] = Field(description="What a session can be exported to, in display order")
    is_persistent: bool = Field(description="Whether sessions survive the end of the process")
    scenario_count: int = Field(default=0, description="How many scenarios can be looked at")
