"""The messages of the web API about sessions: what waits for a person, how they act, and live updates."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field

from adk_agent_sim.timeline.events import ToolAsked
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.use_cases.record import Record
from adk_agent_sim.use_cases.session_record import SessionRecord
from adk_agent_sim.use_cases.turns import CallInput


class PendingPause(Record):
    """What a paused agent asks the user for."""

    kind: Literal["input", "credential"]
    request_id: str
    agent_name: str = Field(description="The agent or workflow that asks")
    message: str = Field(description="What the user is told; empty if nothing")
    payload: str | None = Field(default=None, description="The data that the request shows the user, as JSON text")
    response_schema: dict[str, Any] | None = Field(
        description="The JSON Schema of the input, or of the credential's fields; None if any input is accepted"
    )
    title: str = Field(default="", description="The auth scheme in words; empty for input")
    auth_uri: str = Field(default="", description="Where a real user would sign in; empty if nowhere")


class PauseAnswerInput(Record):
    """The user's answer. A credential is passed on to the agent, and neither stored nor logged."""

    value: str | None = Field(
        default=None, description="The input, or the fields of the credential, as JSON text; None simulates a sign-in"
    )
    force: bool = Field(default=False, description="Send input although it does not match the schema")


class PendingConfirmation(Record):
    """A call that is waiting for the user's confirmation."""

    question_id: str
    tool_name: str
    arguments: str = Field(description="A JSON object as text, so that numbers keep their digits")
    hint: str
    payload: str | None = Field(
        default=None, description="An example of what the tool expects with an approval, as JSON text"
    )


class PendingToolCall(Record):
    """A call of a tool that a person plays, which is waiting for its response."""

    request_id: str
    tool_name: str
    agent_name: str = Field(description="The agent that made the call")
    description: str = Field(description="What the tool does, in its own words")
    arguments: str = Field(description="A JSON object as text, so that numbers keep their digits")
    response_schema: dict[str, Any] | None = Field(
        description="The JSON Schema of the tool's results; None if it declares none"
    )

    @classmethod
    def from_event(cls, agent_name: str, asked: ToolAsked) -> Self:
        """Return the call that a person was asked about."""
        return cls(
            request_id=asked.request_id,
            tool_name=asked.tool_name,
            agent_name=agent_name,
            description=asked.description,
            arguments=dump_json(dict(asked.arguments)),
            response_schema=asked.response_schema,
        )


class SessionLink(Record):
    """Another session, to be opened."""

    session_id: str
    name: str


class TimeTravelInfo(Record):
    """What of a session was undone, what can be, who plays its models, and which sessions are forks of which."""

    player: str = Field(default="human", description="Who plays the models: `human`, `real`, or a recording's key")
    can_undo: bool = Field(default=False, description="Whether any decision counts that can be undone")
    can_redo: bool = Field(default=False, description="Whether an undo can be redone")
    rewind_problem: str = Field(default="", description="Why nothing can be undone in this session; empty if it can")
    fork_problem: str = Field(default="", description="Why the session cannot be forked; empty if it can")
    player_problem: str = Field(default="", description="Why no player can be chosen in this session; empty if one can")
    undone: list[tuple[int, int]] = Field(
        default_factory=list[tuple[int, int]],
        description="The seqs of the events that no longer count, as ranges: rows made from them are undone",
    )
    forked_from: SessionLink | None = Field(default=None, description="The session that this one is a fork of")
    forks: list[SessionLink] = Field(default_factory=list[SessionLink], description="The forks of this session")


class SessionDetail(SessionRecord):
    """A session, without its rows."""

    confirmation: PendingConfirmation | None = Field(
        default=None, description="The oldest confirmation that is waiting for the user"
    )
    pause: PendingPause | None = Field(
        default=None, description="The oldest request for input or a credential that is waiting for the user"
    )
    answer_problem: str = Field(
        default="", description="Why the confirmation or the request cannot be answered from here; empty if it can"
    )
    has_control: bool = Field(
        default=False, description="Whether the agent runs here, or in a process that takes orders from here"
    )
    time_travel: TimeTravelInfo = Field(default_factory=TimeTravelInfo)


class NewSession(Record):
    """A request to start a session."""

    agent_key: str
    state: str | None = Field(default=None, description="The initial state: a JSON object as text")
    user_id: str | None = Field(default=None, min_length=1, max_length=200, description="The ADK user id")


class StateEdit(Record):
    """A request to set keys of the session state."""

    changes: str = Field(description="The keys with their values: a JSON object as text")


class StateNeeds(Record):
    """What instructions need of the session state."""

    missing_keys: list[str] = Field(description="The keys that the state does not have; a callback may set them")


class SessionPatch(Record):
    """A request to rename a session."""

    name: str


class FollowRequest(Record):
    """From the browser: follow this session from now on; None: only the list of sessions."""

    session_id: str | None
    after_seq: int = 0
    tail: int = Field(default=200, description="How many of the last rows to send at most, when after_seq is 0")
    revision: int = Field(default=0, description="The revision of the list that the browser has; 0 if none")


class SessionUpdate(Record):
    """To the browser: a session, and the rows that are new or have changed since the last update."""

    type: Literal["session"] = "session"
    session: SessionDetail
    rows: list[TimelineRow]


class SessionListUpdate(Record):
    """To the browser: what has changed in the list of sessions since the last update."""

    type: Literal["sessions"] = "sessions"
    revision: int = Field(description="Increases with every change of the list; sent back after a reconnection")
    pending_count: int = Field(description="How many requests are waiting for a person, over all sessions")
    sessions: list[SessionRecord] = Field(description="The sessions that are new or have changed")
    deleted: list[str] = Field(description="The ids of the sessions that were deleted")
    reload: bool = Field(description="More has changed than is listed here: reload what is shown")


class AgentsUpdate(Record):
    """To the browser: an agent was loaded or has changed; the list of agents is to be read again."""

    type: Literal["agents"] = "agents"


class SessionGone(Record):
    """To the browser: the session to follow does not exist."""

    type: Literal["gone"] = "gone"
    session_id: str
    message: str


class FilePart(Record):
    """A file attached to a user message."""

    name: str
    mime_type: str
    data: str = Field(description="The bytes in base64")


class UserMessage(Record):
    """A user message: text, or JSON data for an agent with an input_schema, and files."""

    text: str = ""
    json_text: str | None = Field(default=None, description="JSON text that is checked against the input_schema")
    files: list[FilePart] = Field(default_factory=list[FilePart])
    force: bool = Field(default=False, description="Send it although it does not match the schema")


class DecisionInput(Record):
    """A person's decision as the model: calls with or without text, or a final response."""

    decision_id: str = Field(min_length=8, max_length=100)
    calls: list[CallInput] = Field(default_factory=list[CallInput])
    text: str | None = Field(default=None, description="The final response, or the text that accompanies the calls")
    json_text: str | None = Field(
        default=None, description="The final response as JSON text, if there is an output_schema"
    )
    force: bool = Field(default=False, description="Decide although a tool is not offered or arguments are invalid")


class ConfirmationInput(Record):
    """The user's answer to a confirmation."""

    question_id: str
    approve: bool
    payload: str | None = Field(default=None, description="JSON text, if the tool expects a payload")


class ToolResponseInput(Record):
    """What a person responds as a tool: a result, or an exception."""

    decision_id: str = Field(min_length=8, max_length=100)
    result: str = Field(default="null", description="What the tool returns, as JSON text")
    error_type: str = Field(
        default="",
        max_length=100,
        pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$",
        description="The class name of the exception that the tool raises; empty if it returns",
    )
    error_message: str = Field(default="", max_length=10_000)
    force: bool = Field(default=False, description="Send it although it does not match the tool's output schema")


class CheckInput(Record):
    """A form to check: the arguments of a call, a message, a final response, the result of a tool, or input."""

    target: Literal["call", "message", "answer", "result", "input"]
    tool_name: str = ""
    value: str = Field(description="JSON text")
