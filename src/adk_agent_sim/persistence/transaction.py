"""What happens inside a transaction: sessions are made, events get their `seq`, blocks are kept once."""

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
"""The `seq` of a write's first event, or why it was refused."""

_sessions, _events, _blocks = tables.sessions.c, tables.events.c, tables.blocks.c

_INSERT_SESSIONS = insert(tables.sessions)
# Rows go to the driver as they are, bound by name: SQLAlchemy would look at every value of every row, for nothing.
_DIALECTS = {"sqlite": sqlite.dialect(paramstyle="named"), "postgresql": psycopg.dialect()}
_INSERT_EVENTS = {name: str(insert(tables.events).compile(dialect=dialect)) for name, dialect in _DIALECTS.items()}
_INSERT_BLOCKS = {
    name: str(inserting(tables.blocks).on_conflict_do_nothing().compile(dialect=_DIALECTS[name]))
    for name, inserting in (("sqlite", sqlite.insert), ("postgresql", postgresql.insert))
}
# Another process that writes to the session waits here; SQLite needs no such lock, a transaction has all of it.
_LOCK_SESSIONS = (
    select(_sessions.id)
    .where(_sessions.id.in_(bindparam("session_ids", expanding=True)))
    .order_by(_sessions.id)
    .with_for_update()
)
# A statement of its own, so that it sees what was committed while the lock was waited for.
_SELECT_STATUS = select(_sessions.id, _sessions.status, _sessions.last_seq).where(
    _sessions.id.in_(bindparam("session_ids", expanding=True))
)
_SNAPSHOT_COLUMNS = ("standing", "agent_name", "waiting")
"""The columns that hold a `Standing`."""
_UPDATE_SESSION = {
    (name, stood): str(
        update(tables.sessions)
        .where(_sessions.id == bindparam("session_id"))
        .values(
            {
                column: bindparam(column)
                for column in ("last_seq", "last_event_at", *(_SNAPSHOT_COLUMNS if stood else ()))
            }
        )
        .compile(dialect=dialect)
    )
    for name, dialect in _DIALECTS.items()
    for stood in (True, False)
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
    """What one caller wants written, all or nothing: a session, events of one with their blocks, or a change of one."""

    session_id: str
    session: Row | None = None
    events: Sequence[Row] = ()
    blocks: Sequence[Row] = ()
    snapshot: Row | None = None
    closing_status: str = ""
    new_blob: bytes = b""
    """Of the session, if it is renamed."""
    is_deletion: bool = False

    def find_conflict(self, connection: Connection) -> SimulatorError | None:
        """Why the database could not take it, if that is what the timeline has a word for."""
        if self.session:
            found = connection.execute(_LOCK_SESSIONS, {"session_ids": [self.session_id]}).first()
            return SessionExists(self.session_id) if found else None
        known = (
            connection.execute(_SELECT_EVENT_IDS, {"event_ids": [event["event_id"] for event in self.events]})
            .scalars()
            .first()
        )
        if known:
            return EventExists(known)
        for event in self.events:
            if event["payload_type"] == RESPONSE_TYPE:
                key = {"session_id": self.session_id, "turn_id": event["turn_id"]}
                if first := connection.execute(_SELECT_DECISION, key).scalar():
                    return TurnAlreadyDecided(event["turn_id"], first)
        return None


def build_creation(session: Session) -> WriteRequest:
    """A new session."""
    row = {
        "id": session.session_id,
        "created_at": to_milliseconds(session.created_at),
        "status": tables.STATUS_ACTIVE,
        "proto_blob": encode_session(session),
        "last_event_at": to_milliseconds(session.created_at),
    }
    return WriteRequest(session_id=session.session_id, session=row)


def build_rename(session: Session) -> WriteRequest:
    """A session as it is to be."""
    return WriteRequest(session_id=session.session_id, new_blob=encode_session(session))


def build_deletion(session_id: str) -> WriteRequest:
    """The end of a session."""
    return WriteRequest(session_id=session_id, is_deletion=True)


def build_append(events: Sequence[Event], blocks: Iterable[Block], snapshot: StatusSnapshot | None) -> WriteRequest:
    """New events of a session, and blocks that it may have already."""
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
    """The columns of where a session stands."""
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
    """Write what many callers want; only a write whose session cannot take it is left out."""
    if made := [write.session for write in group if write.session]:
        connection.execute(_INSERT_SESSIONS, made)
    named = sorted({write.session_id for write in group if not write.session})
    statuses, last_seqs = _read_statuses(connection, named)
    outcomes: list[WriteResult] = []
    events: list[Row] = []
    blocks: list[Row] = []
    moved: dict[str, Row] = {}
    for write in group:
        if refusal := _find_refusal(write, statuses):
            outcomes.append(refusal)
            continue
        outcomes.append(last_seqs.get(write.session_id, 0) + 1 if write.events else 0)
        if not write.events:
            continue
        blocks += write.blocks
        for row in write.events:
            seq = last_seqs[write.session_id] = last_seqs.get(write.session_id, 0) + 1
            events.append(row | {"seq": seq, "proto_blob": append_seq(row["proto_blob"], seq)})
        moved[write.session_id] = {
            **moved.get(write.session_id, {"session_id": write.session_id}),
            "last_seq": last_seqs[write.session_id],
            "last_event_at": write.events[-1]["timestamp"],
            **(write.snapshot or {}),
        }
        if write.closing_status:
            statuses[write.session_id] = write.closing_status
    _insert_rows(connection, events, blocks)
    _update_sessions(connection, list(moved.values()))
    for write in group:
        _apply_session_change(connection, write, statuses)
    return outcomes


def _update_sessions(connection: Connection, session_rows: list[Row]) -> None:
    """Keep where sessions stand now."""
    for stood in (True, False):
        if rows := [row for row in session_rows if ("standing" in row) == stood]:
            connection.exec_driver_sql(_UPDATE_SESSION[connection.dialect.name, stood], rows)


def _apply_session_change(connection: Connection, write: WriteRequest, statuses: Mapping[str, str]) -> None:
    """Do what is done to a session itself, which is rare."""
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
    """The status of each session, and its last `seq`; nobody changes them before the transaction ends."""
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
