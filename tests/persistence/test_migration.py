"""The schema of the database, and migrations from older versions."""

import json
import sqlite3
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
import sqlalchemy as sa
from stores import append_drafts, listen_to_engines
from timeline_builders import ask_turn, text_decision, user_content

from adk_agent_sim.errors import StoreTooNew
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.persistence import migration, tables
from adk_agent_sim.persistence.database_engine import Durability, create_writer_engine, parse_database_url
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.persistence.row_codec import encode_event, encode_session
from adk_agent_sim.timeline.events import Event, RunEnded, RunOutcome, Session, TurnDecided, Unreadable, UserSpoke
from adk_agent_sim.timeline.read_model.session_read_model import create_read_model
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.session_events import SERVER_STOPPED_IN_RUN
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision
from adk_agent_sim.timeline.timeline import Timeline

_VERSION_2 = Path(__file__).with_name("version_2.json")
"""What the last release with version 2 of the tables wrote: sessions of every status, and malformed events."""


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
        "last_event_at", "summary", "rows_state",
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
        assert [summary.session for summary in await store.list_summaries()] == [session]
        assert [(event.seq, event.event_id, event.payload) for event in log] == [
            (seq, event.event_id, event.payload) for seq, event in enumerate(old, start=1)
        ]
        assert (await append_drafts(store, [_event(4)]))[0].seq == 4

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
        for table in ("timeline_rows", "pending_requests"):
            connection.execute(sa.text(f"DROP TABLE {table}"))
        for column in ("session_status", "name", "agent_names", "last_seq", "last_event_at", "summary", "rows_state"):
            connection.execute(sa.text(f"ALTER TABLE sessions DROP COLUMN {column}"))
        connection.execute(tables.schema_version.update().values(version=1))

    async with open_store(database) as store:
        assert await store.list_summaries() == before


def _fabricate_version_2(engine: sa.Engine) -> None:
    """The tables of version 2, with what its code had written."""
    metadata = sa.MetaData()
    version = sa.Table("schema_version", metadata, sa.Column("version", sa.Integer, nullable=False))
    sa.Table(
        "sessions",
        metadata,
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("status", sa.String, nullable=False, server_default="active"),
        sa.Column("proto_blob", sa.LargeBinary, nullable=False),
        sa.Column("standing", sa.String, nullable=False, server_default="running"),
        sa.Column("agent_name", sa.String, nullable=False, server_default=""),
        sa.Column("waiting", sa.Integer, nullable=False, server_default="0"),
        sa.Column("last_seq", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("last_event_at", sa.BigInteger, nullable=False, server_default="0"),
        sa.Index("idx_sessions_created", "created_at", "id"),
    )
    for table in (tables.events, tables.blocks):
        table.to_metadata(metadata)  # unchanged since version 2
    metadata.create_all(engine)
    stored: dict[str, list[dict[str, Any]]] = json.loads(_VERSION_2.read_text(encoding="utf-8"))
    with engine.begin() as connection:
        connection.execute(version.insert(), {"version": 2})
        for name, rows in stored.items():
            values = [
                {
                    column: b64decode(cast("dict[str, str]", value)["base64"]) if isinstance(value, dict) else value
                    for column, value in row.items()
                }
                for row in rows
            ]
            connection.execute(metadata.tables[name].insert(), values)


class TestVersion2:
    async def test_every_session_has_its_summary(self, database: str, engine: sa.Engine) -> None:
        _fabricate_version_2(engine)

        async with open_store(database) as store:
            summaries = list(reversed(await store.list_summaries()))
            queue = await store.list_pending()
        assert [(summary.name, summary.status.value, summary.row_count) for summary in summaries] == [
            ("waiting", "waiting", 1),
            ("What is 2+2?", "done", 2),
            ("Delete it", "waiting", 2),
            ("malformed", "running", 4),
            ("closed", "closed", 2),
            ("failed", "failed", 2),
            ("empty", "new", 0),
        ]
        assert [(entry.request.kind.value, entry.summary.name) for entry in queue] == [
            ("model", "waiting"),
            ("consent", "Delete it"),
        ]
        assert {request.agent_path for summary in summaries for request in summary.pending.values()} == {None}

    async def test_malformed_events_are_rows_that_say_why_and_the_others_are_rows_as_usual(
        self, database: str, engine: sa.Engine
    ) -> None:
        _fabricate_version_2(engine)

        async with open_store(database) as store:
            malformed = next(each for each in await store.list_summaries() if each.name == "malformed")
            session_id = malformed.session.session_id
            rows = await store.read_rows(session_id, 0, 100)
            log = await store.read_events(session_id)
        assert [(row.kind.value, row.subject) for row in rows] == [
            ("user", ""),
            ("error", "unreadable event"),
            ("error", "unreadable event"),
            ("user", ""),
        ]
        assert "content" in rows[1].summary
        assert [isinstance(event.payload, Unreadable) for event in log] == [False, False, True, True, False]

    async def test_a_session_continues_where_it_was(self, database: str, engine: sa.Engine) -> None:
        _fabricate_version_2(engine)

        async with open_store(database) as store:
            timeline = Timeline(store)
            (turn, _) = await timeline.list_pending()
            session_id = turn.summary.session.session_id
            await timeline.decide(TurnDecision(session_id, turn.request.request_id, text_decision("hi")))
            await timeline.append(EventBatch(session_id, [RunEnded(invocation_id="inv", outcome=RunOutcome.DONE)]))
            summary = await store.find_summary(session_id)
        assert summary
        assert (summary.status.value, summary.last_seq, summary.pending) == ("done", 5, {})

    async def test_the_read_model_is_what_the_events_would_have_made_of_it(
        self, database: str, engine: sa.Engine
    ) -> None:
        _fabricate_version_2(engine)

        async with open_store(database) as store:
            for summary in await store.list_summaries():
                session_id = summary.session.session_id
                folded = create_read_model(summary.session)
                rows: dict[int, TimelineRow] = {}
                for event in await store.read_events(session_id):
                    folded = folded.with_events([event])
                    rows.update((row.index, row) for row in folded.changed_rows)
                if summary.name != "malformed":  # an event that cannot be read has no time of its own
                    assert await store.load_read_model(session_id) == folded
                    assert list(await store.read_rows(session_id, 0, 100)) == list(rows.values())


async def test_a_migrated_database_has_the_schema_of_a_new_one(tmp_path: Path) -> None:
    def read_schema(path: Path) -> set[tuple[str, str]]:
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

    assert read_schema(tmp_path / "old.db") == read_schema(tmp_path / "new.db")


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


async def test_version_3_gets_the_access_tokens(database: str, engine: sa.Engine) -> None:
    async with open_store(database) as store:
        await Timeline(store).create_session("kept")
    with engine.begin() as connection:
        tables.access_tokens.drop(connection)
        connection.execute(tables.schema_version.update().values(version=3))

    async with open_store(database) as store:
        assert await store.tokens.list_tokens() == []
        assert [summary.session.description for summary in await store.list_summaries()] == ["kept"]
    assert _columns(engine, "access_tokens") == {
        "id", "name", "kind", "digest", "created_at", "expires_at", "parent_id",
    }  # fmt: skip


async def test_version_4_learns_why_sessions_were_closed(database: str, engine: sa.Engine) -> None:
    async with open_store(database) as store:
        timeline = Timeline(store)
        for name, reason in (("stopped", SERVER_STOPPED_IN_RUN), ("closed", "done"), ("open", "")):
            session = await timeline.create_session(name)
            if reason:
                await timeline.close_session(session.session_id, reason)
    with engine.begin() as connection:
        for session_id, summary in connection.execute(sa.select(tables.sessions.c.id, tables.sessions.c.summary)):
            value = json.loads(summary)
            del value["closing_reason"]
            blob = {"summary": json.dumps(value).encode()}
            connection.execute(tables.sessions.update().where(tables.sessions.c.id == session_id), blob)
        connection.execute(tables.schema_version.update().values(version=4))

    async with open_store(database) as store:
        reasons = {each.session.description: each.closing_reason for each in await store.list_summaries()}
    assert reasons == {"stopped": SERVER_STOPPED_IN_RUN, "closed": "done", "open": ""}


async def test_a_newer_database_is_refused_and_not_changed(database: str, engine: sa.Engine) -> None:
    async with open_store(database):
        pass
    with engine.begin() as connection:
        connection.execute(tables.schema_version.update().values(version=tables.SCHEMA_VERSION + 1))

    advice = r"version 6, but this release supports.*up to 5\. Install the newer adksim"
    with pytest.raises(StoreTooNew, match=advice) as refused:
        async with open_store(database):
            pass

    assert (refused.value.found_version, refused.value.supported_version) == (6, 5)
    with engine.connect() as connection:
        assert migration.read_version(connection) == 6
