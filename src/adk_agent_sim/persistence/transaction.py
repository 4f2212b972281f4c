"""What happens inside a transaction: sessions are made, events get their `seq`, blocks are kept once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import Connection, bindparam, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import psycopg

from adk_agent_sim.errors import SessionClosed, SessionExists, SessionNotFound, SimulatorError, TurnAlreadyDecided
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
_STANDING = select(
    _sessions.id,
    _sessions.status,
    select(func.max(_events.seq)).where(_events.session_id == _sessions.id).scalar_subquery().label("last_seq"),
).where(_sessions.id.in_(bindparam("session_ids", expanding=True)))
_COMPLETE = (
    update(schema.sessions)
    .where(_sessions.id.in_(bindparam("session_ids", expanding=True)))
    .values(status=schema.COMPLETED)
)
_DECISION = select(_events.event_id).where(
    _events.session_id == bindparam("session_id"),
    _events.turn_id == bindparam("turn_id"),
    _events.payload_type == RESPONSE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Write:
    """What one caller wants written, all or nothing: a session, or events of one with their blocks."""

    session_id: str
    session: Row | None = None
    events: Sequence[Row] = ()
    blocks: Sequence[Row] = ()
    closes: bool = False

    def refused(self, connection: Connection) -> SimulatorError | None:
        """Why the database could not take it, if that is what the timeline has a word for."""
        if self.session:
            found = connection.execute(_LOCK, {"session_ids": [self.session_id]}).first()
            return SessionExists(self.session_id) if found else None
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
    }
    return Write(session_id=session.session_id, session=row)


def addition(events: Sequence[Event], blocks: Iterable[Block]) -> Write:
    """New events of a session, and blocks that it may have already."""
    session_id = events[0].session_id
    return Write(
        session_id=session_id,
        events=[_event_row(event) for event in events],
        blocks=[{"session_id": session_id, "block_id": block.block_id, "data": block.data} for block in blocks],
        closes=any(isinstance(event.payload, Closed) for event in events),
    )


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
    named = sorted({write.session_id for write in group if write.events})
    statuses, last_seqs = _standing(connection, named)
    outcomes: list[Outcome] = []
    events: list[Row] = []
    blocks: list[Row] = []
    for write in group:
        if refusal := _refusal(write, statuses):
            outcomes.append(refusal)
            continue
        outcomes.append(last_seqs.get(write.session_id, 0) + 1 if write.events else 0)
        blocks += write.blocks
        for row in write.events:
            seq = last_seqs[write.session_id] = last_seqs.get(write.session_id, 0) + 1
            events.append(row | {"seq": seq, "proto_blob": numbered(row["proto_blob"], seq)})
        if write.closes:
            statuses[write.session_id] = schema.COMPLETED
    _add(connection, events, blocks)
    if closed := [write.session_id for write in group if write.closes]:
        connection.execute(_COMPLETE, {"session_ids": closed})
    return outcomes


def _standing(connection: Connection, session_ids: Sequence[str]) -> tuple[dict[str, str], dict[str, int]]:
    """The status of each session, and its last `seq`; nobody changes them before the transaction ends."""
    if not session_ids:
        return {}, {}
    key = {"session_ids": session_ids}
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK, key)
    rows = connection.execute(_STANDING, key).all()
    return {row.id: row.status for row in rows}, {row.id: row.last_seq or 0 for row in rows}


def _refusal(write: Write, statuses: Mapping[str, str]) -> SimulatorError | None:
    if not write.events:
        return None
    match statuses.get(write.session_id):
        case None:
            return SessionNotFound(write.session_id)
        case schema.ACTIVE:
            return None
        case _:
            return SessionClosed(write.session_id)


def _add(connection: Connection, events: list[Row], blocks: list[Row]) -> None:
    if blocks:
        connection.exec_driver_sql(_ADD_BLOCKS[connection.dialect.name], blocks)
    if events:
        connection.exec_driver_sql(_ADD_EVENTS[connection.dialect.name], events)
