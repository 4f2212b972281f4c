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
from adk_agent_sim.persistence import schema
from adk_agent_sim.persistence.record import (
    RESPONSE,
    encode_event,
    encode_session,
    milliseconds,
    numbered,
    payload_type,
)
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import Closed, Event, Session
from adk_agent_sim.timeline.files import mended
from adk_agent_sim.timeline.progress import Standing

Row: TypeAlias = dict[str, Any]

Outcome: TypeAlias = int | Exception
"""The `seq` of a write's first event, or why it was refused."""

_sessions, _events, _blocks = schema.sessions.c, schema.events.c, schema.blocks.c

_ADD_SESSIONS = insert(schema.sessions)
# Rows go to the driver as they are, bound by name: SQLAlchemy would look at every value of every row, for nothing.
_DIALECTS = {"sqlite": sqlite.dialect(paramstyle="named"), "postgresql": psycopg.dialect()}
_ADD_EVENTS = {name: str(insert(schema.events).compile(dialect=dialect)) for name, dialect in _DIALECTS.items()}
_ADD_BLOCKS = {
    name: str(inserting(schema.blocks).on_conflict_do_nothing().compile(dialect=_DIALECTS[name]))
    for name, inserting in (("sqlite", sqlite.insert), ("postgresql", postgresql.insert))
}
# Another process that writes to the session waits here; SQLite needs no such lock, a transaction has all of it.
_LOCK = (
    select(_sessions.id)
    .where(_sessions.id.in_(bindparam("session_ids", expanding=True)))
    .order_by(_sessions.id)
    .with_for_update()
)
# A statement of its own, so that it sees what was committed while the lock was waited for.
_STATUS = select(_sessions.id, _sessions.status, _sessions.last_seq).where(
    _sessions.id.in_(bindparam("session_ids", expanding=True))
)
_KEPT = ("standing", "agent_name", "waiting")
"""The columns that hold a `Standing`."""
_MOVED = {
    (name, stood): str(
        update(schema.sessions)
        .where(_sessions.id == bindparam("session_id"))
        .values({column: bindparam(column) for column in ("last_seq", "last_event_at", *(_KEPT if stood else ()))})
        .compile(dialect=dialect)
    )
    for name, dialect in _DIALECTS.items()
    for stood in (True, False)
}
_CLOSE = update(schema.sessions).where(_sessions.id == bindparam("session_id")).values(status=bindparam("closed_as"))
_RENAME = (
    update(schema.sessions).where(_sessions.id == bindparam("session_id")).values(proto_blob=bindparam("new_blob"))
)
_EVENT = select(_events.event_id).where(_events.event_id.in_(bindparam("event_ids", expanding=True)))
_DELETE = [
    delete(schema.events).where(_events.session_id == bindparam("session_id")),
    delete(schema.blocks).where(_blocks.session_id == bindparam("session_id")),
    delete(schema.sessions).where(_sessions.id == bindparam("session_id")),
]
_DECISION = select(_events.event_id).where(
    _events.session_id == bindparam("session_id"),
    _events.turn_id == bindparam("turn_id"),
    _events.payload_type == RESPONSE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Write:
    """What one caller wants written, all or nothing: a session, events of one with their blocks, or a change of one."""

    session_id: str
    session: Row | None = None
    events: Sequence[Row] = ()
    blocks: Sequence[Row] = ()
    standing: Row | None = None
    closed_as: str = ""
    new_blob: bytes = b""
    """Of the session, if it is renamed."""
    deletes: bool = False

    def refused(self, connection: Connection) -> SimulatorError | None:
        """Why the database could not take it, if that is what the timeline has a word for."""
        if self.session:
            found = connection.execute(_LOCK, {"session_ids": [self.session_id]}).first()
            return SessionExists(self.session_id) if found else None
        known = (
            connection.execute(_EVENT, {"event_ids": [event["event_id"] for event in self.events]}).scalars().first()
        )
        if known:
            return EventExists(known)
        for event in self.events:
            if event["payload_type"] == RESPONSE:
                key = {"session_id": self.session_id, "turn_id": event["turn_id"]}
                if first := connection.execute(_DECISION, key).scalar():
                    return TurnAlreadyDecided(event["turn_id"], first)
        return None


def creation(session: Session) -> Write:
    """A new session."""
    row = {
        "id": session.session_id,
        "created_at": milliseconds(session.created_at),
        "status": schema.ACTIVE,
        "proto_blob": encode_session(session),
        "last_event_at": milliseconds(session.created_at),
    }
    return Write(session_id=session.session_id, session=row)


def renaming(session: Session) -> Write:
    """A session as it is to be."""
    return Write(session_id=session.session_id, new_blob=encode_session(session))


def deletion(session_id: str) -> Write:
    """The end of a session."""
    return Write(session_id=session_id, deletes=True)


def addition(events: Sequence[Event], blocks: Iterable[Block], standing: Standing | None) -> Write:
    """New events of a session, and blocks that it may have already."""
    session_id = events[0].session_id
    closed = [event.payload for event in events if isinstance(event.payload, Closed)]
    return Write(
        session_id=session_id,
        events=[_event_row(event) for event in events],
        blocks=[{"session_id": session_id, "block_id": block.block_id, "data": block.data} for block in blocks],
        standing=standing_row(standing) if standing else None,
        closed_as=(schema.CANCELLED if closed[0].cancelled else schema.COMPLETED) if closed else "",
    )


def standing_row(standing: Standing) -> Row:
    """The columns of where a session stands."""
    return {"standing": standing.status.value, "agent_name": mended(standing.agent_name), "waiting": standing.waiting}


def _event_row(event: Event) -> Row:
    return {
        "event_id": event.event_id,
        "session_id": event.session_id,
        "timestamp": milliseconds(event.timestamp),
        "turn_id": event.turn_id,
        "payload_type": payload_type(event.payload),
        "proto_blob": encode_event(event),
    }


def write_group(connection: Connection, group: Sequence[Write]) -> Sequence[Outcome]:
    """Write what many callers want; only a write whose session cannot take it is left out."""
    if made := [write.session for write in group if write.session]:
        connection.execute(_ADD_SESSIONS, made)
    named = sorted({write.session_id for write in group if not write.session})
    statuses, last_seqs = _statuses(connection, named)
    outcomes: list[Outcome] = []
    events: list[Row] = []
    blocks: list[Row] = []
    moved: dict[str, Row] = {}
    for write in group:
        if refusal := _refusal(write, statuses):
            outcomes.append(refusal)
            continue
        outcomes.append(last_seqs.get(write.session_id, 0) + 1 if write.events else 0)
        if not write.events:
            continue
        blocks += write.blocks
        for row in write.events:
            seq = last_seqs[write.session_id] = last_seqs.get(write.session_id, 0) + 1
            events.append(row | {"seq": seq, "proto_blob": numbered(row["proto_blob"], seq)})
        moved[write.session_id] = {
            **moved.get(write.session_id, {"session_id": write.session_id}),
            "last_seq": last_seqs[write.session_id],
            "last_event_at": write.events[-1]["timestamp"],
            **(write.standing or {}),
        }
        if write.closed_as:
            statuses[write.session_id] = write.closed_as
    _add(connection, events, blocks)
    _move(connection, list(moved.values()))
    for write in group:
        _change(connection, write, statuses)
    return outcomes


def _move(connection: Connection, moved: list[Row]) -> None:
    """Keep where sessions stand now."""
    for stood in (True, False):
        if rows := [row for row in moved if ("standing" in row) == stood]:
            connection.exec_driver_sql(_MOVED[connection.dialect.name, stood], rows)


def _change(connection: Connection, write: Write, statuses: Mapping[str, str]) -> None:
    """Do what is done to a session itself, which is rare."""
    key: Row = {"session_id": write.session_id}
    if write.session_id not in statuses:
        return
    if write.closed_as:
        connection.execute(_CLOSE, key | {"closed_as": write.closed_as})
    if write.new_blob:
        connection.execute(_RENAME, key | {"new_blob": write.new_blob})
    if write.deletes:
        for statement in _DELETE:
            connection.execute(statement, key)


def _statuses(connection: Connection, session_ids: Sequence[str]) -> tuple[dict[str, str], dict[str, int]]:
    """The status of each session, and its last `seq`; nobody changes them before the transaction ends."""
    if not session_ids:
        return {}, {}
    key = {"session_ids": session_ids}
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK, key)
    rows = connection.execute(_STATUS, key).all()
    return {row.id: row.status for row in rows}, {row.id: row.last_seq for row in rows}


def _refusal(write: Write, statuses: Mapping[str, str]) -> SimulatorError | None:
    if write.session:
        return None
    status = statuses.get(write.session_id)
    if status is None:
        return SessionNotFound(write.session_id)
    return SessionClosed(write.session_id) if write.events and status != schema.ACTIVE else None


def _add(connection: Connection, events: list[Row], blocks: list[Row]) -> None:
    if blocks:
        connection.exec_driver_sql(_ADD_BLOCKS[connection.dialect.name], blocks)
    if events:
        connection.exec_driver_sql(_ADD_EVENTS[connection.dialect.name], events)
