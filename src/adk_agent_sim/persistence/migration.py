"""Migrates a database to the schema of this release: creates the tables, upgrades older ones, rejects newer ones.

    no tables --> SCHEMA_VERSION     0 --step--> 1 --step--> ... --> SCHEMA_VERSION     newer: rejected, unchanged

Everything runs in one transaction, so a process that dies during a migration has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Column, Connection, Engine, Table, and_, bindparam, delete, inspect, select, text, update
from sqlalchemy.engine import URL
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateIndex, ExecutableDDLElement
from sqlalchemy.sql.compiler import DDLCompiler

from adk_agent_sim.errors import StoreTooNew
from adk_agent_sim.persistence import tables
from adk_agent_sim.persistence.database_engine import format_url
from adk_agent_sim.persistence.read_model_codec import decode_row, decode_summary, encode_summary
from adk_agent_sim.persistence.row_codec import decode_session, read_stored_event
from adk_agent_sim.persistence.transaction import to_pending_rows, to_read_model_columns, to_timeline_rows
from adk_agent_sim.timeline.event_kinds import KIND_NAMES
from adk_agent_sim.timeline.events import Closed, Event, Unreadable
from adk_agent_sim.timeline.read_model.line_summary import summarize_text
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel, create_read_model
from adk_agent_sim.timeline.read_model.session_status import SessionStatus
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow

MigrationStep = Callable[[Connection], None]

_EVENTS_PER_PAGE = 1_000
"""How many events are folded at a time."""

_ADVISORY_LOCK = 0x61646B73
"""The key of the PostgreSQL lock that lets one process migrate at a time; any number that all processes share."""


def migrate(engine: Engine, url: URL, steps: Mapping[int, MigrationStep] | None = None) -> None:
    """Migrate the database; `steps` are `MIGRATION_STEPS` by default. Raise StoreTooNew for a newer schema."""
    with engine.connect() as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        # Read only under the lock: another process may have migrated the database while this one waited for it.
        version = read_version(connection)
        if version is None:
            tables.metadata.create_all(connection)
            connection.execute(tables.schema_version.insert(), {"version": tables.SCHEMA_VERSION})
        elif version > tables.SCHEMA_VERSION:
            raise StoreTooNew(format_url(url), version, tables.SCHEMA_VERSION)
        elif version < tables.SCHEMA_VERSION:
            _run_steps(connection, version, steps or MIGRATION_STEPS)


def read_version(connection: Connection) -> int | None:
    """Return the version of the schema; None if the database has no tables."""
    table_names = set(inspect(connection).get_table_names())
    if tables.schema_version.name in table_names:
        return connection.execute(select(tables.schema_version.c.version)).scalar_one()
    # Version 0 had no table for the version.
    return 0 if tables.events.name in table_names else None


def _run_steps(connection: Connection, current_version: int, steps: Mapping[int, MigrationStep]) -> None:
    """Run the steps from `current_version` to the version of this release."""
    for start in range(current_version, tables.SCHEMA_VERSION):
        steps[start](connection)
        connection.execute(tables.schema_version.update().values(version=bindparam("reached")), {"reached": start + 1})


def _migrate_from_0(connection: Connection) -> None:
    """Version 0 had only the two tables of the specification: no version, no blocks, no `seq`."""
    # A table that is renamed keeps its indexes, whose names `create_all` needs below.
    connection.execute(text("DROP INDEX IF EXISTS ix_events_session_id"))
    connection.execute(text("DROP INDEX IF EXISTS idx_events_session_time"))
    connection.execute(text("DROP INDEX IF EXISTS idx_events_turn"))
    for table in (tables.sessions, tables.events):
        connection.execute(text(f"ALTER TABLE {table.name} RENAME TO {table.name}_0"))
    if connection.dialect.name == "postgresql":
        # In PostgreSQL the index name of a primary key stays taken until its table is dropped.
        for table in (tables.sessions, tables.events):
            connection.execute(text(f"ALTER INDEX {table.name}_pkey RENAME TO {table.name}_0_pkey"))
    tables.metadata.create_all(connection)
    connection.execute(
        text(
            "INSERT INTO sessions (id, created_at, status, proto_blob)"
            # In PostgreSQL the column is a 32-bit integer, in which milliseconds since 1970 would overflow.
            " SELECT id, created_at * CAST(1000 AS BIGINT), status, proto_blob FROM sessions_0"
        )
    )
    connection.execute(
        text(
            "INSERT INTO events (event_id, session_id, seq, timestamp, turn_id, payload_type, proto_blob)"
            " SELECT event_id, session_id,"
            " row_number() OVER (PARTITION BY session_id ORDER BY timestamp, event_id),"
            " timestamp, turn_id, payload_type, proto_blob FROM events_0"
        )
    )
    connection.execute(text("DROP TABLE events_0"))
    connection.execute(text("DROP TABLE sessions_0"))
    # `_run_steps` updates this row after each step.
    connection.execute(tables.schema_version.insert(), {"version": 0})


def _migrate_from_1(connection: Connection) -> None:
    """Version 2 added columns to the sessions that version 3 has replaced."""


def _migrate_from_2(connection: Connection) -> None:
    """Version 2 had a status and counts of each session, but no names, pending requests and rows."""
    # A database that was migrated from version 0 has all columns and tables already: that step creates the latest ones.
    existing = {column["name"] for column in inspect(connection).get_columns(tables.sessions.name)}
    for column in tables.sessions.columns:
        if column.name not in existing:
            connection.execute(AddColumn(tables.sessions, column))
    for name in ("standing", "agent_name", "waiting"):
        if name in existing:
            connection.execute(text(f"ALTER TABLE {tables.sessions.name} DROP COLUMN {name}"))
    tables.metadata.create_all(connection)
    for index in tables.sessions.indexes:
        connection.execute(CreateIndex(index, if_not_exists=True))
    for session_id in connection.execute(select(tables.sessions.c.id)).scalars().all():
        rebuild_read_model(connection, session_id)


def _migrate_from_3(connection: Connection) -> None:
    """Version 3 had no access tokens: its server kept one in a file."""
    tables.access_tokens.create(connection, checkfirst=True)


def _migrate_from_4(connection: Connection) -> None:
    """Version 4 did not have in its summaries why a session was closed, so lists could not say it."""
    sessions, events = tables.sessions.c, tables.events.c
    closing = (
        select(events.seq, events.proto_blob)
        .where(events.session_id == bindparam("session_id"), events.payload_type == KIND_NAMES[Closed])
        .order_by(events.seq.desc())
        .limit(1)
    )
    closed = select(sessions.id, sessions.proto_blob, sessions.summary).where(
        sessions.session_status == SessionStatus.CLOSED
    )
    for session_id, blob, summary in connection.execute(closed).all():
        row = connection.execute(closing, {"session_id": session_id}).first()
        event = None if row is None else read_stored_event(session_id, row.seq, row.proto_blob)
        before = decode_summary(decode_session(blob), summary)
        if event is not None and isinstance(event.payload, Closed) and not before.is_broken:
            after = encode_summary(replace(before, closing_reason=summarize_text(event.payload.reason)))
            connection.execute(update(tables.sessions).where(sessions.id == session_id), {"summary": after})


def rebuild_read_model(connection: Connection, session_id: str) -> None:
    """Fold the read model of a session from its log again; an event that cannot be read becomes one row."""
    sessions, events = tables.sessions.c, tables.events.c
    blob = connection.execute(select(sessions.proto_blob).where(sessions.id == session_id)).scalar_one()
    read_model = create_read_model(decode_session(blob))
    for table in (tables.timeline_rows, tables.pending_requests):
        connection.execute(delete(table).where(table.c.session_id == session_id))
    page = (
        select(events.seq, events.timestamp, events.proto_blob)
        .where(events.session_id == session_id, events.seq > bindparam("after_seq"))
        .order_by(events.seq)
        .limit(_EVENTS_PER_PAGE)
    )
    while rows := connection.execute(page, {"after_seq": read_model.summary.last_seq}).all():
        log = [_read_event(session_id, row) for row in rows]
        read_model = read_model.with_events(log, _read_noted_rows(connection, read_model, log))
        if timeline_rows := to_timeline_rows(read_model):
            connection.execute(delete(tables.timeline_rows).where(_is_row), _list_row_keys(timeline_rows))
            connection.execute(tables.timeline_rows.insert(), timeline_rows)
    connection.execute(update(tables.sessions).where(sessions.id == session_id), to_read_model_columns(read_model))
    if pending := to_pending_rows(read_model.summary):
        connection.execute(tables.pending_requests.insert(), pending)


def _read_noted_rows(connection: Connection, read_model: SessionReadModel, log: Sequence[Event]) -> list[TimelineRow]:
    """Read the rows of earlier pages that notes of this page are about."""
    keys = {"key_session_id": read_model.summary.session.session_id}
    found = (
        connection.execute(select(tables.timeline_rows.c.data).where(_is_row), keys | {"key_row_index": index})
        for index in read_model.list_missing_rows(log)
    )
    return [decode_row(row.scalar_one()) for row in found]


_is_row = and_(
    tables.timeline_rows.c.session_id == bindparam("key_session_id"),
    tables.timeline_rows.c.row_index == bindparam("key_row_index"),
)


def _list_row_keys(timeline_rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"key_session_id": row["session_id"], "key_row_index": row["row_index"]} for row in timeline_rows]


def _read_event(session_id: str, row: Any) -> Event:
    event = read_stored_event(session_id, row.seq, row.proto_blob)
    # An event that cannot be read has no time of its own.
    return replace(event, timestamp=row.timestamp / 1_000) if isinstance(event.payload, Unreadable) else event


class AddColumn(ExecutableDDLElement):
    """The DDL that adds a column to an existing table."""

    inherit_cache = False

    def __init__(self, table: Table, column: Column[Any]) -> None:
        self.table = table
        self.column = column


@compiles(AddColumn)
def _compile_add_column(element: AddColumn, compiler: DDLCompiler, **_: Any) -> str:
    return f"ALTER TABLE {element.table.name} ADD COLUMN {compiler.get_column_specification(element.column)}"


MIGRATION_STEPS: Mapping[int, MigrationStep] = {
    0: _migrate_from_0,
    1: _migrate_from_1,
    2: _migrate_from_2,
    3: _migrate_from_3,
    4: _migrate_from_4,
}
"""The steps by the version that they start from."""
