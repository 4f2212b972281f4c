"""Converts database errors to StoreFailed, with the cause and advice."""

from __future__ import annotations

from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, OperationalError

from adk_agent_sim.errors import StoreFailed
from adk_agent_sim.persistence.database_engine import format_url

_SQLITE_CAUSES = {
    "SQLITE_BUSY": ("another process is writing to it", "Close that process, or try again."),
    "SQLITE_LOCKED": ("another process is writing to it", "Close that process, or try again."),
    "SQLITE_READONLY": ("it is read-only", "Make the file and its folder writable."),
    "SQLITE_FULL": ("the disk is full", "Free some space, then try again."),
    "SQLITE_CORRUPT": ("the file is damaged", "Restore a copy of it, or choose another file."),
    "SQLITE_NOTADB": ("the file is not a database", "Choose another path."),
    "SQLITE_CANTOPEN": ("the file cannot be opened", "Its folder must exist and be writable."),
    "SQLITE_IOERR": ("reading or writing the disk failed", "Check the disk, then try again."),
}

_POSTGRES_CAUSES = {
    "53100": ("the disk is full", "Free some space on the server, then try again."),
    "25006": ("it is read-only", "Connect to a server that accepts writes."),
    "55P03": ("another process holds its locks", "Close that process, or try again."),
    "42501": ("the user lacks permission", "Grant the user the right to create and change tables."),
}


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
