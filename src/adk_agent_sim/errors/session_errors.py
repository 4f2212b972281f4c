"""Errors about sessions and events on a timeline."""

from __future__ import annotations

from adk_agent_sim.errors.base import SimulatorError


class SessionNotFound(SimulatorError):
    """The timeline has no such session."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"There is no session {session_id!r} on this timeline.")
        self.session_id = session_id


class SessionClosed(SimulatorError):
    """The session is closed: it can be read, but takes no more events."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"Session {session_id!r} is closed. Start a new session to continue.")
        self.session_id = session_id


class SessionExists(SimulatorError):
    """The timeline already has a session with this id; that session is unchanged."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"A session {session_id!r} already exists on this timeline.")
        self.session_id = session_id


class EventExists(SimulatorError):
    """The timeline already has an event with this id, because it was sent twice; nothing was appended."""

    def __init__(self, event_id: str) -> None:
        super().__init__(f"There is already an event {event_id!r} on this timeline.")
        self.event_id = event_id


class BlocksMissing(SimulatorError):
    """A model request refers to blocks that its session does not have; nothing was appended."""

    def __init__(self, session_id: str, count: int) -> None:
        super().__init__(f"Session {session_id!r} lacks {count} blocks of the request. Send them with the request.")
        self.session_id = session_id


class InvalidTransition(SimulatorError):
    """The state of the session does not allow the transition."""
