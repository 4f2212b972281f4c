"""The SQL statements of write transactions; `transaction` executes them.

Those that write many rows are compiled here, once per database, and go to the driver directly: SQLAlchemy would process
every value of every row without need.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ClauseElement, Table, bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import psycopg

from adk_agent_sim.persistence import tables
from adk_agent_sim.persistence.row_codec import RESPONSE_TYPE

_sessions, _events, _blocks = tables.sessions.c, tables.events.c, tables.blocks.c
_rows, _pending = tables.timeline_rows.c, tables.pending_requests.c

# The rows are dicts; SQLite's default parameter style would need tuples in the order of the columns.
_DIALECTS = {"sqlite": sqlite.dialect(paramstyle="named"), "postgresql": psycopg.dialect()}
_INSERTS = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
_READ_MODEL_COLUMNS = (
    "status", "session_status", "name", "agent_names", "last_seq", "last_event_at", "summary", "rows_state",
)  # fmt: skip


def _compile(statement: ClauseElement) -> dict[str, str]:
    """Return the SQL of a statement, by database."""
    return {name: str(statement.compile(dialect=dialect)) for name, dialect in _DIALECTS.items()}


def _compile_upsert(table: Table, keys: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """Return the SQL that inserts a row, or changes these columns of the row with its keys; by database."""
    return {
        name: str(
            (inserting := insert_into(table))
            .on_conflict_do_update(index_elements=keys, set_={column: inserting.excluded[column] for column in columns})
            .compile(dialect=_DIALECTS[name])
        )
        for name, insert_into in _INSERTS.items()
    }


INSERT_SESSIONS = insert(tables.sessions)
INSERT_EVENTS = _compile(insert(tables.events))
INSERT_BLOCKS = {
    name: str(insert_into(tables.blocks).on_conflict_do_nothing().compile(dialect=_DIALECTS[name]))
    for name, insert_into in _INSERTS.items()
}

# Makes other processes that write to the session wait. SQLite needs no such lock: a transaction locks the database.
LOCK_SESSIONS = (
    select(_sessions.id)
    .where(_sessions.id.in_(bindparam("session_ids", expanding=True)))
    .order_by(_sessions.id)
    .with_for_update()
)
_SELECT_ANY_STATUS = select(_sessions.id, _sessions.status, _sessions.last_seq, _sessions.fold_digest)
# Separate from the lock, so that it sees what was committed while waiting for the lock.
SELECT_STATUS = _SELECT_ANY_STATUS.where(_sessions.id.in_(bindparam("session_ids", expanding=True)))
SELECT_ONE_STATUS = _compile(_SELECT_ANY_STATUS.where(_sessions.id == bindparam("session_id")))

UPDATE_READ_MODEL = _compile(
    update(tables.sessions)
    .where(_sessions.id == bindparam("session_id"))
    .values({column: bindparam(column) for column in _READ_MODEL_COLUMNS})
)
UPSERT_ROWS = _compile_upsert(tables.timeline_rows, ("session_id", "row_index"), ("updated_seq", "data"))
UPSERT_PENDING = _compile_upsert(tables.pending_requests, ("session_id", "request_id"), ("requested_at", "position"))
DELETE_PENDING = _compile(
    delete(tables.pending_requests).where(
        _pending.session_id == bindparam("session_id"), _pending.request_id == bindparam("request_id")
    )
)
UPDATE_SUMMARY = (
    update(tables.sessions)
    .where(_sessions.id == bindparam("session_id"))
    .values({column: bindparam(f"new_{column}") for column in ("proto_blob", "name", "annotations")})
)
REMOVE_READ_MODEL = [
    delete(tables.timeline_rows).where(_rows.session_id == bindparam("session_id")),
    delete(tables.pending_requests).where(_pending.session_id == bindparam("session_id")),
    update(tables.sessions)
    .where(_sessions.id == bindparam("session_id"))
    .values(fold_digest=bindparam("new_fold_digest")),
]
SELECT_EVENT_SESSIONS = select(_events.event_id, _events.session_id).where(
    _events.event_id.in_(bindparam("event_ids", expanding=True))
)
DELETE_SESSION = [
    delete(tables.events).where(_events.session_id == bindparam("session_id")),
    delete(tables.blocks).where(_blocks.session_id == bindparam("session_id")),
    delete(tables.timeline_rows).where(_rows.session_id == bindparam("session_id")),
    delete(tables.pending_requests).where(_pending.session_id == bindparam("session_id")),
    delete(tables.sessions).where(_sessions.id == bindparam("session_id")),
]
SELECT_DECISION = select(_events.event_id).where(
    _events.session_id == bindparam("session_id"),
    _events.turn_id == bindparam("turn_id"),
    _events.payload_type == RESPONSE_TYPE,
)
