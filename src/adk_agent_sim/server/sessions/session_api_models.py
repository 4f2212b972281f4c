"""The messages of the web API about sessions: lists of them, what waits for a person, and live updates."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field

from adk_agent_sim.server.sessions.pause_api_models import PendingPause
from adk_agent_sim.server.sessions.row_api_models import Row
from adk_agent_sim.server.time_travel.api_models import TimeTravelInfo
from adk_agent_sim.timeline.read_model.interruption import Interruption
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind
from adk_agent_sim.timeline.read_model.session_status import SessionStatus
from adk_agent_sim.timeline.read_model.session_summary import ExportEntry
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.timeline.tool_request_events import ToolAsked
from adk_agent_sim.use_cases.record import Record


class AgentPathInfo(Record):
    """Which of the agents of a run: several run side by side, or inside a tool of another agent."""

    branch: str = Field(description="ADK's branch; empty for agents that see the whole conversation")
    parent_call_id: str = Field(description="The call of the tool that the agent runs in; empty outside tools")


class PendingInfo(Record):
    """A request that is waiting for a person."""

    kind: RequestKind
    request_id: str = Field(description="The turn id of a model turn; otherwise the id of the request")
    agent_name: str
    agent_label: str = Field(description="What lists call the agent: its display name, or its name if it has none")
    agent_path: AgentPathInfo | None = Field(description="None if it is unknown")
    requested_at: float
    tool_name: str = Field(description="The tool that it is about; empty if none")
    claimed_by: str = Field(description="Who is working on it; empty if nobody is")
    claimed_until: float = Field(description="When the claim expires; 0 without a claim")


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


class SessionInfo(Record):
    """What lists show of a session."""

    session_id: str
    has_world: bool = Field(default=False, description="Whether the world that the session runs in can be seen here")
    name: str
    agent_key: str = Field(description="The key of the agent; empty if it runs in another process")
    agent_revision: int | None = Field(
        default=None, description="The revision of the agent's code that the session runs with; None if it is over"
    )
    agent_name: str
    agent_label: str = Field(description="What lists call the agent: its display name, or its name if it has none")
    agent_names: list[str] = Field(description="The agents that called their models")
    created_at: float
    status: SessionStatus
    interruption: Interruption = Field(
        default=Interruption.NONE, description="When the server stopped, if the session is over because of that"
    )
    failure: str = Field(default="", description="Why the last run failed, or why the session cannot be read")
    last_seq: int = Field(description="The seq of the last event that is included here")
    row_count: int = Field(description="The number of rows")
    turn_count: int = Field(description="The number of model turns")
    call_count: int = Field(description="The number of tool calls that ran")
    pending: list[PendingInfo] = Field(description="What is waiting for a person, the next one first")
    running_since: float | None = Field(default=None, description="When the oldest running tool started, else the run")
    last_event_at: float
    exports: list[ExportEntry] = Field(default_factory=list[ExportEntry])


class SessionDetail(SessionInfo):
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


class SessionPage(Record):
    """A page of the list of sessions, newest first."""

    sessions: list[SessionInfo]
    next_cursor: str | None = Field(description="The cursor of the next page; None on the last one")


class QueueItem(Record):
    """A request that is waiting for a person, in any session."""

    session_id: str
    session_name: str
    request: PendingInfo


class QueuePage(Record):
    """A page of the queue, oldest first."""

    items: list[QueueItem]
    next_cursor: str | None = Field(description="The cursor of the next page; None on the last one")
    total: int = Field(description="How many requests are waiting, on all pages")


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

    name: str = Field(min_length=1, max_length=200)


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
    rows: list[Row]


class SessionListUpdate(Record):
    """To the browser: what has changed in the list of sessions since the last update."""

    type: Literal["sessions"] = "sessions"
    revision: int = Field(description="Increases with every change of the list; sent back after a reconnection")
    pending_count: int = Field(description="How many requests are waiting for a person, over all sessions")
    sessions: list[SessionInfo] = Field(description="The sessions that are new or have changed")
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
