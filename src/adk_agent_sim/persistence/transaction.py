"""One write transaction: events with their blocks and the read model after them, or a change.

A write states the `seq` of its events, which was used to fold the read model. If another process has appended events in
the meantime, the write is refused, and the timeline folds again.

Statements that write many rows are compiled here, once per database, and go to the driver directly: SQLAlchemy would
process every value of every row without need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from sqlalchemy import ClauseElement, Connection, Table, bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import psycopg

from adk_agent_sim.errors import (
    EventExists,
    LogChanged,
    SessionClosed,
    SessionExists,
    SessionNotFound,
    SimulatorError,
    TurnAlreadyDecided,
)
from adk_agent_sim.persistence import tables
from adk_agent_sim.persistence.read_model_codec import (
    ColumnValues,
    encode_annotations,
    to_pending_row,
    to_read_model_columns,
    to_timeline_rows,
)
from adk_agent_sim.persistence.row_codec import (
    RESPONSE_TYPE,
    encode_event,
    encode_session,
    get_payload_type,
    to_milliseconds,
)
from adk_agent_sim.persistence.session_fold import FoldedSession, get_fold_digest
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.event_validation import KIND_NAMES
from adk_agent_sim.timeline.events import REMARK_CLASSES, Event, Session
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel, create_read_model
from adk_agent_sim.timeline.read_model.session_summary import ProtocolStatus, SessionSummary

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


_INSERT_SESSIONS = insert(tables.sessions)
_INSERT_EVENTS = _compile(insert(tables.events))
_INSERT_BLOCKS = {
    name: str(insert_into(tables.blocks).on_conflict_do_nothing().compile(dialect=_DIALECTS[name]))
    for name, insert_into in _INSERTS.items()
}

# Makes other processes that write to the session wait. SQLite needs no such lock: a transaction locks the database.
_LOCK_SESSIONS = (
    select(_sessions.id)
    .where(_sessions.id.in_(bindparam("session_ids", expanding=True)))
    .order_by(_sessions.id)
    .with_for_update()
)
_SELECT_ANY_STATUS = select(_sessions.id, _sessions.status, _sessions.last_seq, _sessions.fold_digest)
# Separate from the lock, so that it sees what was committed while waiting for the lock.
_SELECT_STATUS = _SELECT_ANY_STATUS.where(_sessions.id.in_(bindparam("session_ids", expanding=True)))
_SELECT_ONE_STATUS = _compile(_SELECT_ANY_STATUS.where(_sessions.id == bindparam("session_id")))

_UPDATE_READ_MODEL = _compile(
    update(tables.sessions)
    .where(_sessions.id == bindparam("session_id"))
    .values({column: bindparam(column) for column in _READ_MODEL_COLUMNS})
)
_UPSERT_ROWS = _compile_upsert(tables.timeline_rows, ("session_id", "row_index"), ("updated_seq", "data"))
_UPSERT_PENDING = _compile_upsert(tables.pending_requests, ("session_id", "request_id"), ("requested_at", "position"))
_DELETE_PENDING = _compile(
    delete(tables.pending_requests).where(
        _pending.session_id == bindparam("session_id"), _pending.request_id == bindparam("request_id")
    )
)
_UPDATE_SUMMARY = (
    update(tables.sessions)
    .where(_sessions.id == bindparam("session_id"))
    .values({column: bindparam(f"new_{column}") for column in ("proto_blob", "name", "annotations")})
)
_REMOVE_READ_MODEL = [
    delete(tables.timeline_rows).where(_rows.session_id == bindparam("session_id")),
    delete(tables.pending_requests).where(_pending.session_id == bindparam("session_id")),
    update(tables.sessions)
    .where(_sessions.id == bindparam("session_id"))
    .values(fold_digest=bindparam("new_fold_digest")),
]
_SELECT_EVENT_SESSIONS = select(_events.event_id, _events.session_id).where(
    _events.event_id.in_(bindparam("event_ids", expanding=True))
)
_DELETE_SESSION = [
    delete(tables.events).where(_events.session_id == bindparam("session_id")),
    delete(tables.blocks).where(_blocks.session_id == bindparam("session_id")),
    delete(tables.timeline_rows).where(_rows.session_id == bindparam("session_id")),
    delete(tables.pending_requests).where(_pending.session_id == bindparam("session_id")),
    delete(tables.sessions).where(_sessions.id == bindparam("session_id")),
]
_SELECT_DECISION = select(_events.event_id).where(
    _events.session_id == bindparam("session_id"),
    _events.turn_id == bindparam("turn_id"),
    _events.payload_type == RESPONSE_TYPE,
)


class ReadModelOutdated(LogChanged):
    """The read model was computed by other code; it must be folded again before events are appended."""


WriteResult: TypeAlias = Exception | None
"""The error if a write was refused, or None."""

_REMARK_TYPES = frozenset(KIND_NAMES[each] for each in REMARK_CLASSES)
"""What a closed session still takes."""

_MAX_IDS_PER_QUERY = 500
"""The number of ids in one statement; databases limit the number of parameters."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WriteRequest:
    """One atomic write: a new session, events of a session with their blocks, or a change of a session or of tokens."""

    session_id: str
    session: ColumnValues | None = None
    """The row of a new session."""
    events: Sequence[ColumnValues] = ()
    blocks: Sequence[ColumnValues] = ()
    read_model: ColumnValues | None = None
    """The columns of the read model after the events."""
    timeline_rows: Sequence[ColumnValues] = ()
    """The rows of the timeline that the events added or changed."""
    changed_requests: Mapping[str, ColumnValues | None] = field(default_factory=dict[str, ColumnValues | None])
    """The waiting requests that the events added or changed, by id; None for those that no longer wait."""
    summary: ColumnValues | None = None
    """The columns of a summary that changed without an event."""
    is_refolding: bool = False
    """Whether the read model replaces one that other code computed."""
    is_deletion: bool = False
    change_tokens: Callable[[Connection], None] | None = None
    """Changes the access tokens instead of a session."""

    def find_conflict(self, connection: Connection) -> SimulatorError | None:
        """Return the error that explains why the database rejected the write, or None if the cause is another one."""
        if self.session:
            existing = connection.execute(_LOCK_SESSIONS, {"session_ids": [self.session_id]}).first()
            return SessionExists(self.session_id) if existing else None
        if known_ids := self._find_known_ids(connection):
            return EventExists(known_ids)
        for event in self.events:
            if event["payload_type"] == RESPONSE_TYPE:
                key = {"session_id": self.session_id, "turn_id": event["turn_id"]}
                if first := connection.execute(_SELECT_DECISION, key).scalar():
                    return TurnAlreadyDecided(event["turn_id"], first)
        return None

    def _find_known_ids(self, connection: Connection) -> dict[str, str]:
        """Return the session of each event that is stored already, by event id."""
        known_ids: dict[str, str] = {}
        for start in range(0, len(self.events), _MAX_IDS_PER_QUERY):
            event_ids = [event["event_id"] for event in self.events[start : start + _MAX_IDS_PER_QUERY]]
            rows = connection.execute(_SELECT_EVENT_SESSIONS, {"event_ids": event_ids})
            known_ids.update((row.event_id, row.session_id) for row in rows)
        return known_ids


def build_creation(session: Session) -> WriteRequest:
    """Build the write of a new session."""
    row = {
        "id": session.session_id,
        "created_at": to_milliseconds(session.created_at),
        "proto_blob": encode_session(session),
        "fold_digest": get_fold_digest(),
        **to_read_model_columns(create_read_model(session)),
    }
    return WriteRequest(session_id=session.session_id, session=row)


def build_summary_change(summary: SessionSummary) -> WriteRequest:
    """Build the write of a summary that changed without an event."""
    columns = {
        "new_proto_blob": encode_session(summary.session),
        "new_name": replace_lone_surrogates(summary.name),
        "new_annotations": encode_annotations(summary),
    }
    return WriteRequest(session_id=summary.session.session_id, summary=columns)


def build_deletion(session_id: str) -> WriteRequest:
    """Build the write that deletes a session."""
    return WriteRequest(session_id=session_id, is_deletion=True)


def build_append(events: Sequence[Event], blocks: Iterable[Block], read_model: SessionReadModel) -> WriteRequest:
    """Build the write of new events and their blocks; blocks that are already stored are skipped."""
    session_id = events[0].session_id
    return WriteRequest(
        session_id=session_id,
        events=[_to_event_row(event) for event in events],
        blocks=[{"session_id": session_id, "block_id": block.block_id, "data": block.data} for block in blocks],
        read_model=to_read_model_columns(read_model),
        timeline_rows=to_timeline_rows(session_id, read_model.changed_rows),
        changed_requests={
            request_id: to_pending_row(session_id, request) if request else None
            for request_id, request in read_model.changed_requests.items()
        },
    )


def build_refolding(folded: FoldedSession) -> WriteRequest:
    """Build the write that replaces the read model of a session by one that was folded from its log again."""
    summary = folded.read_model.summary
    session_id = summary.session.session_id
    return WriteRequest(
        session_id=session_id,
        read_model=to_read_model_columns(folded.read_model),
        timeline_rows=to_timeline_rows(session_id, folded.rows),
        changed_requests={key: to_pending_row(session_id, request) for key, request in summary.pending.items()},
        is_refolding=True,
    )


def _to_event_row(event: Event) -> ColumnValues:
    return {
        "event_id": event.event_id,
        "session_id": event.session_id,
        "seq": event.seq,
        "timestamp": to_milliseconds(event.timestamp),
        "turn_id": event.turn_id,
        "payload_type": get_payload_type(event.payload),
        "proto_blob": encode_event(event),
    }


def write_group(connection: Connection, group: Sequence[WriteRequest]) -> Sequence[WriteResult]:
    """Execute several writes; one whose session is closed, missing or changed is skipped, and its error returned."""
    # Creations come first, because the group may also contain the first events of these sessions.
    if new_sessions := [write.session for write in group if write.session]:
        connection.execute(_INSERT_SESSIONS, new_sessions)
    # Sorted, so that two processes lock sessions in the same order and cannot deadlock.
    session_ids = sorted({write.session_id for write in group if not write.session and not write.change_tokens})
    places = _read_places(connection, session_ids)
    results: list[WriteResult] = []
    accepted: list[WriteRequest] = []
    for write in group:
        refusal = _find_refusal(write, places)
        results.append(refusal)
        if refusal is None:
            accepted.append(write)
            # The next write of the group to the same session comes after this one.
            if write.read_model:
                read_model = write.read_model
                places[write.session_id] = _Place(read_model["status"], read_model["last_seq"], is_current=True)
    _remove_read_models(connection, [write.session_id for write in accepted if write.is_refolding])
    _insert_rows(connection, accepted)
    _update_read_models(connection, accepted)
    for write in accepted:
        _apply_session_change(connection, write)
    return results


def _remove_read_models(connection: Connection, session_ids: Sequence[str]) -> None:
    """Remove what is stored of read models that are replaced, and note which code computes the new ones."""
    for session_id in session_ids:
        for statement in _REMOVE_READ_MODEL:
            connection.execute(statement, {"session_id": session_id, "new_fold_digest": get_fold_digest()})


def _update_read_models(connection: Connection, writes: Sequence[WriteRequest]) -> None:
    """Replace the read models of sessions that got events, by those after their last event."""
    last_writes = {write.session_id: write for write in writes if write.read_model}
    if not last_writes:
        return
    dialect = connection.dialect.name
    connection.exec_driver_sql(
        _UPDATE_READ_MODEL[dialect],
        [{"session_id": session_id, **(write.read_model or {})} for session_id, write in last_writes.items()],
    )
    # A request that is added and removed by writes of the same group counts as its last change.
    changed = {(write.session_id, key): row for write in writes for key, row in write.changed_requests.items()}
    removed = [
        {"session_id": session_id, "request_id": replace_lone_surrogates(request_id)}
        for (session_id, request_id), row in changed.items()
        if row is None
    ]
    if removed:
        connection.exec_driver_sql(_DELETE_PENDING[dialect], removed)
    if added := [row for row in changed.values() if row is not None]:
        connection.exec_driver_sql(_UPSERT_PENDING[dialect], added)


def _apply_session_change(connection: Connection, write: WriteRequest) -> None:
    """Rename or delete a session, or change the access tokens."""
    if write.change_tokens:
        write.change_tokens(connection)
    key: ColumnValues = {"session_id": write.session_id}
    if write.summary:
        connection.execute(_UPDATE_SUMMARY, key | write.summary)
    if write.is_deletion:
        for statement in _DELETE_SESSION:
            connection.execute(statement, key)


class _Place(NamedTuple):
    """What a write to a session must fit to."""

    status: str
    last_seq: int
    is_current: bool
    """Whether the read model was computed by the code of this process."""


def _read_places(connection: Connection, session_ids: Sequence[str]) -> dict[str, _Place]:
    """Return the place of each session; it cannot change until the transaction ends."""
    if not session_ids:
        return {}
    key = {"session_ids": session_ids}
    dialect = connection.dialect.name
    if dialect == "postgresql":
        connection.execute(_LOCK_SESSIONS, key)
    if len(session_ids) == 1:  # nearly always, and then SQLAlchemy need not expand a list of parameters
        rows = connection.exec_driver_sql(_SELECT_ONE_STATUS[dialect], {"session_id": session_ids[0]})
    else:
        rows = connection.execute(_SELECT_STATUS, key)
    return {row.id: _Place(row.status, row.last_seq, row.fold_digest == get_fold_digest()) for row in rows}


def _find_refusal(write: WriteRequest, places: Mapping[str, _Place]) -> SimulatorError | None:
    if write.session or write.change_tokens:
        return None
    if write.session_id not in places:
        return SessionNotFound(write.session_id)
    status, last_seq, is_current = places[write.session_id]
    if write.is_refolding:
        # Events that came since its log was read are missing in it.
        return None if write.read_model and write.read_model["last_seq"] == last_seq else LogChanged(write.session_id)
    if not write.events:  # a closed session can still be renamed and deleted
        return None
    if not is_current:
        return ReadModelOutdated(write.session_id)
    if status != ProtocolStatus.ACTIVE and any(event["payload_type"] not in _REMARK_TYPES for event in write.events):
        return SessionClosed(write.session_id)
    # The read model of the write was folded from the log as it was, so it is wrong if events have come in between.
    return LogChanged(write.session_id) if write.events[0]["seq"] != last_seq + 1 else None


def _insert_rows(connection: Connection, writes: Sequence[WriteRequest]) -> None:
    dialect = connection.dialect.name
    if blocks := [row for write in writes for row in write.blocks]:
        connection.exec_driver_sql(_INSERT_BLOCKS[dialect], blocks)
    if events := [row for write in writes for row in write.events]:
        connection.exec_driver_sql(_INSERT_EVENTS[dialect], events)
    # A statement for each row: in PostgreSQL, one INSERT of many rows could not change the same row twice.
    if timeline_rows := [row for write in writes for row in write.timeline_rows]:
        connection.exec_driver_sql(_UPSERT_ROWS[dialect], timeline_rows)
