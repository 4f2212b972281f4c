"""Converts database errors to StoreFailed, with the cause and advice."""

from __future__ import annotations

from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, OperationalError

from adk_agent_sim.errors import StoreFailed
from adk_agent_sim.persistence.database_engine import format_url, get_sqlite_path

_NOT_A_DATABASE = ("the file is not a database", "Choose another path.")

_SQLITE_CAUSES = {
    "SQLITE_BUSY": ("another process is writing to it", "Close that process, or try again."),
    "SQLITE_LOCKED": ("another process is writing to it", "Close that process, or try again."),
    "SQLITE_READONLY": ("it is read-only", "Make the file and its folder writable."),
    "SQLITE_FULL": ("the disk is full", "Free some space, then try again."),
    "SQLITE_CORRUPT": ("the file is damaged", "Restore a copy of it, or choose another file."),
    "SQLITE_NOTADB": _NOT_A_DATABASE,
    "SQLITE_CANTOPEN": ("the file cannot be opened", "Its folder must exist and be writable."),
    "SQLITE_IOERR": ("reading or writing the disk failed", "Check the disk, then try again."),
}

_SQLITE_HEADER = b"SQLite format 3\0"

_POSTGRES_CAUSES = {
    "53100": ("the disk is full", "Free some space on the server, then try again."),
    "25006": ("it is read-only", "Connect to a server that accepts writes."),
    "55P03": ("another process holds its locks", "Close that process, or try again."),
    "42501": ("the user lacks permission", "Grant the user the right to create and change tables."),
}


def refuse_other_file(url: URL) -> None:
    """Raise StoreFailed if an SQLite file has something else in it.

    SQLite finds that out later, and not at all of a file of a few bytes, which it would overwrite.
    """
    if url.get_backend_name() != "sqlite":
        return
    try:
        with open(get_sqlite_path(url), "rb") as file:
            start = file.read(len(_SQLITE_HEADER))
    except OSError:
        return  # there is none yet, or SQLite reports why it cannot be read
    if start and start != _SQLITE_HEADER:
        raise StoreFailed(format_url(url), "open the database", *_NOT_A_DATABASE)


def build_store_error(url: URL, action: str, error: Exception) -> StoreFailed:
    """Build the error of a failed operation; `action` is a phrase such as `write to` or `read from`."""
    original = error.orig if isinstance(error, DBAPIError) else error
    reason, advice = _find_known_cause(original) or (_format_one_line(original), _suggest_fix(url, error))
    failure = StoreFailed(format_url(url), action, reason, advice)
    failure.__cause__ = error
    return failure


def _find_known_cause(error: BaseException | None) -> tuple[str, str] | None:
    if name := getattr(error, "sqlite_errorname", None):
        # An extended code starts with its primary code, as SQLITE_READONLY_DBMOVED does.
        return next((cause for code, cause in _SQLITE_CAUSES.items() if name.startswith(code)), None)
    return _POSTGRES_CAUSES.get(getattr(error, "sqlstate", None) or "")


def _format_one_line(error: BaseException | None) -> str:
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__


def _suggest_fix(url: URL, error: Exception) -> str:
    if not isinstance(error, OperationalError):
        return "The stored data is unchanged."
    if url.get_backend_name() == "sqlite":
        return "Check the file."
    return "Check that the server is running and that its address is correct."
