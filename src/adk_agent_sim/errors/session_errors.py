"""Errors about sessions and events on a timeline, and of the database behind it."""

from __future__ import annotations

from collections.abc import Mapping

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
    """The timeline already has events with these ids, because they were sent twice; nothing was appended."""

    def __init__(self, session_ids: Mapping[str, str]) -> None:
        event_id, session_id = next(iter(session_ids.items()))
        super().__init__(f"Event {event_id!r} already exists in session {session_id!r}. Give a new event a new id.")
        self.event_id = event_id
        self.session_ids = dict(session_ids)
        """The session of each event that exists, by event id."""


class SeqOutOfRange(SimulatorError):
    """A follower asked for the events after one that the session does not have, such as one that the server lost."""

    def __init__(self, session_id: str, after_seq: int, last_seq: int) -> None:
        super().__init__(
            f"Session {session_id!r} has no event {after_seq}: its last one is {last_seq}. "
            "The server may have lost events. Subscribe again from 0."
        )
        self.session_id = session_id
        self.last_seq = last_seq


class LogChanged(SimulatorError):
    """Another process appended events to the session in the meantime; nothing was appended."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"Another process has appended events to session {session_id!r}. Try again.")
        self.session_id = session_id


class BlocksMissing(SimulatorError):
    """A model request refers to blocks that its session does not have; nothing was appended."""

    def __init__(self, session_id: str, count: int) -> None:
        super().__init__(f"Session {session_id!r} lacks {count} blocks of the request. Send them with the request.")
        self.session_id = session_id


class InvalidTransition(SimulatorError):
    """The state of the session does not allow the transition."""


class StoreFailed(SimulatorError):
    """A database operation failed; nothing was written."""

    def __init__(self, database: str, action: str, reason: str, advice: str) -> None:
        super().__init__(f"Cannot {action} {database}: {reason}. {advice}")
        self.database = database
        self.reason = reason


class StoreNotOpened(StoreFailed):
    """The database cannot be used as a store."""

    def __init__(self, database: str, reason: str, advice: str) -> None:
        super().__init__(database, "open the database", reason, advice)


class StoreTooNew(StoreFailed):
    """A newer release wrote the database; it was not changed."""

    def __init__(self, database: str, found_version: int, supported_version: int) -> None:
        super().__init__(
            database,
            "open the database",
            f"its tables have version {found_version}, but this release supports versions up to {supported_version}",
            "Install the newer adksim that wrote it, or choose another database.",
        )
        self.found_version = found_version
        self.supported_version = supported_version


class StoreTooOld(StoreFailed):
    """A development version from before the first release wrote the database; it was not changed."""

    def __init__(self, database: str, found_version: int) -> None:
        super().__init__(
            database,
            "open the database",
            f"a development version wrote it (version {found_version} of the tables), and it was left as it is",
            "Choose another database.",
        )
        self.found_version = found_version
