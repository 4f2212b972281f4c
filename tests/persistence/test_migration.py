"""The schema of the database, and migrations from older versions."""

import sqlite3
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa
from stores import listen_to_engines
from timeline_builders import ask_turn, text_decision, user_content

from adk_agent_sim.errors import StoreTooNew
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.persistence import migration, tables
from adk_agent_sim.persistence.database_engine import Durability, create_writer_engine, parse_database_url
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.persistence.row_codec import encode_event, encode_session
from adk_agent_sim.timeline.events import Event, RunEnded, RunOutcome, Session, TurnDecided, UserSpoke
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision
from adk_agent_sim.timeline.timeline import Timeline


@pytest.fixture
def engine(database: str) -> Generator[sa.Engine]:
    engine = sa.create_engine(parse_database_url(database))
    yield engine
    engine.dispose()


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
        "id", "created_at", "status", "proto_blob", "standing", "agent_name", "waiting", "last_seq", "last_event_at",
    }  # fmt: skip
    assert _columns(engine, "events") == {
        "event_id", "session_id", "seq", "timestamp", "turn_id", "payload_type", "proto_blob",
    }  # fmt: skip
    assert _columns(engine, "blocks") == {"session_id", "block_id", "data"}
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


@pytest.mark.req("003/schema-1", "003/schema-4")
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


def _fabricate_version_0(engine: sa.Engine, session: Session, events: list[Event]) -> None:
    """The two tables exactly as the specification declares them."""
    tables = sa.MetaData()
    sessions_0 = sa.Table(
        "sessions",
        tables,
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("created_at", sa.Integer, nullable=False),
        sa.Column("status", sa.String, nullable=False, default="active"),
        sa.Column("proto_blob", sa.LargeBinary, nullable=False),
    )
    events_0 = sa.Table(
        "events",
        tables,
        sa.Column("event_id", sa.String, primary_key=True),
        sa.Column("session_id", sa.String, nullable=False, index=True),
        sa.Column("timestamp", sa.BigInteger, nullable=False),
        sa.Column("turn_id", sa.String, nullable=False),
        sa.Column("payload_type", sa.String, nullable=False),
        sa.Column("proto_blob", sa.LargeBinary, nullable=False),
        sa.Index("idx_events_session_time", "session_id", "timestamp"),
        sa.Index("idx_events_turn", "turn_id"),
    )
    tables.create_all(engine)
    row = {"id": session.session_id, "created_at": int(session.created_at), "proto_blob": encode_session(session)}
    rows = [
        {
            "event_id": event.event_id,
            "session_id": event.session_id,
            "timestamp": int(event.timestamp * 1_000),
            "turn_id": event.turn_id,
            "payload_type": "response" if isinstance(event.payload, TurnDecided) else "user_spoke",
            "proto_blob": encode_event(event),
        }
        for event in events
    ]
    with engine.begin() as connection:
        connection.execute(sessions_0.insert(), row)
        connection.execute(events_0.insert(), rows)


def _event(number: int) -> Event:
    payload = (
        TurnDecided(decision_id="d", response=text_decision("x"))
        if number == 2
        else UserSpoke(content=user_content(str(number)))
    )
    return Event(event_id=str(uuid4()), session_id="s", seq=0, timestamp=1_700_000_000.0 + number, payload=payload)


async def test_an_older_database_is_migrated(database: str, engine: sa.Engine) -> None:
    session = Session(session_id="s", created_at=1_700_000_000.0, description="old")
    old = [_event(number) for number in (1, 2, 3)]
    _fabricate_version_0(engine, session, old[::-1])

    async with open_store(database) as store:
        log = await store.read_events("s")
        assert list(await store.list_active_sessions()) == [session]
        assert [(event.seq, event.event_id, event.payload) for event in log] == [
            (seq, event.event_id, event.payload) for seq, event in enumerate(old, start=1)
        ]
        assert (await store.append([_event(4)], ()))[0].seq == 4

    with engine.connect() as connection:
        assert migration.read_version(connection) == tables.SCHEMA_VERSION
    assert "events_0" not in sa.inspect(engine).get_table_names()


async def test_sessions_of_version_1_are_listed_with_their_status(database: str, engine: sa.Engine) -> None:
    async with open_store(database) as store:
        timeline = Timeline(store)
        sessions = [await timeline.create_session(name) for name in ("waiting", "done", "empty")]
        await ask_turn(timeline, sessions[0].session_id, "t1")
        await timeline.append(
            EventBatch(sessions[1].session_id, [RunEnded(invocation_id="i", outcome=RunOutcome.DONE)])
        )
        before = await store.list_summaries()
    with engine.begin() as connection:
        connection.execute(sa.text("DROP INDEX idx_sessions_created"))
        for column in ("standing", "agent_name", "waiting", "last_seq", "last_event_at"):
            connection.execute(sa.text(f"ALTER TABLE sessions DROP COLUMN {column}"))
        connection.execute(tables.schema_version.update().values(version=1))

    async with open_store(database) as store:
        assert await store.list_summaries() == before


async def test_a_migrated_database_has_the_schema_of_a_new_one(tmp_path: Path) -> None:
    def made(path: Path) -> set[tuple[str, str]]:
        with sqlite3.connect(path) as connection:
            found = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        connection.close()
        return set(found)

    old = sa.create_engine(f"sqlite:///{tmp_path / 'old.db'}")
    _fabricate_version_0(old, Session(session_id="s", created_at=1.0), [_event(1)])
    old.dispose()
    for name in ("old.db", "new.db"):
        async with open_store(tmp_path / name):
            pass

    assert made(tmp_path / "old.db") == made(tmp_path / "new.db")


async def test_a_migration_that_fails_changes_nothing(database: str, engine: sa.Engine) -> None:
    def half(connection: sa.Connection) -> None:
        migration.MIGRATION_STEPS[0](connection)
        raise InterruptedError

    _fabricate_version_0(engine, Session(session_id="s", created_at=1.0), [_event(1)])
    before = sa.inspect(engine).get_table_names()
    writing = create_writer_engine(parse_database_url(database), "full", lock_timeout=1.0)
    with pytest.raises(InterruptedError):
        migration.migrate(writing, parse_database_url(database), {0: half})
    writing.dispose()
    assert sa.inspect(engine).get_table_names() == before

    async with open_store(database) as store:
        assert len(await store.read_events("s")) == 1


async def test_a_newer_database_is_refused_and_not_changed(database: str, engine: sa.Engine) -> None:
    async with open_store(database):
        pass
    with engine.begin() as connection:
        connection.execute(tables.schema_version.update().values(version=tables.SCHEMA_VERSION + 1))

    with pytest.raises(StoreTooNew, match=r"version 3, but this release supports.*up to 2\. Upgrade with") as refused:
        async with open_store(database):
            pass

    assert (refused.value.found_version, refused.value.supported_version) == (3, 2)
    with engine.connect() as connection:
        assert migration.read_version(connection) == 3
