"""The statements of one write transaction: inserts sessions, assigns `seq` to events, stores each block once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import Connection, bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import psycopg

from adk_agent_sim.errors import (
    EventExists,
    SessionClosed,
    SessionExists,
    SessionNotFound,
    SimulatorError,
    TurnAlreadyDecided,
)
from adk_agent_sim.persistence import tables
from adk_agent_sim.persistence.row_codec import (
    RESPONSE_TYPE,
    append_seq,
    encode_event,
    encode_session,
    get_payload_type,
    to_milliseconds,
)
from adk_agent_sim.timeline.atomic_files import replace_lone_surrogates
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import Closed, Event, Session
from adk_agent_sim.timeline.session_progress import StatusSnapshot

Row: TypeAlias = dict[str, Any]

WriteResult: TypeAlias = int | Exception
"""The `seq` of the first event of a write, or the error if it was refused."""

_sessions, _events, _blocks = tables.sessions.c, tables.events.c, tables.blocks.c

_INSERT_SESSIONS = insert(tables.sessions)
# These statements go to the driver directly: SQLAlchemy would process every value of every row without need.
_DIALECTS = {"sqlite": sqlite.dialect(paramstyle="named"), "postgresql": psycopg.dialect()}
_INSERT_EVENTS = {name: str(insert(tables.events).compile(dialect=dialect)) for name, dialect in _DIALECTS.items()}
_INSERT_BLOCKS = {
    name: str(inserting(tables.blocks).on_conflict_do_nothing().compile(dialect=_DIALECTS[name]))
    for name, inserting in (("sqlite", sqlite.insert), ("postgresql", postgresql.insert))
}
# Makes other processes that write to the session wait. SQLite needs no such lock: a transaction locks the database.
_LOCK_SESSIONS = (
    select(_sessions.id)
    .where(_sessions.id.in_(bindparam("session_ids", expanding=True)))
    .order_by(_sessions.id)
    .with_for_update()
)
# Separate from the lock, so that it sees what was committed while waiting for the lock.
_SELECT_STATUS = select(_sessions.id, _sessions.status, _sessions.last_seq).where(
    _sessions.id.in_(bindparam("session_ids", expanding=True))
)
_SNAPSHOT_COLUMNS = ("standing", "agent_name", "waiting")
"""The columns of a `StatusSnapshot`."""
_UPDATE_SESSION = {
    (name, has_snapshot): str(
        update(tables.sessions)
        .where(_sessions.id == bindparam("session_id"))
        .values(
            {
                column: bindparam(column)
                for column in ("last_seq", "last_event_at", *(_SNAPSHOT_COLUMNS if has_snapshot else ()))
            }
        )
        .compile(dialect=dialect)
    )
    for name, dialect in _DIALECTS.items()
    for has_snapshot in (True, False)
}
_CLOSE_SESSION = (
    update(tables.sessions).where(_sessions.id == bindparam("session_id")).values(status=bindparam("closed_as"))
)
_RENAME_SESSION = (
    update(tables.sessions).where(_sessions.id == bindparam("session_id")).values(proto_blob=bindparam("new_blob"))
)
_SELECT_EVENT_IDS = select(_events.event_id).where(_events.event_id.in_(bindparam("event_ids", expanding=True)))
_DELETE_SESSION = [
    delete(tables.events).where(_events.session_id == bindparam("session_id")),
    delete(tables.blocks).where(_blocks.session_id == bindparam("session_id")),
    delete(tables.sessions).where(_sessions.id == bindparam("session_id")),
]
_SELECT_DECISION = select(_events.event_id).where(
    _events.session_id == bindparam("session_id"),
    _events.turn_id == bindparam("turn_id"),
    _events.payload_type == RESPONSE_TYPE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class WriteRequest:
    """One atomic write: a new session, events of a session with their blocks, or a change of a session."""

    session_id: str
    session: Row | None = None
    events: Sequence[Row] = ()
    blocks: Sequence[Row] = ()
    snapshot: Row | None = None
    closing_status: str = ""
    new_blob: bytes = b""
    """The new message of a session that is renamed."""
    is_deletion: bool = False

    def find_conflict(self, connection: Connection) -> SimulatorError | None:
        """Return the error that explains why the database rejected the write, or None if the cause is another one."""
        if self.session:
            existing = connection.execute(_LOCK_SESSIONS, {"session_ids": [self.session_id]}).first()
            return SessionExists(self.session_id) if existing else None
        known_id = (
            connection.execute(_SELECT_EVENT_IDS, {"event_ids": [event["event_id"] for event in self.events]})
            .scalars()
            .first()
        )
        if known_id:
            return EventExists(known_id)
        for event in self.events:
            if event["payload_type"] == RESPONSE_TYPE:
                key = {"session_id": self.session_id, "turn_id": event["turn_id"]}
                if first := connection.execute(_SELECT_DECISION, key).scalar():
                    return TurnAlreadyDecided(event["turn_id"], first)
        return None


def build_creation(session: Session) -> WriteRequest:
    """Build the write of a new session."""
    row = {
        "id": session.session_id,
        "created_at": to_milliseconds(session.created_at),
        "status": tables.STATUS_ACTIVE,
        "proto_blob": encode_session(session),
        "last_event_at": to_milliseconds(session.created_at),
    }
    return WriteRequest(session_id=session.session_id, session=row)


def build_rename(session: Session) -> WriteRequest:
    """Build the write that changes a session's description."""
    return WriteRequest(session_id=session.session_id, new_blob=encode_session(session))


def build_deletion(session_id: str) -> WriteRequest:
    """Build the write that deletes a session."""
    return WriteRequest(session_id=session_id, is_deletion=True)


def build_append(events: Sequence[Event], blocks: Iterable[Block], snapshot: StatusSnapshot | None) -> WriteRequest:
    """Build the write of new events and their blocks; blocks that are already stored are skipped."""
    session_id = events[0].session_id
    closed = [event.payload for event in events if isinstance(event.payload, Closed)]
    return WriteRequest(
        session_id=session_id,
        events=[_to_event_row(event) for event in events],
        blocks=[{"session_id": session_id, "block_id": block.block_id, "data": block.data} for block in blocks],
        snapshot=to_snapshot_columns(snapshot) if snapshot else None,
        closing_status=(tables.STATUS_CANCELLED if closed[0].cancelled else tables.STATUS_COMPLETED) if closed else "",
    )


def to_snapshot_columns(snapshot: StatusSnapshot) -> Row:
    """Return the columns of a status snapshot."""
    return {
        "standing": snapshot.status.value,
        "agent_name": replace_lone_surrogates(snapshot.agent_name),
        "waiting": snapshot.pending_count,
    }


def _to_event_row(event: Event) -> Row:
    return {
        "event_id": event.event_id,
        "session_id": event.session_id,
        "timestamp": to_milliseconds(event.timestamp),
        "turn_id": event.turn_id,
        "payload_type": get_payload_type(event.payload),
        "proto_blob": encode_event(event),
    }


def write_group(connection: Connection, group: Sequence[WriteRequest]) -> Sequence[WriteResult]:
    """Execute several writes; a write whose session is closed or missing is skipped, and its error returned."""
    if new_sessions := [write.session for write in group if write.session]:
        connection.execute(_INSERT_SESSIONS, new_sessions)
    # Sorted, so that two processes lock sessions in the same order and cannot deadlock.
    session_ids = sorted({write.session_id for write in group if not write.session})
    statuses, last_seqs = _read_statuses(connection, session_ids)
    results: list[WriteResult] = []
    events: list[Row] = []
    blocks: list[Row] = []
    updates: dict[str, Row] = {}
    for write in group:
        if refusal := _find_refusal(write, statuses):
            results.append(refusal)
            continue
        results.append(last_seqs.get(write.session_id, 0) + 1 if write.events else 0)
        if not write.events:
            continue
        blocks += write.blocks
        for row in write.events:
            seq = last_seqs[write.session_id] = last_seqs.get(write.session_id, 0) + 1
            events.append(row | {"seq": seq, "proto_blob": append_seq(row["proto_blob"], seq)})
        updates[write.session_id] = {
            **updates.get(write.session_id, {"session_id": write.session_id}),
            "last_seq": last_seqs[write.session_id],
            "last_event_at": write.events[-1]["timestamp"],
            **(write.snapshot or {}),
        }
        if write.closing_status:
            statuses[write.session_id] = write.closing_status
    _insert_rows(connection, events, blocks)
    _update_sessions(connection, list(updates.values()))
    for write in group:
        _apply_session_change(connection, write, statuses)
    return results


def _update_sessions(connection: Connection, session_rows: list[Row]) -> None:
    """Update the columns of sessions that got events."""
    for has_snapshot in (True, False):
        if rows := [row for row in session_rows if ("standing" in row) == has_snapshot]:
            connection.exec_driver_sql(_UPDATE_SESSION[connection.dialect.name, has_snapshot], rows)


def _apply_session_change(connection: Connection, write: WriteRequest, statuses: Mapping[str, str]) -> None:
    """Close, rename or delete a session."""
    key: Row = {"session_id": write.session_id}
    if write.session_id not in statuses:
        return
    if write.closing_status:
        connection.execute(_CLOSE_SESSION, key | {"closed_as": write.closing_status})
    if write.new_blob:
        connection.execute(_RENAME_SESSION, key | {"new_blob": write.new_blob})
    if write.is_deletion:
        for statement in _DELETE_SESSION:
            connection.execute(statement, key)


def _read_statuses(connection: Connection, session_ids: Sequence[str]) -> tuple[dict[str, str], dict[str, int]]:
    """Return the status and the last `seq` of each session; they cannot change until the transaction ends."""
    if not session_ids:
        return {}, {}
    key = {"session_ids": session_ids}
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK_SESSIONS, key)
    rows = connection.execute(_SELECT_STATUS, key).all()
    return {row.id: row.status for row in rows}, {row.id: row.last_seq for row in rows}


def _find_refusal(write: WriteRequest, statuses: Mapping[str, str]) -> SimulatorError | None:
    if write.session:
        return None
    status = statuses.get(write.session_id)
    if status is None:
        return SessionNotFound(write.session_id)
    return SessionClosed(write.session_id) if write.events and status != tables.STATUS_ACTIVE else None


def _insert_rows(connection: Connection, events: list[Row], blocks: list[Row]) -> None:
    if blocks:
        connection.exec_driver_sql(_INSERT_BLOCKS[connection.dialect.name], blocks)
    if events:
        connection.exec_driver_sql(_INSERT_EVENTS[connection.dialect.name], events)
