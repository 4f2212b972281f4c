"""Notices that the file of an open SQLite database is deleted, moved or replaced.

SQLite goes on with the file that it has opened, which then has no name: everything that it writes would be lost. The
same is true of the log beside it, which has the commits that are not in the file yet.
"""

from __future__ import annotations

import os
import sys
from threading import Lock
from typing import NamedTuple

from sqlalchemy.engine import URL

from adk_agent_sim.errors import StoreFailed
from adk_agent_sim.persistence.database_engine import format_url, get_sqlite_path, resolve_sqlite_path
from adk_agent_sim.text.escaped_logging import get_logger

_LOG_SUBJECT = "its log, the file ending in -wal,"

_log = get_logger(__name__)


class _FileIdentity(NamedTuple):
    """What distinguishes a file from others that had or get its name."""

    device: int
    inode: int


class DatabaseFile:
    """The file of a database and its log; created while both are open. Databases on a server have none.

    On Windows nothing is checked: it does not let anyone delete, move or replace a file that is open.
    """

    def __init__(self, url: URL) -> None:
        self._url = url
        self._lock = Lock()
        self._is_lost = False
        self._identities: dict[str, _FileIdentity] = {}
        self._log_path = ""
        if url.get_backend_name() == "sqlite" and sys.platform != "win32":
            # With its links: a link that leads to another file now has replaced the database as well.
            path = get_sqlite_path(url)
            self._log_path = f"{resolve_sqlite_path(url)}-wal"
            for name in (path, self._log_path):
                if os.path.exists(name):  # one that is read-only may have no log
                    self._identities[name] = _identify_file(name)

    def check(self, action: str) -> None:
        """Raise StoreFailed unless the open files still have their names; `action` is what would fail, as `write to`.

        The first failure is logged, and that the files are back.
        """
        for path, identity in self._identities.items():
            subject = _LOG_SUBJECT if path == self._log_path else "the file"
            try:
                if _identify_file(path) == identity:
                    continue
                reason = f"{subject} was replaced by another file while the database was in use"
                advice = "Move the original file back, or restart the server to use the other one."
            except (FileNotFoundError, NotADirectoryError):
                reason = f"{subject} was deleted or moved while the database was in use"
                advice = "Move it back, or restart the server."
            except OSError as error:
                reason = f"{subject} can no longer be accessed ({error.strerror})"
                advice = "Make it accessible again, or restart the server with another database."
            failure = StoreFailed(format_url(self._url), action, reason, advice)
            self._report(failure)
            raise failure
        self._report(None)

    @property
    def is_lost(self) -> bool:
        """Whether the last check failed."""
        return self._is_lost

    def _report(self, failure: StoreFailed | None) -> None:
        # Called for every read and write, so the usual case, in which nothing has changed, takes no lock.
        is_lost = failure is not None
        if is_lost == self._is_lost:
            return
        with self._lock:  # the writer and the readers check in their own threads
            if is_lost == self._is_lost:
                return
            self._is_lost = is_lost
        if failure is not None:
            _log.error("Requests are rejected until this is fixed: %s", failure)
        else:
            _log.warning("The file of the database %s is back.", format_url(self._url))


def _identify_file(path: str) -> _FileIdentity:
    status = os.stat(path)
    return _FileIdentity(status.st_dev, status.st_ino)
