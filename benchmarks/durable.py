"""Two stores that make events durable: ours, and the least that could do it, written with sqlite3 alone."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from uuid import uuid4

from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.events import ArtifactSaved, Event, Session
from adk_agent_sim.timeline.read_model.session_read_model import create_read_model

PRODUCERS = 20


async def ours(size: int, each: int) -> float:
    """Seconds until every producer has appended `each` events of `size` bytes, one after the other."""
    content = "x" * size
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Path(folder) / "bench.db") as store:
            sessions = [Session(session_id=f"s{number}", created_at=1.0) for number in range(PRODUCERS)]
            for session in sessions:
                await store.create_session(session)
            free = [create_read_model(session) for session in sessions]

            async def append() -> None:
                # Each producer has a session of its own, as agents do: a session's events are appended in order.
                model = free.pop()
                payload = ArtifactSaved(filename=content, version=1, mime_type="text/plain", block="")
                session_id, seq = model.summary.session.session_id, model.summary.last_seq + 1
                event = Event(event_id=str(uuid4()), session_id=session_id, seq=seq, timestamp=1.0, payload=payload)
                after = model.with_events([event])
                await store.append([event], (), after)
                free.append(after)

            return await _time_producers(append, each)


async def raw(size: int, each: int) -> float:
    """The same rows into the same tables with a queue and a thread; their bytes are ready-made, numbers counted."""
    blob = b"x" * size
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Path(folder) / "bench.db"):
            pass
        loop = asyncio.get_running_loop()
        jobs: SimpleQueue[asyncio.Future[None] | None] = SimpleQueue()
        writer = Thread(target=_write, args=(Path(folder) / "bench.db", loop, jobs, blob))
        writer.start()

        async def append() -> None:
            done: asyncio.Future[None] = loop.create_future()
            jobs.put(done)
            await done

        seconds = await _time_producers(append, each)
        jobs.put(None)
        writer.join()
        return seconds


async def _time_producers(append: Callable[[], Awaitable[None]], each: int) -> float:
    async def produce() -> None:
        for _ in range(each):
            await append()

    start = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(PRODUCERS):
            tasks.create_task(produce())
    return time.perf_counter() - start


def _write(
    path: Path, loop: asyncio.AbstractEventLoop, jobs: SimpleQueue[asyncio.Future[None] | None], blob: bytes
) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    seq = 0
    while (first := jobs.get()) is not None:
        group = [first]
        while not jobs.empty() and (job := jobs.get()):
            group.append(job)
        connection.execute("BEGIN IMMEDIATE")
        rows = [(str(uuid4()), "s", number, 1_000, "", "user_spoke", blob) for number, _ in enumerate(group, seq + 1)]
        connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        seq += len(group)
        connection.execute("COMMIT")
        loop.call_soon_threadsafe(_settle, group)
    connection.close()


def _settle(group: list[asyncio.Future[None]]) -> None:
    for done in group:
        done.set_result(None)
