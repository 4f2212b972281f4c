"""Brings a database to the tables of this release: makes them, migrates older ones, refuses newer ones.

    no tables --> VERSION          0 --step--> 1 --step--> ... --> VERSION          newer: refused, untouched

All in one transaction, so that a process that dies on the way has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import Connection, Engine, bindparam, inspect, select, text
from sqlalchemy.engine import URL

from adk_agent_sim.errors import StoreTooNew
from adk_agent_sim.persistence import schema
from adk_agent_sim.persistence.engine import shown

Step = Callable[[Connection], None]

_ADVISORY_LOCK = 0x61646B73
"""Any number, as long as every process takes the same one: PostgreSQL makes tables one process at a time."""


def migrate(engine: Engine, url: URL, steps: Mapping[int, Step] | None = None) -> None:
    """Make the tables what this release needs; `steps` are `STEPS` unless given."""
    with engine.connect() as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        found = version(connection)
        if found is None:
            schema.metadata.create_all(connection)
            connection.execute(schema.schema_version.insert(), {"version": schema.VERSION})
        elif found > schema.VERSION:
            raise StoreTooNew(shown(url), found, schema.VERSION)
        elif found < schema.VERSION:
            _climb(connection, found, steps or STEPS)


def version(connection: Connection) -> int | None:
    """Of the tables that are there; None if there are none."""
    tables = set(inspect(connection).get_table_names())
    if schema.schema_version.name in tables:
        return connection.execute(select(schema.schema_version.c.version)).scalar_one()
    return 0 if schema.events.name in tables else None


def _climb(connection: Connection, found: int, steps: Mapping[int, Step]) -> None:
    """Take every step from version `found` up."""
    for start in range(found, schema.VERSION):
        steps[start](connection)
        connection.execute(schema.schema_version.update().values(version=bindparam("reached")), {"reached": start + 1})


def _from_0(connection: Connection) -> None:
    """Version 0 had the specification's two tables: no version, no blocks, events without a number."""
    connection.execute(text("DROP INDEX IF EXISTS ix_events_session_id"))
    connection.execute(text("DROP INDEX IF EXISTS idx_events_session_time"))
    connection.execute(text("DROP INDEX IF EXISTS idx_events_turn"))
    for table in (schema.sessions, schema.events):
        connection.execute(text(f"ALTER TABLE {table.name} RENAME TO {table.name}_0"))
    if connection.dialect.name == "postgresql":
        # There the name of a primary key is taken until its table is gone.
        for table in (schema.sessions, schema.events):
            connection.execute(text(f"ALTER INDEX {table.name}_pkey RENAME TO {table.name}_0_pkey"))
    schema.metadata.create_all(connection)
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
    connection.execute(schema.schema_version.insert(), {"version": 0})


STEPS: Mapping[int, Step] = {0: _from_0}
"""By the version that each starts from."""
