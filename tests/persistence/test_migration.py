"""The schema of the database, and its migration between versions."""

import asyncio
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from stores import listen_to_engines
from timeline_builders import ask_turn, text_decision

from adk_agent_sim.errors import StoreTooNew, StoreTooOld
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.persistence import migration, tables
from adk_agent_sim.persistence.database_engine import Durability
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.events import Session
from adk_agent_sim.timeline.submissions import TurnDecision
from adk_agent_sim.timeline.timeline import Timeline


def _columns(engine: sa.Engine, table: str) -> set[str]:
    return {column["name"] for column in sa.inspect(engine).get_columns(table)}


def _nullable(engine: sa.Engine, table: str) -> set[str]:
    return {column["name"] for column in sa.inspect(engine).get_columns(table) if column["nullable"]}


def _indexes(engine: sa.Engine) -> dict[str | None, tuple[list[str | None], bool]]:
    found = sa.inspect(engine).get_indexes("events")
    return {index["name"]: (index["column_names"], bool(index["unique"])) for index in found}


@pytest.mark.req("003/schema-2", "003/schema-3", "003/schema-4", "003/schema-11")
async def test_opening_creates_the_tables(database: str, engine: sa.Engine) -> None:
    async with open_store(database):
        pass
    tables = sa.inspect(engine)

    assert _columns(engine, "sessions") == {
        "id", "created_at", "status", "proto_blob", "session_status", "name", "agent_names", "last_seq",
        "last_event_at", "annotations", "summary", "rows_state", "fold_digest",
    }  # fmt: skip
    assert _columns(engine, "events") == {
        "event_id", "session_id", "seq", "timestamp", "turn_id", "payload_type", "proto_blob",
    }  # fmt: skip
    assert _columns(engine, "blocks") == {"session_id", "block_id", "data"}
    assert _columns(engine, "timeline_rows") == {"session_id", "row_index", "updated_seq", "data"}
    assert _columns(engine, "pending_requests") == {"session_id", "request_id", "requested_at", "position"}
    assert tables.get_pk_constraint("sessions")["constrained_columns"] == ["id"]
    assert tables.get_pk_constraint("events")["constrained_columns"] == ["event_id"]
    assert tables.get_pk_constraint("blocks")["constrained_columns"] == ["session_id", "block_id"]
    assert not _nullable(engine, "sessions") | _nullable(engine, "events") | _nullable(engine, "blocks")
    (status,) = [column for column in tables.get_columns("sessions") if column["name"] == "status"]
    assert "active" in str(status["default"])


@pytest.mark.process
@pytest.mark.req("003/schema-9")
def test_the_orm_is_not_even_loaded() -> None:
    code = "import sys, adk_agent_sim.persistence.database_store; sys.exit('sqlalchemy.orm' in sys.modules)"

    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.req("003/schema-6", "003/schema-7", "003/schema-8")
async def test_events_have_their_indexes(database: str, engine: sa.Engine) -> None:
    async with open_store(database):
        pass

    assert _indexes(engine) == {
        "idx_events_session_seq": (["session_id", "seq"], True),
        "idx_events_session_time": (["session_id", "timestamp"], False),
        "idx_events_turn": (["turn_id"], False),
        "idx_events_decision": (["session_id", "turn_id"], True),
    }


@pytest.mark.req("003/schema-1", "003/schema-3", "003/schema-4")
async def test_a_row_has_the_whole_message_and_the_searched_columns(database: str, engine: sa.Engine) -> None:
    async with open_store(database) as store:
        timeline = Timeline(store)
        session = await timeline.create_session("a test")
        asked = await ask_turn(timeline, session.session_id, "t1")
        decided = await timeline.decide(TurnDecision(session.session_id, "t1", text_decision("yes")))

    with engine.connect() as connection:
        rows = connection.execute(sa.select(tables.events).order_by(tables.events.c.seq)).all()
        (kept,) = connection.execute(sa.select(tables.sessions)).all()
    assert [(row.event_id, row.seq, row.turn_id, row.payload_type) for row in rows] == [
        (asked.event_id, 1, "t1", "request"),
        (decided.event_id, 2, "t1", "response"),
    ]
    assert rows[1].timestamp == round(decided.timestamp * 1_000)
    stored = v1.SessionEvent.FromString(rows[1].proto_blob)
    assert (stored.event_id, stored.seq, stored.agent_name) == (decided.event_id, 2, "math")
    assert stored.timestamp.ToMilliseconds() == int(decided.timestamp * 1_000)
    assert (kept.id, kept.status) == (session.session_id, "active")
    assert kept.created_at == round(session.created_at * 1_000)
    assert v1.SimulatorSession.FromString(kept.proto_blob).description == "a test"


@pytest.mark.parametrize(("durability", "synchronous"), [("full", 2), ("normal", 1)])
async def test_sqlite_uses_a_write_ahead_log_and_the_requested_durability(
    sqlite_path: Path, durability: Durability, synchronous: int
) -> None:
    asked: list[tuple[str, int]] = []

    def ask_connection(connection: sqlite3.Connection, *_: object) -> None:
        (journal,) = connection.execute("PRAGMA journal_mode").fetchone()
        (flushes,) = connection.execute("PRAGMA synchronous").fetchone()
        asked.append((journal, flushes))

    with listen_to_engines("checkin", ask_connection):
        async with open_store(sqlite_path, durability=durability) as store:
            asked.clear()
            await store.create_session(Session(session_id="s", created_at=1.0))

    assert asked == [("wal", synchronous)]


def _write_older_database(engine: sa.Engine, version: int) -> None:
    """Write a database of a development version; version 0 had the two tables of the specification only."""
    metadata = sa.MetaData()
    sa.Table("sessions", metadata, sa.Column("id", sa.String, primary_key=True))
    sa.Table("events", metadata, sa.Column("event_id", sa.String, primary_key=True))
    if version:
        tables.schema_version.to_metadata(metadata)
    metadata.create_all(engine)
    with engine.begin() as connection:
        if version:
            connection.execute(tables.schema_version.insert(), {"version": version})
        connection.execute(metadata.tables["sessions"].insert(), {"id": "s"})
    engine.dispose()


@pytest.mark.parametrize("version", [0, 1, 5])
async def test_a_database_of_a_development_version_is_refused(database: str, engine: sa.Engine, version: int) -> None:
    _write_older_database(engine, version)

    with pytest.raises(StoreTooOld, match=rf"a development version wrote it \(version {version}") as refused:
        async with open_store(database):
            pass

    assert refused.value.found_version == version
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT id FROM sessions")).scalars().all() == ["s"]
        assert migration.read_version(connection) == version


@pytest.mark.parametrize("version", [0, 5])
def test_the_file_of_a_development_version_stays_as_it_is(sqlite_path: Path, version: int) -> None:
    async def open_it() -> None:
        async with open_store(sqlite_path):
            pass

    _write_older_database(sa.create_engine(f"sqlite:///{sqlite_path}"), version)
    before = sqlite_path.read_bytes()
    with pytest.raises(StoreTooOld):
        asyncio.run(open_it())

    assert sqlite_path.read_bytes() == before
    assert [path.name for path in sqlite_path.parent.iterdir()] == [sqlite_path.name]


class TestNextVersion:
    """The version after this one, with a step for it, opens a database of this version."""

    @pytest.fixture(autouse=True)
    async def stored(self, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
        async with open_store(database) as store:
            await Timeline(store).create_session("kept")
        monkeypatch.setattr(tables, "SCHEMA_VERSION", tables.SCHEMA_VERSION + 1)

    @staticmethod
    def _set_step(monkeypatch: pytest.MonkeyPatch, step: migration.MigrationStep) -> None:
        monkeypatch.setattr(migration, "MIGRATION_STEPS", {tables.SCHEMA_VERSION - 1: step})

    async def test_its_step_runs_once(self, database: str, engine: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
        self._set_step(monkeypatch, _add_column)
        for _ in range(2):
            async with open_store(database) as store:
                assert [each.session.description for each in await store.list_summaries()] == ["kept"]

        assert "added" in _columns(engine, "sessions")
        with engine.connect() as connection:
            assert migration.read_version(connection) == tables.SCHEMA_VERSION

    async def test_a_step_that_fails_changes_nothing(
        self, database: str, engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(connection: sa.Connection) -> None:
            _add_column(connection)
            raise InterruptedError

        self._set_step(monkeypatch, fail)
        with pytest.raises(InterruptedError):
            async with open_store(database):
                pass

        assert "added" not in _columns(engine, "sessions")
        with engine.connect() as connection:
            assert migration.read_version(connection) == tables.SCHEMA_VERSION - 1


def _add_column(connection: sa.Connection) -> None:
    connection.execute(sa.text("ALTER TABLE sessions ADD COLUMN added INTEGER"))


def test_every_version_from_the_first_on_has_a_step() -> None:
    assert list(migration.MIGRATION_STEPS) == list(range(migration.FIRST_VERSION, tables.SCHEMA_VERSION))


async def test_a_newer_database_is_refused_and_not_changed(database: str, engine: sa.Engine) -> None:
    async with open_store(database):
        pass
    with engine.begin() as connection:
        connection.execute(tables.schema_version.update().values(version=tables.SCHEMA_VERSION + 1))

    advice = r"version 7, but this release supports.*up to 6\. Install the newer adksim"
    with pytest.raises(StoreTooNew, match=advice) as refused:
        async with open_store(database):
            pass

    assert (refused.value.found_version, refused.value.supported_version) == (7, 6)
    with engine.connect() as connection:
        assert migration.read_version(connection) == 7
