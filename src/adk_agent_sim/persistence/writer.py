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
from adk_agent_sim.persistence.engine import shown
from adk_agent_sim.persistence.failure import failure
from adk_agent_sim.persistence.transaction import Outcome, Write, write_group

GROUP = 1_000
"""A transaction that has as many writes takes no more."""


class _Job:
    """A write and who waits for it."""

    def __init__(self, write: Write, done: asyncio.Future[int]) -> None:
        self.write = write
        self.done = done


class Writer:
    """Makes writes durable, in the order in which they were handed in. Use it from one event loop."""

    def __init__(self, engine: Engine, url: URL) -> None:
        self._engine = engine
        self._url = url
        self._loop = asyncio.get_running_loop()
        self._collected: list[_Job] = []
        self._handed_in: SimpleQueue[list[_Job] | None] = SimpleQueue()
        self._closed = False
        self._thread = Thread(target=self._run, name="adksim-writer", daemon=True)
        self._thread.start()

    async def write(self, write: Write) -> int:
        """Make a write durable; gives the `seq` of its first event, 0 if it has none."""
        if self._closed:
            raise StoreFailed(shown(self._url), "write to", "it was closed", "Open it again.")
        done: asyncio.Future[int] = self._loop.create_future()
        if not self._collected:
            # Whoever else is awake now writes too: what they hand in before this callback runs comes along.
            self._loop.call_soon(self._hand_in)
        self._collected.append(_Job(write, done))
        return await done

    async def close(self) -> None:
        """Wait until everything that was handed in is durable."""
        self._closed = True
        self._hand_in()
        self._handed_in.put(None)
        await asyncio.to_thread(self._thread.join)

    def _hand_in(self) -> None:
        if self._collected:
            self._handed_in.put(self._collected)
            self._collected = []

    def _run(self) -> None:
        for group in self._groups():
            outcomes = self._committed(group)
            self._loop.call_soon_threadsafe(_settle, group, outcomes)

    def _groups(self) -> Iterator[list[_Job]]:
        """Everything that was handed in since the last group."""
        closing = False
        while not closing and (group := self._handed_in.get()):
            while len(group) < GROUP and not self._handed_in.empty():
                more = self._handed_in.get()
                closing = more is None
                group = [*group, *(more or ())]
            yield group

    def _committed(self, group: Sequence[_Job]) -> Sequence[Outcome]:
        """What became of each write of a group: nobody's failure is another's."""
        try:
            with self._engine.connect() as connection, connection.begin():
                return write_group(connection, [job.write for job in group])
        except OperationalError as error:
            return [failure(self._url, "write to", error) for _ in group]
        except Exception as error:  # noqa: BLE001 - the end of the thread; whoever waits gets it
            if len(group) > 1:
                return [outcome for job in group for outcome in self._committed([job])]
            return [self._told(group[0].write, error)]

    def _told(self, write: Write, error: Exception) -> Exception:
        """The error of a write that the database refused, in the timeline's words where it has some."""
        if isinstance(error, SimulatorError):
            return error
        try:
            with self._engine.connect() as connection:
                refused = write.refused(connection)
        except Exception:  # noqa: BLE001 - the first error is the one to tell
            refused = None
        return refused or failure(self._url, "write to", error)


def _settle(group: Sequence[_Job], outcomes: Sequence[Outcome]) -> None:
    for job, outcome in zip(group, outcomes, strict=True):
        if job.done.done():
            continue
        if isinstance(outcome, Exception):
            job.done.set_exception(outcome)
        else:
            job.done.set_result(outcome)
