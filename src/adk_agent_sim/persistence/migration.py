"""Migrates a database to the schema of this release: creates the tables, upgrades older ones, rejects newer ones.

    no tables --> SCHEMA_VERSION     0 --step--> 1 --step--> ... --> SCHEMA_VERSION     newer: rejected, unchanged

Everything runs in one transaction, so a process that dies during a migration has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Column, Connection, Engine, Table, bindparam, inspect, select, text, update
from sqlalchemy.engine import URL
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateIndex, ExecutableDDLElement
from sqlalchemy.sql.compiler import DDLCompiler

from adk_agent_sim.errors import StoreTooNew
from adk_agent_sim.persistence import tables
from adk_agent_sim.persistence.database_engine import format_url
from adk_agent_sim.persistence.row_codec import decode_event
from adk_agent_sim.persistence.transaction import to_snapshot_columns
from adk_agent_sim.timeline.session_progress import SessionProgress, StatusSnapshot

MigrationStep = Callable[[Connection], None]

_ADVISORY_LOCK = 0x61646B73
"""The key of the PostgreSQL lock that lets one process migrate at a time; any number that all processes share."""


def migrate(engine: Engine, url: URL, steps: Mapping[int, MigrationStep] | None = None) -> None:
    """Migrate the database; `steps` are `MIGRATION_STEPS` by default. Raise StoreTooNew for a newer schema."""
    with engine.connect() as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
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
    connection.execute(tables.schema_version.insert(), {"version": 0})


def _migrate_from_1(connection: Connection) -> None:
    """Version 1 had no status columns: they are computed from the logs."""
    existing = {column["name"] for column in inspect(connection).get_columns(tables.sessions.name)}
    for column in tables.sessions.columns:
        if column.name not in existing:
            connection.execute(AddColumn(tables.sessions, column))
    connection.execute(CreateIndex(next(iter(tables.sessions.indexes)), if_not_exists=True))
    for session_id in connection.execute(select(tables.sessions.c.id)).scalars().all():
        _backfill_snapshot(connection, session_id)


def _backfill_snapshot(connection: Connection, session_id: str) -> None:
    events = tables.events.c
    log = select(events.seq, events.timestamp, events.proto_blob)
    rows = connection.execute(log.where(events.session_id == session_id).order_by(events.seq)).all()
    progress = SessionProgress()
    for row in rows:
        try:
            progress = progress.with_event(decode_event(row.proto_blob))
        except ValueError:  # an event of version 0, which timelines cannot read
            break
    created = select(tables.sessions.c.created_at).where(tables.sessions.c.id == session_id)
    last_event_at = rows[-1].timestamp if rows else connection.execute(created).scalar_one()
    connection.execute(
        update(tables.sessions).where(tables.sessions.c.id == session_id),
        to_snapshot_columns(StatusSnapshot.from_progress(progress))
        | {"last_seq": rows[-1].seq if rows else 0, "last_event_at": last_event_at},
    )


class AddColumn(ExecutableDDLElement):
    """The DDL that adds a column to an existing table."""

    inherit_cache = False

    def __init__(self, table: Table, column: Column[Any]) -> None:
        self.table = table
        self.column = column


@compiles(AddColumn)
def _compile_add_column(element: AddColumn, compiler: DDLCompiler, **_: Any) -> str:
    return f"ALTER TABLE {element.table.name} ADD COLUMN {compiler.get_column_specification(element.column)}"


MIGRATION_STEPS: Mapping[int, MigrationStep] = {0: _migrate_from_0, 1: _migrate_from_1}
"""The steps by the version that they start from."""
