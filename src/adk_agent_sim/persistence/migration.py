"""Migrates a database to the schema of this release: creates the tables, upgrades older ones, rejects all others.

    no tables --> SCHEMA_VERSION     FIRST_VERSION --step--> ... --> SCHEMA_VERSION     others: rejected, unchanged

Everything runs in one transaction, so a process that dies during a migration has changed nothing. Steps change tables
and what people have entered, never summaries and rows: `session_fold` computes those from the log again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import Connection, Engine, inspect, select, text
from sqlalchemy.engine import URL

from adk_agent_sim.errors import StoreTooNew, StoreTooOld
from adk_agent_sim.persistence import tables
from adk_agent_sim.persistence.database_engine import format_url

MigrationStep = Callable[[Connection], None]

FIRST_VERSION = 6
"""The oldest version that can be upgraded; those before it were never released."""

MIGRATION_STEPS: Mapping[int, MigrationStep] = {}
"""The steps by the version that they start from, from `FIRST_VERSION` on."""

_ADVISORY_LOCK = 0x61646B73
"""The key of the PostgreSQL lock that lets one process migrate at a time; any number that all processes share."""


def migrate(engine: Engine, url: URL) -> None:
    """Migrate the database; errors: see `check_version`."""
    with engine.connect() as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        # Read only under the lock: another process may have migrated the database while this one waited for it.
        version = read_version(connection)
        if version is None:
            tables.metadata.create_all(connection)
            connection.execute(tables.schema_version.insert(), {"version": tables.SCHEMA_VERSION})
            return
        check_version(url, version)
        for start in range(version, tables.SCHEMA_VERSION):
            MIGRATION_STEPS[start](connection)
        connection.execute(tables.schema_version.update().values(version=tables.SCHEMA_VERSION))


def check_version(url: URL, version: int) -> None:
    """Raise StoreTooNew or StoreTooOld if this release cannot use a schema of that version."""
    if version > tables.SCHEMA_VERSION:
        raise StoreTooNew(format_url(url), version, tables.SCHEMA_VERSION)
    if version < FIRST_VERSION:
        raise StoreTooOld(format_url(url), version)


def read_version(connection: Connection) -> int | None:
    """Return the version of the schema; None if the database has no tables."""
    table_names = set(inspect(connection).get_table_names())
    if tables.schema_version.name in table_names:
        return connection.execute(select(tables.schema_version.c.version)).scalar_one()
    # Version 0 had no table for the version.
    return 0 if tables.events.name in table_names else None
