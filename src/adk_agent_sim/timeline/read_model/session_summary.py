"""The summary of a session: what lists, the queue, headers and the CLI show; `session_read_model` folds it. Its status
is one enumeration for Python, the protocol, the database, the web API and the CLI.

A `SessionSummary` is immutable: `fold_event` returns the next one. A timeline therefore knows the summary after an
event before it commits, and stores both in one transaction, so that showing sessions never reads a log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import ClassVar, Final, NamedTuple, TypeAlias

from adk_agent_sim.timeline.events import (
    SCHEMA_OPTIONS,
    RunOutcome,
    Session,
)
from adk_agent_sim.timeline.read_model.pending_requests import (
    PendingRequest,
)
from adk_agent_sim.timeline.undone_events import LogSegment


class SessionStatus(StrEnum):
    """The status of a session."""

    NEW = "new"
    """No user message was sent yet."""

    WAITING = "waiting"
    """A request waits for a person; the pending requests say for what."""

    RUNNING = "running"
    """The agent is running."""

    DONE = "done"
    """The last run ended with a response; another message continues the session."""

    FAILED = "failed"
    """The last run failed; another message continues the session."""

    STOPPED = "stopped"
    """A person stopped the last run; another message continues the session."""

    ABANDONED = "abandoned"
    """The agent's process disappeared while one of its turns was pending; if it reconnects, the session continues."""

    INTERRUPTED = "interrupted"
    """The process that ran the agent ended while the agent ran or waited; a fork continues the session."""

    CLOSED = "closed"
    """The session was closed, or its process has ended: it can only be read and exported."""

    CANCELLED = "cancelled"
    """The session was closed as cancelled: it can only be read and exported."""

    BROKEN = "broken"
    """What is stored of the session cannot be read."""


class ProtocolStatus(StrEnum):
    """The status of a session in the first protocol, and in the column `status` of the database."""

    ACTIVE = "active"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


class SessionState(Enum):
    """The state of a session as the wizard's specification names it."""

    SELECTING_AGENT = "selecting_agent"
    """Before there is a session."""

    AWAITING_QUERY = "awaiting_query"
    ACTIVE = "active"
    COMPLETED = "completed"


class StatusProjection(NamedTuple):
    """What a status is called elsewhere."""

    number: int
    """The number in the protocol's `SessionStatus`; those below 20 are fixed."""

    protocol: ProtocolStatus
    """What clients of the first protocol get."""

    state: SessionState
    """The state of the wizard's specification."""


STATUS_PROJECTIONS: Final[Mapping[SessionStatus, StatusProjection]] = MappingProxyType(
    {
        SessionStatus.NEW: StatusProjection(20, ProtocolStatus.ACTIVE, SessionState.AWAITING_QUERY),
        SessionStatus.WAITING: StatusProjection(21, ProtocolStatus.ACTIVE, SessionState.ACTIVE),
        SessionStatus.RUNNING: StatusProjection(22, ProtocolStatus.ACTIVE, SessionState.ACTIVE),
        SessionStatus.DONE: StatusProjection(23, ProtocolStatus.ACTIVE, SessionState.COMPLETED),
        SessionStatus.FAILED: StatusProjection(24, ProtocolStatus.ACTIVE, SessionState.ACTIVE),
        SessionStatus.STOPPED: StatusProjection(25, ProtocolStatus.ACTIVE, SessionState.ACTIVE),
        SessionStatus.ABANDONED: StatusProjection(26, ProtocolStatus.ACTIVE, SessionState.ACTIVE),
        SessionStatus.INTERRUPTED: StatusProjection(29, ProtocolStatus.COMPLETED, SessionState.COMPLETED),
        SessionStatus.CLOSED: StatusProjection(27, ProtocolStatus.COMPLETED, SessionState.COMPLETED),
        SessionStatus.CANCELLED: StatusProjection(3, ProtocolStatus.CANCELLED, SessionState.COMPLETED),
        SessionStatus.BROKEN: StatusProjection(28, ProtocolStatus.ACTIVE, SessionState.ACTIVE),
    }
)
"""Every status with its projections."""


UNNAMED = "Unnamed session"
SessionCursor: TypeAlias = tuple[int, str]
"""The sort key of sessions: creation time in milliseconds, then id."""

QueueCursor: TypeAlias = tuple[int, str, int]
"""The sort key of pending requests: the time of the request in milliseconds, the session's id, the position in it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportEntry:
    """A golden trace that was written of a session."""

    __pydantic_config__: ClassVar[Mapping[str, bool]] = SCHEMA_OPTIONS

    format: str
    path: str
    eval_id: str
    exported_at: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionSummary:
    """A session with everything that follows from its log and is shown without opening it."""

    session: Session
    given_name: str = ""
    """The name that a person gave the session; empty if none did."""

    title: str = ""
    """The beginning of the first user message."""

    app_name: str = ""
    """The ADK app that joined; empty if the agent reports only its turns."""

    has_joined: bool = False
    """Whether an ADK app joined, which reports the end of its runs."""

    agent_names: Sequence[str] = ()
    """The agents that called their models, in the order of their first call."""

    pending: Mapping[str, PendingRequest] = field(default_factory=dict[str, PendingRequest])
    """The requests that wait for a person by id, oldest first."""

    delegated: Mapping[str, str] = field(default_factory=dict[str, str])
    """The invocations of model turns that wait for another player, such as the agent's own model, by turn id."""

    running_calls: Mapping[str, float] = field(default_factory=dict[str, float])
    """When the tool calls that are running started, by call id."""

    client_id: str | None = None
    """The process of the agent that last asked a person, as in `TurnAsked`; None if no agent asked one."""

    busy_since: float | None = None
    """When the agent began to run; None if it does not run."""

    has_started: bool = False
    """Whether the agent was sent a message, or has called its model."""

    is_abandoned: bool = False
    """Whether the agent's process went away, and has not come back."""

    outcome: RunOutcome | None = None
    """How the last run ended; None before and while one runs."""

    failure: str = ""
    """Why the last run failed, or why the session cannot be read."""

    is_closed: bool = False
    """Whether the session takes no more events except notes and verdicts."""

    is_cancelled: bool = False
    """Whether it was closed as cancelled."""

    is_interrupted: bool = False
    """Whether the server that ran the agent stopped while the agent ran or waited."""

    closing_reason: str = ""
    """Why it was closed, for people; empty before that."""

    is_broken: bool = False
    """Whether what is stored of the session cannot be read."""

    last_turn_id: str = ""
    """The newest model turn."""

    turn_count: int = 0
    call_count: int = 0
    row_count: int = 0
    last_seq: int = 0
    """The number of events."""

    last_event_at: float = 0.0
    """The time of the last event, but not before the creation, in seconds since the Unix epoch."""

    exports: Sequence[ExportEntry] = ()

    segments: Sequence[LogSegment] = ()
    """The parts of a log that was rewound, and the first decision; empty before that."""

    redoable_count: int = 0
    """How many undos can be redone."""

    first_message_seq: int = 0
    """The first user message; 0 before it."""

    forked_from: str = ""
    """The session that this one is a fork of; empty if it is none."""

    forks: Sequence[str] = ()
    """The forks of this session, oldest first; some may be deleted."""

    @property
    def status(self) -> SessionStatus:
        """The status; the first that applies wins."""
        if self.is_broken:
            return SessionStatus.BROKEN
        if self.is_closed:
            if self.is_interrupted:
                return SessionStatus.INTERRUPTED
            return SessionStatus.CANCELLED if self.is_cancelled else SessionStatus.CLOSED
        if any(request.is_inside_run for request in self.pending.values()):
            return SessionStatus.WAITING
        if self.is_abandoned:
            return SessionStatus.ABANDONED
        # ADK takes the answer to a confirmation only when the run that asked for it has ended.
        if self.busy_since is not None:
            return SessionStatus.RUNNING
        if self.pending:
            return SessionStatus.WAITING
        if self.outcome in (RunOutcome.FAILED, RunOutcome.CANCELLED):
            return SessionStatus.FAILED if self.outcome is RunOutcome.FAILED else SessionStatus.STOPPED
        return SessionStatus.DONE if self.has_started else SessionStatus.NEW

    @property
    def name(self) -> str:
        """The name to show: a chosen one, or the beginning of the first user message."""
        description = self.session.description
        # A description that only repeats the name of the app or of an agent says less than the first message.
        is_chosen = description not in ("", self.app_name, *self.agent_names)
        return self.given_name or (description if is_chosen else self.title) or description or UNNAMED

    @property
    def agent_name(self) -> str:
        """The app, or the first agent that called its model."""
        return self.app_name or (self.agent_names[0] if self.agent_names else "")

    @property
    def running_since(self) -> float | None:
        """When the oldest running tool started, else when the agent did; None if nothing is running."""
        if self.running_calls:
            return min(self.running_calls.values())
        return self.busy_since if self.status is SessionStatus.RUNNING else None

    @property
    def cursor(self) -> SessionCursor:
        """The position in a list."""
        return round(self.session.created_at * 1_000), self.session.session_id

    @property
    def ran_in_server(self) -> bool:
        """Whether the agent certainly ran inside a server: its app joined, and it asks without naming its process."""
        return self.app_name != "" and self.client_id == ""

    def is_waiting(self, turn_id: str) -> bool:
        """Return whether a turn needs a decision, of a person or of another player."""
        return turn_id in self.pending or turn_id in self.delegated


def create_summary(session: Session) -> SessionSummary:
    """Create the summary of a session without events."""
    return SessionSummary(session=session, last_event_at=session.created_at)
