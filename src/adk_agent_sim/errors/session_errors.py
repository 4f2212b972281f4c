"""Errors about sessions: their events and database, exporting and importing them, and the server that has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

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


class ExportRefused(SimulatorError):
    """The session cannot be exported; nothing was written."""


class InvalidExportOption(ExportRefused):
    """An option does not work with the format that is exported to; nothing was read or written."""


class AlreadyExported(ExportRefused):
    """The session was already exported; exporting it again would add it a second time."""

    def __init__(self, path: str, eval_id: str) -> None:
        super().__init__(
            f"The session was already exported to {path} as {eval_id!r}. Exporting it again would duplicate it: "
            "`again` writes it once more, `replace` writes it in its place."
        )
        self.eval_id = eval_id


class SessionIncomplete(ExportRefused):
    """The session is not complete, so it cannot be a golden trace yet."""

    def __init__(self, session_id: str, missing: Sequence[str], *, finished_turn_count: int = 0) -> None:
        turns = "user turn before that is" if finished_turn_count == 1 else "user turns before that are"
        hint = (
            f" The {finished_turn_count} {turns} finished: export with finished_only=True, or with --finished-only."
            if finished_turn_count
            else ""
        )
        super().__init__(f"Session {session_id!r} cannot be exported yet: {'; '.join(missing)}.{hint}")
        self.missing = tuple(missing)


class NotReplayable(ExportRefused):
    """`adk test` cannot replay the session."""

    def __init__(self, session_id: str, reasons: Sequence[str]) -> None:
        super().__init__(
            f"Session {session_id!r} cannot be replayed by `adk test`: {'; '.join(reasons)}. "
            "Export it as an EvalSet, or pass force=True to write the fixture anyway."
        )
        self.reasons = tuple(reasons)


class NotAnEvalSet(ExportRefused):
    """The target file exists and is not an EvalSet; it was not changed."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path} is not an EvalSet and was not changed: {reason}. Choose another path, or fix the file."
        )
        self.path = path


class InvalidCriteria(ExportRefused):
    """The criteria for `adk eval` are none, or the file that holds them is something else."""


class ImportRefused(SimulatorError):
    """The file cannot be imported as a timeline."""

    def __init__(self, path: str, expected: str, reason: str) -> None:
        super().__init__(f"{path} cannot be opened as {expected}: {reason}.")
        self.path = path
        self.reason = reason


class EditRefused(SimulatorError):
    """A case of an EvalSet cannot be changed like that; the file is unchanged."""


class EditConflict(EditRefused):
    """Another writer has changed or removed the case since it was read; the file is unchanged."""

    def __init__(self, eval_id: str, what: str, advice: str) -> None:
        super().__init__(f"The case {eval_id[:100]!r} {what}, so nothing was changed. {advice}")
        self.eval_id = eval_id


class ServerUnreachable(SimulatorError):
    """No simulator server answers at the address."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            f"No simulator server answers at {url}: {reason}. "
            "Start one with `adksim serve`, or set ADK_SIM_SERVER_URL to the address of a running one."
        )
        self.url = url


class PortInUse(SimulatorError):
    """The server cannot listen on the address."""

    def __init__(self, address: str, option: str) -> None:
        super().__init__(f"Cannot listen on {address}: it is in use, or not permitted. Choose {option}.")
        self.address = address


class InvalidField(SimulatorError):
    """A field of a request to the server is invalid; the request had no effect."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field} {reason}.")
        self.field = field


class MalformedValue(SimulatorError):
    """A value that was sent cannot be parsed."""

    def __init__(self, subject: str, reason: str) -> None:
        super().__init__(f"{subject} cannot be parsed: {reason}.")
        self.reason = reason


class NotFound(SimulatorError):
    """The agent, row, file or running call does not exist."""


class AgentNotLocal(SimulatorError):
    """The session's agent does not run in this process."""

    def __init__(self, session_id: str, action: str) -> None:
        super().__init__(
            f"Cannot {action} in session {session_id!r}: its agent does not run in this process. "
            "Start a new session to continue."
        )
        self.session_id = session_id


_ADVICE = (
    "run the client as the user who started the server, or set ADK_SIM_TOKEN to a token that `adksim token new NAME` "
    "prints on the server's machine."
)


class TokenRejected(SimulatorError):
    """The server does not accept the token of a request, or got none."""

    def __init__(self, *, is_missing: bool) -> None:
        reason = "This server requires a token" if is_missing else "The token is wrong, expired or revoked"
        super().__init__(f"{reason}: {_ADVICE}")


class TokenNameTaken(SimulatorError):
    """There is an access token with this name already."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is a token named {name!r} already. Choose another name, or revoke it first.")
        self.name = name


class InsecureFile(SimulatorError):
    """Other users can read or change a file that must be private, so it is not used."""

    def __init__(self, path: str | Path, reason: str, advice: str) -> None:
        super().__init__(f"{path} is not used, because {reason}. {advice}")
        self.path = str(path)


class ExposureRefused(SimulatorError):
    """The server would be reachable from other machines without encryption."""
