"""The only writer of a process: a thread that commits all writes queued since its last commit together.

    append --\\
    append ---+--> queue --> [ one transaction ] --> committed --> every append of the group returns
    append --/

It notices that the file of an open SQLite database is deleted, moved or replaced. SQLite goes on with the file that it
has opened, which then has no name: everything that it writes would be lost. The same is true of the log beside it,
which has the commits that are not in the file yet.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, NamedTuple

from sqlalchemy import Engine
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from adk_agent_sim.errors import SimulatorError, StoreFailed
from adk_agent_sim.persistence.database_engine import (
    build_store_error,
    format_url,
    get_sqlite_path,
    resolve_sqlite_path,
)
from adk_agent_sim.persistence.transaction import WriteRequest, WriteResult, write_group
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


MAX_GROUP_SIZE = 1_000
"""The limit from which a transaction takes no more queued writes."""


class _QueuedWrite:
    """A write, and the future of its caller."""

    def __init__(self, write: WriteRequest, future: asyncio.Future[None]) -> None:
        self.write = write
        self.future = future


class Writer:
    """Commits writes in the order in which they were queued. Use it from one event loop."""

    def __init__(self, engine: Engine, url: URL) -> None:
        self._engine = engine
        self._url = url
        self.file = DatabaseFile(url)
        self._loop = asyncio.get_running_loop()
        self._batch: list[_QueuedWrite] = []
        self._batches: SimpleQueue[list[_QueuedWrite] | None] = SimpleQueue()
        self._is_closed = False
        self._has_connected = False
        self._thread = Thread(target=self._run, name="adksim-writer", daemon=True)
        self._thread.start()

    async def write(self, write: WriteRequest) -> None:
        """Commit a write."""
        if self._is_closed:
            raise StoreFailed(format_url(self._url), "write to", "the store is closed", "Open it again.")
        future: asyncio.Future[None] = self._loop.create_future()
        if not self._batch:
            # Submitting in a callback adds the writes of all tasks that run before it to the same transaction.
            self._loop.call_soon(self._submit_batch)
        self._batch.append(_QueuedWrite(write, future))
        await future

    async def close(self) -> None:
        """Wait until all queued writes are committed, and end the thread."""
        self._is_closed = True
        # The callback that submits the last writes may not have run yet.
        self._submit_batch()
        self._batches.put(None)
        await asyncio.to_thread(self._thread.join)

    def _submit_batch(self) -> None:
        if self._batch:
            self._batches.put(self._batch)
            self._batch = []

    def _run(self) -> None:
        for group in self._iter_groups():
            results = self._commit_to_file(group)
            self._loop.call_soon_threadsafe(_resolve_futures, group, results)
        if self.file.is_lost:
            self._empty_log()

    def _iter_groups(self) -> Iterator[list[_QueuedWrite]]:
        """Yield groups of writes, each with everything queued since the previous group."""
        closing = False
        while not closing and (group := self._batches.get()):
            while len(group) < MAX_GROUP_SIZE and not self._batches.empty():
                more = self._batches.get()
                closing = more is None
                group = [*group, *(more or ())]
            yield group

    def _commit_to_file(self, group: Sequence[_QueuedWrite]) -> Sequence[WriteResult]:
        """Commit a group to the file that has the database's name; otherwise all writes fail."""
        try:
            self.file.check("write to")
            self._has_connected = True
            results = self._commit_group(group)
            # Checked again, because a write that is confirmed must be in the file that will be opened next time.
            self.file.check("write to")
        except StoreFailed as error:
            self._empty_log()
            return [error for _ in group]
        return results

    def _empty_log(self) -> None:
        """Copy the commits in SQLite's log into the file that is open, wherever it is now.

        If the log stayed behind, SQLite would apply it to the file that has taken the place of this one, and damage it.
        """
        if not self._has_connected:  # connecting now would create a file
            return
        with suppress(sqlite3.Error, SQLAlchemyError), self._engine.connect() as connection:
            raw: Any = connection.connection.dbapi_connection  # not in a transaction, in which SQLite does not do it
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _commit_group(self, group: Sequence[_QueuedWrite]) -> Sequence[WriteResult]:
        """Commit a group and return the result of each write; a write that fails does not affect the others."""
        try:
            with self._engine.connect() as connection, connection.begin():
                return write_group(connection, [job.write for job in group])
        except OperationalError as error:
            # The database is locked, full or gone: committing the writes one by one would fail as well.
            return [build_store_error(self._url, "write to", error) for _ in group]
        except Exception as error:  # noqa: BLE001 - passed to the callers, because the thread must continue
            # One refused row has rolled the whole transaction back: one by one, only the write at fault fails.
            if len(group) > 1:
                return [result for job in group for result in self._commit_group([job])]
            return [self._translate_error(group[0].write, error)]

    def _translate_error(self, write: WriteRequest, error: Exception) -> Exception:
        """Return the timeline's error for a write that the database refused, or StoreFailed if there is none."""
        if isinstance(error, SimulatorError):
            return error
        try:
            with self._engine.connect() as connection:
                conflict = write.find_conflict(connection)
        except Exception:  # noqa: BLE001 - the first error is the one to report
            conflict = None
        return conflict or build_store_error(self._url, "write to", error)


def _resolve_futures(group: Sequence[_QueuedWrite], results: Sequence[WriteResult]) -> None:
    for job, result in zip(group, results, strict=True):
        # The caller was cancelled; its write is committed all the same.
        if job.future.done():
            continue
        if result is None:
            job.future.set_result(None)
        else:
            job.future.set_exception(result)
