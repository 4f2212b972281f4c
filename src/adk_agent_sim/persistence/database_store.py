"""The store of a timeline in a database: executes reads, and passes writes to the writer.

Several processes can open one database: a write is refused if another process has appended events to its session since
the writer read it, so `seq` has no gaps or repeats. But a `Timeline` publishes only the events that it has appended
itself, so only one process should play a session; others can read it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from google.protobuf.message import DecodeError
from sqlalchemy import Connection, Engine, Select, and_, bindparam, false, func, not_, or_, select, tuple_
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.sql import ColumnElement

from adk_agent_sim.errors import SessionNotFound
from adk_agent_sim.persistence import tables
from adk_agent_sim.persistence.database_engine import (
    Durability,
    create_reader_engine,
    create_writer_engine,
    make_sqlite_files_private,
    parse_database_url,
)
from adk_agent_sim.persistence.database_errors import build_store_error, refuse_other_file
from adk_agent_sim.persistence.database_tokens import DatabaseTokenStore
from adk_agent_sim.persistence.migration import check_version, migrate, read_version
from adk_agent_sim.persistence.read_model_codec import decode_row, decode_rows_state, decode_summary
from adk_agent_sim.persistence.row_codec import decode_session, read_stored_event
from adk_agent_sim.persistence.transaction import build_append, build_creation, build_deletion, build_summary_change
from adk_agent_sim.persistence.writer import Writer
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import Event, Session
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel, create_read_model
from adk_agent_sim.timeline.read_model.session_status import SessionStatus
from adk_agent_sim.timeline.read_model.session_summary import QueueCursor, SessionSummary
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.session_queries import AgentSessions, QueueEntry, SessionFilter
from adk_agent_sim.timeline.store import EVERY_SESSION

T = TypeVar("T")

READER_THREADS = 4
"""The number of concurrent reads."""

_MAX_IDS_PER_QUERY = 500
"""The number of ids in one statement; databases limit the number of parameters."""

_sessions, _events, _blocks = tables.sessions.c, tables.events.c, tables.blocks.c
_rows, _pending = tables.timeline_rows.c, tables.pending_requests.c

_SELECT_SUMMARIES = select(_sessions.proto_blob, _sessions.summary)
_SELECT_READ_MODEL = select(_sessions.proto_blob, _sessions.summary, _sessions.rows_state).where(
    _sessions.id == bindparam("session_id")
)
_SELECT_QUEUE = (
    select(_pending.request_id, _sessions.proto_blob, _sessions.summary)
    .join(tables.sessions, _sessions.id == _pending.session_id)
    # The order of `QueueCursor`, by which pages continue, and of the index on the table.
    .order_by(_pending.requested_at, _pending.session_id, _pending.position)
)
_SELECT_ROWS = select(_rows.data).where(_rows.session_id == bindparam("session_id")).order_by(_rows.row_index)
_SELECT_ROW_RANGE = _SELECT_ROWS.where(_rows.row_index >= bindparam("start"), _rows.row_index < bindparam("end"))
_SELECT_CHANGED_ROWS = _SELECT_ROWS.where(_rows.updated_seq > bindparam("after_seq"))
_SELECT_SIZES = [
    select(table.session_id, func.sum(func.length(data)).label("size")).group_by(table.session_id)
    for table, data in ((_events, _events.proto_blob), (_blocks, _blocks.data))
]
_SELECT_ID = select(_sessions.id).where(_sessions.id == bindparam("session_id"))
_SELECT_EVENTS = (
    select(_events.seq, _events.proto_blob)
    .where(_events.session_id == bindparam("session_id"), _events.seq > bindparam("after_seq"))
    .order_by(_events.seq)
)
_SELECT_TURN_EVENTS = (
    select(_events.seq, _events.proto_blob)
    .where(_events.turn_id == bindparam("turn_id"), _events.session_id == bindparam("session_id"))
    .order_by(_events.seq)
)
_SELECT_BLOCKS = select(_blocks.block_id, _blocks.data).where(
    _blocks.session_id == bindparam("session_id"), _blocks.block_id.in_(bindparam("block_ids", expanding=True))
)


@asynccontextmanager
async def open_store(
    url_or_path: str | Path, *, durability: Durability = "full", lock_timeout: float = 5.0
) -> AsyncGenerator[DatabaseStore]:
    """Open a store in a database, which is created or migrated if needed; leaving the block waits for all writes.

    Args:
        url_or_path: The path of an SQLite file, or a URL: `sqlite:///PATH`, `postgresql://USER@HOST/DATABASE`.
        durability: With `full`, commits survive a power failure; `normal` is faster, but they may not.
        lock_timeout: How many seconds to wait for another process that is writing.
    """
    url = parse_database_url(url_or_path)
    writing = create_writer_engine(url, durability, lock_timeout)
    reading = create_reader_engine(url, lock_timeout, READER_THREADS)
    readers = ThreadPoolExecutor(READER_THREADS, thread_name_prefix="adksim-reader")
    try:
        await asyncio.to_thread(_prepare_database, writing, reading, url)
        writer = Writer(writing, url)
        try:
            yield DatabaseStore(url, writer, reading, readers)
        finally:
            await writer.close()
    finally:
        await asyncio.to_thread(readers.shutdown)
        reading.dispose()
        writing.dispose()


def _prepare_database(writing: Engine, reading: Engine, url: URL) -> None:
    # Checked before the mode is changed: a file that is no database of ours must stay as it is.
    refuse_other_file(url)
    make_sqlite_files_private(url)
    try:
        with reading.connect() as connection:
            version = read_version(connection)
        if version is not None:
            check_version(url, version)
        # Skipping the migration lets a current database be opened while another process writes, or if it is read-only.
        if version != tables.SCHEMA_VERSION:
            migrate(writing, url)
    except SQLAlchemyError as error:
        raise build_store_error(url, "open the database", error) from error


class DatabaseStore:
    """Sessions, events and blocks in a database; created by `open_store`."""

    def __init__(self, url: URL, writer: Writer, engine: Engine, readers: ThreadPoolExecutor) -> None:
        self._url = url
        self._writer = writer
        self._engine = engine
        self._readers = readers
        self.tokens = DatabaseTokenStore(self._run_query, writer.write)

    async def create_session(self, session: Session) -> None:
        """Add an empty session."""
        await self._writer.write(build_creation(session))

    async def find_summary(self, session_id: str) -> SessionSummary | None:
        """Return the summary of a session, or None if it does not exist."""
        query = _SELECT_SUMMARIES.where(_sessions.id == session_id)
        summaries = await self._run_query(lambda connection: _read_summaries(connection, query))
        return summaries[0] if summaries else None

    async def list_summaries(
        self, wanted: SessionFilter = EVERY_SESSION, limit: int | None = None
    ) -> Sequence[SessionSummary]:
        """Return session summaries, newest first; reads no logs."""
        query = _build_list_query(wanted).limit(limit)
        return await self._run_query(lambda connection: _read_summaries(connection, query))

    async def list_pending(
        self,
        after: QueueCursor | None = None,
        limit: int | None = None,
        session_ids: Collection[str] | None = None,
    ) -> Sequence[QueueEntry]:
        """Return the requests that wait for a person, oldest first; reads no logs."""
        query = _SELECT_QUEUE.limit(limit)
        if after is not None:
            query = query.where(tuple_(_pending.requested_at, _pending.session_id, _pending.position) > after)
        if session_ids is not None:
            query = query.where(_pending.session_id.in_(list(session_ids)))
        return await self._run_query(lambda connection: _read_queue(connection, query))

    async def count_pending(self, session_ids: Collection[str] | None = None) -> int:
        """Return how many requests wait for a person, in these sessions or in all."""
        query = select(func.count()).select_from(tables.pending_requests)
        if session_ids is not None:
            query = query.where(_pending.session_id.in_(list(session_ids)))
        return await self._run_query(lambda connection: connection.execute(query).scalar_one())

    async def load_read_model(self, session_id: str) -> SessionReadModel:
        """Return the read model of a session, to be continued."""
        return await self._run_query(lambda connection: _read_read_model(connection, session_id))

    async def append(
        self, events: Sequence[Event], blocks: Iterable[Block], read_model: SessionReadModel
    ) -> Sequence[Event]:
        """Append events of one session, their blocks and the read model after them atomically."""
        await self._writer.write(build_append(events, blocks, read_model))
        return events

    async def branch_session(self, source_id: str, session: Session, until_seq: int) -> bool:
        """Return False: a database copies the events."""
        return False

    async def read_events(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Return the events after `after_seq`, at most `limit`."""
        key = {"session_id": session_id, "after_seq": after_seq}
        return await self._run_query(lambda connection: _read_log(connection, session_id, key, limit))

    async def read_turn_events(self, session_id: str, turn_id: str) -> Sequence[Event]:
        """Return the events of a model turn, oldest first."""
        key = {"session_id": session_id, "turn_id": turn_id}
        return await self._run_query(
            lambda connection: [
                read_stored_event(session_id, seq, blob) for seq, blob in connection.execute(_SELECT_TURN_EVENTS, key)
            ]
        )

    async def read_rows(self, session_id: str, start: int, count: int) -> Sequence[TimelineRow]:
        """Return up to `count` rows of a session from index `start` on."""
        key = {"session_id": session_id, "start": start, "end": start + count}
        return await self._run_query(lambda connection: _read_rows(connection, _SELECT_ROW_RANGE, key))

    async def read_changed_rows(self, session_id: str, after_seq: int) -> Sequence[TimelineRow]:
        """Return the rows that are new or have changed after an event, by index."""
        key = {"session_id": session_id, "after_seq": after_seq}
        return await self._run_query(lambda connection: _read_rows(connection, _SELECT_CHANGED_ROWS, key))

    async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return the data of a session's blocks by id; blocks that it does not have are left out."""
        data = await self._run_query(lambda connection: _read_blocks(connection, session_id, block_ids))
        return {block_id: data[block_id] for block_id in block_ids if block_id in data}

    async def save_summary(self, summary: SessionSummary) -> None:
        """Replace the description, the name and the exports of a session; the log stays as it is."""
        await self._writer.write(build_summary_change(summary))

    async def delete_session(self, session_id: str) -> None:
        """Delete a session with its events and blocks."""
        await self._writer.write(build_deletion(session_id))

    async def get_session_sizes(self, session_ids: Sequence[str] | None = None) -> Mapping[str, int]:
        """Return the stored size in bytes of these sessions, or of all; sessions that do not exist are left out."""
        return await self._run_query(lambda connection: _read_sizes(connection, session_ids))

    async def _run_query(self, query: Callable[[Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._execute_query, query)

    def _execute_query(self, query: Callable[[Connection], T]) -> T:
        self._writer.file.check("read from")
        try:
            with self._engine.connect() as connection:
                return query(connection)
        except (SQLAlchemyError, DecodeError, ValueError) as error:
            raise build_store_error(self._url, "read from", error) from error


def _build_list_query(wanted: SessionFilter) -> Select[bytes, bytes]:
    query = _SELECT_SUMMARIES.order_by(_sessions.created_at.desc(), _sessions.id.desc())
    if wanted.before is not None:
        query = query.where(tuple_(_sessions.created_at, _sessions.id) < wanted.before)
    if wanted.statuses:
        query = query.where(_build_status_condition(wanted))
    if wanted.of_agents is not None:
        query = query.where(_build_agents_condition(wanted.of_agents))
    elif wanted.agent:
        # Each name stands between two line breaks, so this finds whole names only.
        query = query.where(_sessions.agent_names.contains(f"\n{wanted.agent}\n", autoescape=True))
    if wanted.text:
        query = query.where(
            or_(
                _sessions.name.icontains(wanted.text, autoescape=True),
                _sessions.agent_names.icontains(wanted.text, autoescape=True),
                false() if wanted.text_agents is None else _build_agents_condition(wanted.text_agents),
            )
        )
    return query


def _build_agents_condition(agents: AgentSessions) -> ColumnElement[bool]:
    # The first name of the column is that of the app.
    has_app = [_sessions.agent_names.startswith(f"\n{name}\n", autoescape=True) for name in agents.app_names]
    # SQLAlchemy deprecates an empty or_(), and `false()` makes it match nothing.
    is_earlier = and_(or_(false(), *has_app), _sessions.id.not_in(list(agents.other_ids)))
    return or_(_sessions.id.in_(list(agents.session_ids)), is_earlier)


def _build_status_condition(wanted: SessionFilter) -> ColumnElement[bool]:
    has_status = _sessions.session_status.in_([status.value for status in wanted.statuses])
    if wanted.live_ids is None:
        return has_status
    is_live = _sessions.id.in_(list(wanted.live_ids))
    return or_(and_(is_live, has_status), not_(is_live) if SessionStatus.CLOSED in wanted.statuses else false())


def _read_summaries(connection: Connection, query: Select[bytes, bytes]) -> Sequence[SessionSummary]:
    return [decode_summary(decode_session(blob), summary) for blob, summary in connection.execute(query)]


def _read_queue(connection: Connection, query: Select[str, bytes, bytes]) -> Sequence[QueueEntry]:
    entries: list[QueueEntry] = []
    for request_id, blob, data in connection.execute(query):
        summary = decode_summary(decode_session(blob), data)
        # A summary that cannot be read has no requests, although their rows are still there.
        if request := summary.pending.get(request_id):
            entries.append(QueueEntry(summary, request))
    return entries


def _read_read_model(connection: Connection, session_id: str) -> SessionReadModel:
    row = connection.execute(_SELECT_READ_MODEL, {"session_id": session_id}).first()
    if row is None:
        raise SessionNotFound(session_id)
    summary = decode_summary(decode_session(row.proto_blob), row.summary)
    if not summary.is_broken:
        return SessionReadModel(summary, decode_rows_state(row.rows_state))
    # What is stored of the summary is damaged, but the log has everything that it is made of.
    events = _read_log(connection, session_id, {"session_id": session_id, "after_seq": 0}, None)
    return create_read_model(summary.session).with_events(events)


def _read_rows(connection: Connection, query: Select[Any], key: Mapping[str, Any]) -> Sequence[TimelineRow]:
    rows = [decode_row(data) for data in connection.execute(query, key).scalars()]
    if not rows:
        _check_session_exists(connection, key["session_id"])
    return rows


def _read_sizes(connection: Connection, session_ids: Sequence[str] | None) -> dict[str, int]:
    def restrict(query: Any, column: ColumnElement[str]) -> Any:
        return query if session_ids is None else query.where(column.in_(session_ids))

    ids = connection.execute(restrict(select(_sessions.id), _sessions.id)).scalars()
    sizes: dict[str, int] = dict.fromkeys(ids, 0)
    for query, column in zip(_SELECT_SIZES, (_events.session_id, _blocks.session_id), strict=True):
        for row in connection.execute(restrict(query, column)):
            # Each statement sees what is committed by then: a session may have been created since the first one.
            sizes[row.session_id] = sizes.get(row.session_id, 0) + int(row.size)
    return sizes


def _read_log(connection: Connection, session_id: str, key: Mapping[str, object], limit: int | None) -> Sequence[Event]:
    rows = connection.execute(_SELECT_EVENTS.limit(limit), key).all()
    if not rows:
        # Only an empty result needs a second statement, to tell an empty log from a session that does not exist.
        _check_session_exists(connection, session_id)
    return [read_stored_event(session_id, seq, blob) for seq, blob in rows]


def _read_blocks(connection: Connection, session_id: str, block_ids: Sequence[str]) -> dict[str, bytes]:
    data: dict[str, bytes] = {}
    for start in range(0, len(block_ids), _MAX_IDS_PER_QUERY):
        key = {"session_id": session_id, "block_ids": block_ids[start : start + _MAX_IDS_PER_QUERY]}
        data.update((row.block_id, row.data) for row in connection.execute(_SELECT_BLOCKS, key))
    if len(data) < len(set(block_ids)) or not block_ids:
        _check_session_exists(connection, session_id)
    return data


def _check_session_exists(connection: Connection, session_id: str) -> None:
    if connection.execute(_SELECT_ID, {"session_id": session_id}).first() is None:
        raise SessionNotFound(session_id)
