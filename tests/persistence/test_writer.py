"""Concurrent appends share a transaction and return after its commit; reads do not wait."""

import asyncio
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Connection
from stores import append_drafts, listen_to_engines, prepare_appends
from timeline_builders import user_content

from adk_agent_sim.errors import SessionNotFound
from adk_agent_sim.persistence.database_store import DatabaseStore, open_store
from adk_agent_sim.timeline.events import Event, Session, UserSpoke

_SESSION = Session(session_id="s", created_at=1.0)


def _draft(session_id: str = "s") -> Event:
    spoke = UserSpoke(content=user_content("hi"))
    return Event(event_id=str(uuid4()), session_id=session_id, seq=0, timestamp=1.0, payload=spoke)


@contextmanager
def _commits() -> Generator[list[Connection]]:
    """Count the commits during the block."""
    seen: list[Connection] = []

    def see(connection: Connection) -> None:
        seen.append(connection)

    with listen_to_engines("commit", see):
        yield seen


@contextmanager
def _another_writes(path: Path) -> Generator[sqlite3.Connection]:
    """Hold the write lock as another process would, and roll back at the end."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield connection
        connection.execute("ROLLBACK")
    finally:
        connection.close()


@pytest.mark.req("003/schema-10")
async def test_appends_that_wait_together_are_one_transaction(sqlite_path: Path) -> None:
    async with open_store(sqlite_path, lock_timeout=60) as store:
        await store.create_session(_SESSION)
        prepared = await prepare_appends(store, [_draft() for _ in range(500)])
        with _commits() as commits:
            with _another_writes(sqlite_path):
                appending = [asyncio.ensure_future(store.append([each], (), model)) for each, model in prepared]
                await asyncio.to_thread(int)  # lets all be queued while the writer waits for the lock
            await asyncio.gather(*appending)

        assert len(commits) <= 2
        assert len(await store.read_events("s")) == 500


async def test_a_group_commits_valid_writes_and_refuses_the_others(sqlite_path: Path) -> None:
    async with open_store(sqlite_path, lock_timeout=60) as store:
        await store.create_session(_SESSION)
        drafts = [_draft("nowhere" if number % 2 else "s") for number in range(20)]
        prepared = await prepare_appends(store, drafts)
        with _another_writes(sqlite_path):
            appending = [asyncio.ensure_future(store.append([each], (), model)) for each, model in prepared]
            await asyncio.to_thread(int)
        answers = await asyncio.gather(*appending, return_exceptions=True)

        assert [isinstance(answer, SessionNotFound) for answer in answers] == [False, True] * 10
        assert [one.seq for one in await store.read_events("s")] == list(range(1, 11))


async def test_what_append_returned_is_committed(database: str) -> None:
    async with open_store(database) as store, open_store(database) as other:
        await store.create_session(_SESSION)
        for _ in range(20):
            appended = await append_drafts(store, [_draft()])
            assert await other.read_events("s", after_seq=appended[0].seq - 1) == appended


async def test_reading_does_not_wait_for_the_writer(sqlite_path: Path) -> None:
    async with open_store(sqlite_path, lock_timeout=60) as store:
        await store.create_session(_SESSION)
        first = await append_drafts(store, [_draft()])
        with _another_writes(sqlite_path):
            appending = asyncio.ensure_future(append_drafts(store, [_draft()]))
            await asyncio.to_thread(int)

            assert await store.read_events("s") == first
            assert [summary.session for summary in await store.list_summaries()] == [_SESSION]
            assert not appending.done()
        await appending


async def test_a_cancelled_append_does_not_affect_others(database_store: DatabaseStore) -> None:
    await database_store.create_session(_SESSION)
    prepared = await prepare_appends(database_store, [_draft() for _ in range(10)])
    appending = [asyncio.ensure_future(database_store.append([each], (), model)) for each, model in prepared]
    await asyncio.to_thread(int)
    appending[3].cancel()
    await asyncio.wait(appending)

    assert [one.seq for one in await database_store.read_events("s")] == list(range(1, 11))
