"""Errors of databases that cannot be used; nothing is written partially."""

import asyncio
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from stores import append_drafts, create_empty_database, listen_to_engines

from adk_agent_sim.errors import StoreFailed, StoreNotOpened
from adk_agent_sim.persistence.database_store import DatabaseStore, open_store
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import Closed, Event, Session, Unreadable


def _draft() -> Event:
    return Event(event_id=str(uuid4()), session_id="s", seq=0, timestamp=1.0, payload=Closed(reason=""))


_NOTES = b"# Notes\n" * 1_000


def _damage(path: Path, table: str) -> None:
    """Overwrite the first page of a table and of its indexes."""
    with sqlite3.connect(path) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        roots = connection.execute("SELECT rootpage FROM sqlite_master WHERE tbl_name = ?", (table,)).fetchall()
    connection.close()
    pages = bytearray(path.read_bytes())
    for (root,) in roots:
        pages[(root - 1) * size : root * size] = b"\xaa" * size
    path.write_bytes(pages)


async def _new(store: DatabaseStore) -> None:
    await store.create_session(Session(session_id="s", created_at=1.0))


async def test_a_locked_database(sqlite_path: Path) -> None:
    async with open_store(sqlite_path, lock_timeout=0) as store:
        await _new(store)
        other = sqlite3.connect(sqlite_path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreFailed, match=r"Cannot write to .*simulator\.db: another process is writing to it\."):
            await append_drafts(store, [_draft()])
        async with open_store(sqlite_path, lock_timeout=0) as reading:
            assert await reading.find_summary("s"), "it can be opened and read all the same"
        other.execute("ROLLBACK")
        other.close()

        assert await store.find_summary("s")
        assert (await append_drafts(store, [_draft()]))[0].seq == 1


async def test_a_read_only_database(sqlite_path: Path) -> None:
    read_only = f"sqlite:///file:{sqlite_path}?mode=ro&uri=true"
    sqlite3.connect(sqlite_path).close()
    with pytest.raises(StoreFailed, match=r"Cannot open the database .*it is read-only.*writable"):
        async with open_store(read_only):
            pass
    async with open_store(sqlite_path) as store:
        await _new(store)

    async with open_store(read_only) as store:
        assert await store.find_summary("s")
        with pytest.raises(StoreFailed, match="it is read-only"):
            await append_drafts(store, [_draft()])
        assert not await store.read_events("s")


async def test_a_full_disk(sqlite_path: Path) -> None:
    def limit(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA max_page_count=60")

    async with open_store(sqlite_path) as store:
        await _new(store)
    with listen_to_engines("connect", limit):
        async with open_store(sqlite_path) as store:
            answers = await asyncio.gather(
                *(
                    append_drafts(store, [_draft()], [Block.from_data(bytes([number]) * 200_000)])
                    for number in range(3)
                ),
                return_exceptions=True,
            )
            assert all(isinstance(answer, StoreFailed) for answer in answers)
            assert "the disk is full. Free some space" in str(answers[0])
            assert not await store.read_events("s")
            assert (await append_drafts(store, [_draft()]))[0].seq == 1, "what fits is taken"


@pytest.mark.parametrize("content", [_NOTES, b"x", b"SQLite format 4"])
async def test_a_file_that_is_not_a_database_is_not_touched(sqlite_path: Path, content: bytes) -> None:
    await asyncio.to_thread(sqlite_path.write_bytes, content)
    await asyncio.to_thread(sqlite_path.chmod, 0o644)

    with pytest.raises(StoreFailed, match=r"Cannot open the database .*: the file is not a database\. Choose another"):
        async with open_store(sqlite_path):
            pass
    assert await asyncio.to_thread(sqlite_path.read_bytes) == content
    if os.name == "posix":
        status = await asyncio.to_thread(sqlite_path.stat)
        assert stat.S_IMODE(status.st_mode) == 0o644


async def test_a_damaged_file(sqlite_path: Path) -> None:
    async with open_store(sqlite_path) as store:
        await _new(store)
    _damage(sqlite_path, "events")

    async with open_store(sqlite_path) as store:
        with pytest.raises(StoreFailed, match=r"Cannot read from .*: the file is damaged\. Restore a copy of it"):
            await store.read_events("s")
        with pytest.raises(StoreFailed, match=r"Cannot write to .*: the file is damaged\. Restore a copy of it"):
            await append_drafts(store, [_draft()])


async def test_an_event_that_is_not_a_message(sqlite_path: Path) -> None:
    async with open_store(sqlite_path) as store:
        await _new(store)
        await append_drafts(store, [_draft()])
        with sqlite3.connect(sqlite_path) as connection:
            connection.execute("UPDATE events SET proto_blob = x'ff'")
        connection.close()

        (event,) = await store.read_events("s")
        assert isinstance(event.payload, Unreadable)


async def test_a_connection_that_the_server_closed_is_replaced(postgres: str) -> None:
    async with open_store(create_empty_database(postgres)) as store:
        await _new(store)
        assert not await store.read_events("s")
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                " AND backend_type = 'client backend'"
            )

        assert (await append_drafts(store, [_draft()]))[0].seq == 1
        assert len(await store.read_events("s")) == 1


async def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(StoreFailed, match=r"the file cannot be opened\. Its folder must exist"):
        async with open_store(tmp_path / "none" / "simulator.db"):
            pass


async def test_a_server_that_does_not_answer_is_named_without_its_password() -> None:
    with pytest.raises(StoreFailed, match="Check that the server is running") as refused:
        async with open_store("postgresql://me:secret@127.0.0.1:1/none"):
            pass
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("mysql://host/database", "mysql is not supported"),
        ("sqlite://", "is lost with its connection"),
        (":memory:", "is lost with its connection"),
        ("postgresql://host:port/database", "Specify a path, sqlite:///PATH or postgresql:"),
    ],
)
async def test_an_invalid_address(address: str, why: str) -> None:
    with pytest.raises(StoreNotOpened, match=why):
        async with open_store(address):
            pass


@pytest.mark.process
def test_a_missing_driver_is_named_with_how_to_install_it() -> None:
    code = """
import asyncio, sys
sys.modules["psycopg"] = None
from adk_agent_sim.persistence.database_store import open_store
async def main():
    async with open_store("postgresql://host/database"): pass
asyncio.run(main())
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert 'pip install "psycopg[binary]>=3.2"' in ran.stderr
