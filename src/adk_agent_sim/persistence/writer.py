"""The one writer: a thread that takes everything handed in since its last commit into the next one.

    append --\\
    append ---+--> queue --> [ one transaction ] --> committed --> every append of the group returns
    append --/
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from queue import SimpleQueue
from threading import Thread

from sqlalchemy import Engine
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError

from adk_agent_sim.errors import SimulatorError, StoreFailed
from adk_agent_sim.persistence.database_engine import format_url
from adk_agent_sim.persistence.database_errors import build_store_error
from adk_agent_sim.persistence.transaction import WriteRequest, WriteResult, write_group

MAX_GROUP_SIZE = 1_000
"""A transaction that has as many writes takes no more."""


class _QueuedWrite:
    """A write and who waits for it."""

    def __init__(self, write: WriteRequest, done: asyncio.Future[int]) -> None:
        self.write = write
        self.future = done


class Writer:
    """Makes writes durable, in the order in which they were handed in. Use it from one event loop."""

    def __init__(self, engine: Engine, url: URL) -> None:
        self._engine = engine
        self._url = url
        self._loop = asyncio.get_running_loop()
        self._batch: list[_QueuedWrite] = []
        self._batches: SimpleQueue[list[_QueuedWrite] | None] = SimpleQueue()
        self._is_closed = False
        self._thread = Thread(target=self._run, name="adksim-writer", daemon=True)
        self._thread.start()

    async def write(self, write: WriteRequest) -> int:
        """Make a write durable; gives the `seq` of its first event, 0 if it has none."""
        if self._is_closed:
            raise StoreFailed(format_url(self._url), "write to", "it was closed", "Open it again.")
        done: asyncio.Future[int] = self._loop.create_future()
        if not self._batch:
            # Whoever else is awake now writes too: what they hand in before this callback runs comes along.
            self._loop.call_soon(self._submit_batch)
        self._batch.append(_QueuedWrite(write, done))
        return await done

    async def close(self) -> None:
        """Wait until everything that was handed in is durable."""
        self._is_closed = True
        self._submit_batch()
        self._batches.put(None)
        await asyncio.to_thread(self._thread.join)

    def _submit_batch(self) -> None:
        if self._batch:
            self._batches.put(self._batch)
            self._batch = []

    def _run(self) -> None:
        for group in self._iter_groups():
            outcomes = self._commit_group(group)
            self._loop.call_soon_threadsafe(_resolve_futures, group, outcomes)

    def _iter_groups(self) -> Iterator[list[_QueuedWrite]]:
        """Everything that was handed in since the last group."""
        closing = False
        while not closing and (group := self._batches.get()):
            while len(group) < MAX_GROUP_SIZE and not self._batches.empty():
                more = self._batches.get()
                closing = more is None
                group = [*group, *(more or ())]
            yield group

    def _commit_group(self, group: Sequence[_QueuedWrite]) -> Sequence[WriteResult]:
        """What became of each write of a group: nobody's failure is another's."""
        try:
            with self._engine.connect() as connection, connection.begin():
                return write_group(connection, [job.write for job in group])
        except OperationalError as error:
            return [build_store_error(self._url, "write to", error) for _ in group]
        except Exception as error:  # noqa: BLE001 - the end of the thread; whoever waits gets it
            if len(group) > 1:
                return [outcome for job in group for outcome in self._commit_group([job])]
            return [self._translate_error(group[0].write, error)]

    def _translate_error(self, write: WriteRequest, error: Exception) -> Exception:
        """The error of a write that the database refused, in the timeline's words where it has some."""
        if isinstance(error, SimulatorError):
            return error
        try:
            with self._engine.connect() as connection:
                refused = write.find_conflict(connection)
        except Exception:  # noqa: BLE001 - the first error is the one to tell
            refused = None
        return refused or build_store_error(self._url, "write to", error)


def _resolve_futures(group: Sequence[_QueuedWrite], outcomes: Sequence[WriteResult]) -> None:
    for job, outcome in zip(group, outcomes, strict=True):
        if job.future.done():
            continue
        if isinstance(outcome, Exception):
            job.future.set_exception(outcome)
        else:
            job.future.set_result(outcome)
