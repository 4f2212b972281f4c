"""The only writer of a process: a thread that commits all writes queued since its last commit together.

    append --\\
    append ---+--> queue --> [ one transaction ] --> committed --> every append of the group returns
    append --/
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from adk_agent_sim.errors import SimulatorError, StoreFailed
from adk_agent_sim.persistence.database_engine import format_url
from adk_agent_sim.persistence.database_errors import build_store_error
from adk_agent_sim.persistence.database_file import DatabaseFile
from adk_agent_sim.persistence.transaction import WriteRequest, WriteResult, write_group

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
