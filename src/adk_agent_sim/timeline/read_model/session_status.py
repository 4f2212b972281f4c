"""The status of a session: one enumeration for Python, the protocol, the database, the web API and the CLI."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple


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
