"""Sessions that other code has summarized: readers compute them in memory, the process with the lock stores them."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from package_copy import copy_package
from polling import wait_until
from timeline_builders import ask_turn, text_decision, user_content

from adk_agent_sim.persistence import session_fold, tables
from adk_agent_sim.persistence.database_lock import lock_database
from adk_agent_sim.persistence.database_store import DatabaseStore, open_store
from adk_agent_sim.persistence.session_fold import get_fold_digest
from adk_agent_sim.timeline.events import Player, RunEnded, RunOutcome, UserSpoke
from adk_agent_sim.timeline.read_model.session_summary import ExportEntry, SessionStatus
from adk_agent_sim.timeline.session_queries import SessionFilter
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision
from adk_agent_sim.timeline.timeline import Timeline

_DONE = RunEnded(invocation_id="i", outcome=RunOutcome.DONE)
_EXPORT = ExportEntry(format="evalset", path="a.json", eval_id="e", exported_at=2.0)
_sessions = tables.sessions.c


async def _speak(timeline: Timeline, *texts: str, waiting: bool = False) -> str:
    """Create a session in which the user has said something, and return its id."""
    session_id = (await timeline.create_session()).session_id
    for number, text in enumerate(texts):
        await timeline.append(EventBatch(session_id, [UserSpoke(content=user_content(text))], player=Player.HUMAN))
        await ask_turn(timeline, session_id, f"{session_id}-{number}")
        if not waiting:
            await timeline.decide(TurnDecision(session_id, f"{session_id}-{number}", text_decision("yes")))
            await timeline.append(EventBatch(session_id, [_DONE]))
    return session_id


async def _fill(database: str) -> None:
    """Store sessions of several kinds; the last ones have more than a page of them would hold."""
    async with open_store(database) as store:
        timeline = Timeline(store)
        for number in range(8):
            await _speak(timeline, f"question {number}", "and more", waiting=number % 3 == 0)
        named = await _speak(timeline, "one", "two", "three")
        await timeline.rename_session(named, "Mine")
        await timeline.record_export(named, _EXPORT)
        await timeline.record_fork(named, "fork")
        await timeline.note_row(named, 0, "noted")
        await timeline.close_session(await _speak(timeline, "last words"), "done")
        await timeline.create_session("empty")


def _make_outdated(engine: sa.Engine, where: sa.ColumnElement[bool] | None = None) -> None:
    """Leave sessions as other code could have: nothing of what it computed is right, or can be read."""
    condition = sa.true() if where is None else where
    with engine.begin() as connection:
        ids = connection.execute(sa.select(_sessions.id).where(condition)).scalars().all()
        for table in (tables.timeline_rows, tables.pending_requests):
            connection.execute(table.delete().where(table.c.session_id.in_(ids)))
        connection.execute(
            tables.timeline_rows.insert(),
            [{"session_id": each, "row_index": 77, "updated_seq": 1, "data": b"{}"} for each in ids],
        )
        connection.execute(
            tables.pending_requests.insert(),
            [{"session_id": each, "request_id": "wrong", "requested_at": 1, "position": 1} for each in ids],
        )
        wrong = {"session_status": "cancelled", "name": "wrong", "agent_names": "\nwrong\n", "last_event_at": 1}
        values = wrong | {"summary": b"{", "rows_state": b"{", "fold_digest": "other"}
        connection.execute(tables.sessions.update().where(_sessions.id.in_(ids)).values(values))


def _read_tables(engine: sa.Engine) -> dict[str, Sequence[Any]]:
    with engine.connect() as connection:
        return {
            table.name: sorted(connection.execute(sa.select(table)).all(), key=repr)
            for table in tables.metadata.sorted_tables
        }


def _count_outdated(engine: sa.Engine) -> int:
    with engine.connect() as connection:
        query = sa.select(sa.func.count()).where(_sessions.fold_digest != get_fold_digest())
        return connection.execute(query).scalar_one()


_FILTERS = [
    SessionFilter(),
    SessionFilter(statuses=(SessionStatus.WAITING,)),
    SessionFilter(statuses=(SessionStatus.CANCELLED,)),
    SessionFilter(statuses=(SessionStatus.CLOSED, SessionStatus.NEW)),
    SessionFilter(text="QUESTION"),
    SessionFilter(text="wrong"),
    SessionFilter(agent="math"),
    SessionFilter(agent="wrong"),
    SessionFilter(text="question", statuses=(SessionStatus.DONE,)),
]


async def _read_pages(store: DatabaseStore, wanted: SessionFilter, size: int) -> list[Any]:
    """Read a list page by page, as pages of the browser do."""
    found: list[Any] = []
    while page := await store.list_summaries(wanted, size):
        assert len(page) <= size
        found += page
        wanted = replace(wanted, before=page[-1].cursor)
    return found


async def _read_everything(store: DatabaseStore) -> list[Any]:
    """Return everything that can be read of the read models."""
    read: list[Any] = [await store.count_pending(), await store.list_pending()]
    waiting = await store.list_pending(limit=2)
    read += [waiting, await store.list_pending(after=waiting[1].cursor, limit=2)]
    for wanted in _FILTERS:
        read += [await store.list_summaries(wanted), await _read_pages(store, wanted, 3)]
    for summary in await store.list_summaries():
        session_id = summary.session.session_id
        read += [await store.find_summary(session_id), await store.load_read_model(session_id)]
        read += [await store.read_rows(session_id, 0, 100), await store.read_rows(session_id, 1, 2)]
        read += [await store.read_changed_rows(session_id, 3)]
        read += [await store.list_pending(session_ids=[session_id]), await store.count_pending([session_id])]
    return read


@pytest.mark.parametrize("some", [False, True], ids=["all", "some"])
async def test_a_reader_finds_everything_right_and_writes_nothing(
    database: str, engine: sa.Engine, *, some: bool
) -> None:
    await _fill(database)
    async with open_store(database) as store:
        expected = await _read_everything(store)
    _make_outdated(engine, _sessions.name.contains("question") if some else None)
    before = _read_tables(engine)

    async with open_store(database) as store:
        assert await _read_everything(store) == expected
    assert _read_tables(engine) == before


async def test_each_read_with_the_lock_stores_what_it_has_computed(
    database: str, engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def do_nothing(_store: DatabaseStore) -> None:
        pass

    await _fill(database)
    async with open_store(database) as store:
        expected = await _read_everything(store)
    intact = _read_tables(engine)
    monkeypatch.setattr(DatabaseStore, "refold_outdated", do_nothing)
    _make_outdated(engine)

    async with lock_database(database) as lock, open_store(database, lock=lock) as store:
        page = await store.list_summaries(limit=3)
        assert _count_outdated(engine) == 11 - 3
        last = (await store.list_summaries())[-1].session.session_id
        assert _count_outdated(engine) == 0
        assert [each.session.description for each in page][:1] == ["empty"]
        _make_outdated(engine, _sessions.id == last)
        await store.read_rows(last, 0, 1)
        assert _count_outdated(engine) == 0
        assert await _read_everything(store) == expected
    assert _read_tables(engine) == intact


async def test_the_process_with_the_lock_works_through_all_sessions(database: str, engine: sa.Engine) -> None:
    await _fill(database)
    intact = _read_tables(engine)
    _make_outdated(engine)

    async with lock_database(database) as lock, open_store(database, lock=lock) as store:
        await wait_until(lambda: store.refolding.total_count > 0 and store.refolding.done_count == 11)
        assert store.refolding.total_count == 11
    assert _read_tables(engine) == intact


async def test_a_process_that_is_stopped_meanwhile_continues_later(sqlite_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{sqlite_path}")
    async with open_store(sqlite_path) as store:
        for number in range(100):
            await _speak(Timeline(store), f"question {number}")
    intact = _read_tables(engine)
    _make_outdated(engine)

    counts: list[int] = []
    for until in (1, 21, 100):
        async with lock_database(sqlite_path) as lock, open_store(sqlite_path, lock=lock) as store:
            await wait_until(lambda: 100 - _count_outdated(engine) >= until)  # noqa: B023 - awaited here
        counts.append(_count_outdated(engine))
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 0
    assert _read_tables(engine) == intact
    engine.dispose()


async def test_a_session_that_goes_on_without_the_lock_is_stored_as_a_whole(database: str, engine: sa.Engine) -> None:
    async with open_store(database) as store:
        session_id = await _speak(Timeline(store), "one", "two")
    _make_outdated(engine)

    async with open_store(database) as store:
        await Timeline(store).append(EventBatch(session_id, [UserSpoke(content=user_content("three"))]))
        summary = await store.find_summary(session_id)
        rows = await store.read_rows(session_id, 0, 100)
    assert _count_outdated(engine) == 0
    assert summary
    assert (summary.name, summary.row_count, len(rows), rows[-1].summary) == ("one", 5, 5, "three")


async def test_names_exports_and_forks_are_kept(database: str, engine: sa.Engine) -> None:
    async with open_store(database) as store:
        session_id = await _speak(Timeline(store), "one")
    _make_outdated(engine)
    async with open_store(database) as store:
        timeline = Timeline(store)
        await timeline.rename_session(session_id, "Mine")
        await timeline.record_export(session_id, _EXPORT)
        await timeline.record_fork(session_id, "fork")
    assert _count_outdated(engine) == 1

    async with open_store(database) as store:
        summary = await store.find_summary(session_id)
    assert summary
    assert (summary.name, summary.exports, summary.forks) == ("Mine", (_EXPORT,), ("fork",))


async def test_a_session_whose_fold_fails_is_one_broken_session(
    database: str, engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_store(database) as store:
        for text in ("first", "fatal", "last"):
            await _speak(Timeline(store), text)
    _make_outdated(engine)
    fold = session_fold.SessionReadModel.with_events

    def fail(model: Any, events: Any, noted_rows: Any) -> Any:
        if "fatal" in str(events[0]):
            raise RecursionError("too deep")
        return fold(model, events, noted_rows)

    monkeypatch.setattr(session_fold.SessionReadModel, "with_events", fail)
    for _ in range(2):
        async with lock_database(database) as lock, open_store(database, lock=lock) as store:
            last, fatal, first = await store.list_summaries()
            await wait_until(lambda: _count_outdated(engine) == 0)
        assert (first.name, last.name, fatal.status) == ("first", "last", SessionStatus.BROKEN)
        assert "too deep" in fatal.failure


_CHANGES = (
    (
        "timeline/read_model/session_summary.py",
        "    turn_count: int = 0\n",
        '    turn_count: int = 0\n    message_count: int = 0\n    """The messages of the user."""\n',
    ),
    (
        "timeline/read_model/session_read_model.py",
        "        first_message_seq=summary.first_message_seq or event.seq,\n",
        """\
        first_message_seq=summary.first_message_seq or event.seq,
        message_count=summary.message_count + 1,
""",
    ),
)
"""A field that a later version of the package has."""

_LIST_SESSIONS = """
import asyncio, json, sys
from contextlib import AsyncExitStack
from adk_agent_sim.persistence.database_lock import lock_database
from adk_agent_sim.persistence.database_store import open_store

async def main(database, kind):
    async with AsyncExitStack() as stack:
        lock = await stack.enter_async_context(lock_database(database)) if kind == "server" else None
        store = await stack.enter_async_context(open_store(database, lock=lock))
        listed = await store.list_summaries()
        print(json.dumps({each.name: [each.message_count, each.row_count] for each in listed}))

asyncio.run(main(*sys.argv[1:]))
"""


def _list_with(package: Path, database: str, kind: str) -> dict[str, list[int]]:
    """List the sessions in a process with other code: the messages and the rows of each by its name."""
    command = [sys.executable, "-c", _LIST_SESSIONS, database, kind]
    environment = os.environ | {"PYTHONPATH": str(package)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _read_stored_counts(engine: sa.Engine) -> set[int | None]:
    with engine.connect() as connection:
        return {
            json.loads(each).get("message_count") for each in connection.execute(sa.select(_sessions.summary)).scalars()
        }


@pytest.mark.process
def test_a_new_field_is_right_for_old_sessions(database: str, engine: sa.Engine, tmp_path: Path) -> None:
    newer = copy_package(tmp_path / "newer", *_CHANGES)
    asyncio.run(_fill(database))
    engine.dispose()
    before, file_before = _read_tables(engine), _read_file(database, engine)
    expected = {f"question {number}": 2 for number in range(8)} | {"Mine": 3, "last words": 1, "empty": 0}

    listed = _list_with(newer, database, "reader")
    assert {name: count for name, (count, _) in listed.items()} == expected
    assert (_read_tables(engine), _read_file(database, engine)) == (before, file_before)
    assert _read_stored_counts(engine) == {None}

    assert _list_with(newer, database, "server") == listed
    assert _read_stored_counts(engine) == {0, 1, 2, 3}

    # Older code does the same with what newer code has stored.
    async def list_names() -> list[tuple[str, int]]:
        async with open_store(database) as store:
            return [(each.name, each.row_count) for each in await store.list_summaries()]

    assert dict(asyncio.run(list_names())) == {name: rows for name, (_, rows) in listed.items()}


def _read_file(database: str, engine: sa.Engine) -> bytes:
    """Return the bytes of an SQLite database; nothing of another one."""
    engine.dispose()  # SQLite loses its locks when the process that holds them closes the file elsewhere
    if "://" in database:
        return b""
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return Path(database).read_bytes()
