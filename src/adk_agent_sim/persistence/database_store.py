"""The store of a timeline in a database: executes reads, and passes writes to the writer.

Several processes can open one database: `seq` is assigned under a lock of the database, so it has no gaps or repeats.
But a `Timeline` only knows the events that it has read or written itself, so only one process should play a session;
others can read it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from google.protobuf.message import DecodeError
from sqlalchemy import Connection, Engine, Select, bindparam, func, select, tuple_
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from adk_agent_sim.errors import SessionNotFound
from adk_agent_sim.persistence import tables
from adk_agent_sim.persistence.database_engine import (
    Durability,
    create_reader_engine,
    create_writer_engine,
    parse_database_url,
)
from adk_agent_sim.persistence.database_errors import build_store_error
from adk_agent_sim.persistence.migration import migrate, read_version
from adk_agent_sim.persistence.row_codec import decode_event, decode_session
from adk_agent_sim.persistence.transaction import build_append, build_creation, build_deletion, build_rename
from adk_agent_sim.persistence.writer import Writer
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import Event, Session
from adk_agent_sim.timeline.session_progress import SessionCursor, SessionStatus, SessionSummary, StatusSnapshot

T = TypeVar("T")

READER_THREADS = 4
"""The number of concurrent reads."""

_MAX_IDS_PER_QUERY = 500
"""The number of ids in one statement; databases limit the number of parameters."""

_BY_CREATED_AT = attrgetter("created_at")
"""Sorts more precisely than the column, which has millisecond resolution."""

_sessions, _events, _blocks = tables.sessions.c, tables.events.c, tables.blocks.c

_SELECT_SESSIONS = select(_sessions.proto_blob).order_by(_sessions.created_at, _sessions.id)
_SELECT_ACTIVE_SESSIONS = _SELECT_SESSIONS.where(_sessions.status == tables.STATUS_ACTIVE)
_SELECT_SUMMARIES = select(
    _sessions.proto_blob,
    _sessions.standing,
    _sessions.agent_name,
    _sessions.waiting,
    _sessions.last_seq,
    _sessions.last_event_at,
).order_by(_sessions.created_at.desc(), _sessions.id.desc())
_SELECT_SIZES = [
    select(table.session_id, func.sum(func.length(data)).label("size")).group_by(table.session_id)
    for table, data in ((_events, _events.proto_blob), (_blocks, _blocks.data))
]
_SELECT_STATUS = select(_sessions.status).where(_sessions.id == bindparam("session_id"))
_SELECT_EVENTS = (
    select(_events.seq, _events.proto_blob)
    .where(_events.session_id == bindparam("session_id"), _events.seq > bindparam("after_seq"))
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
    try:
        with reading.connect() as connection:
            version = read_version(connection)
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

    async def create_session(self, session: Session) -> None:
        """Add an empty session."""
        await self._writer.write(build_creation(session))

    async def list_sessions(self) -> Sequence[Session]:
        """Return all sessions, oldest first."""
        return sorted(
            await self._run_query(lambda connection: _read_sessions(connection, _SELECT_SESSIONS)), key=_BY_CREATED_AT
        )

    async def list_active_sessions(self) -> Sequence[Session]:
        """Return the sessions that are not closed, newest first."""
        sessions = await self._run_query(lambda connection: _read_sessions(connection, _SELECT_ACTIVE_SESSIONS))
        return sorted(sessions, key=_BY_CREATED_AT, reverse=True)

    async def find_session(self, session_id: str) -> Session | None:
        """Return the session, or None if it does not exist."""
        query = _SELECT_SESSIONS.where(_sessions.id == session_id)
        sessions = await self._run_query(lambda connection: _read_sessions(connection, query))
        return sessions[0] if sessions else None

    async def get_status(self, session_id: str) -> str:
        """Return the value of the column `status`: `active`, `completed` or `cancelled`."""
        key = {"session_id": session_id}
        status = await self._run_query(lambda connection: connection.execute(_SELECT_STATUS, key).scalar())
        if status is None:
            raise SessionNotFound(session_id)
        return status

    async def list_summaries(
        self, *, before: SessionCursor | None = None, limit: int | None = None, waiting_only: bool = False
    ) -> Sequence[SessionSummary]:
        """Return session summaries, newest first; reads no logs."""
        query = _SELECT_SUMMARIES.limit(limit)
        if before is not None:
            query = query.where(tuple_(_sessions.created_at, _sessions.id) < before)
        if waiting_only:
            query = query.where(_sessions.waiting > 0)
        return await self._run_query(lambda connection: [_build_summary(row) for row in connection.execute(query)])

    async def append(
        self, events: Sequence[Event], blocks: Iterable[Block], snapshot: StatusSnapshot | None = None
    ) -> Sequence[Event]:
        """Append events of one session and their blocks atomically; returns the events with their `seq`."""
        first = await self._writer.write(build_append(events, blocks, snapshot))
        return [replace(event, seq=seq) for seq, event in enumerate(events, start=first)]

    async def read_events(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Return the events after `after_seq`, at most `limit`."""
        key = {"session_id": session_id, "after_seq": after_seq}
        return await self._run_query(lambda connection: _read_log(connection, session_id, key, limit))

    async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return the data of a session's blocks by id; blocks that it does not have are left out."""
        data = await self._run_query(lambda connection: _read_blocks(connection, session_id, block_ids))
        return {block_id: data[block_id] for block_id in block_ids if block_id in data}

    async def rename_session(self, session_id: str, description: str) -> None:
        """Change the description of a session."""
        session = await self.find_session(session_id)
        if session is None:
            raise SessionNotFound(session_id)
        await self._writer.write(build_rename(replace(session, description=description)))

    async def delete_session(self, session_id: str) -> None:
        """Delete a session with its events and blocks."""
        await self._writer.write(build_deletion(session_id))

    async def get_session_sizes(self) -> Mapping[str, int]:
        """Return the stored size of each session in bytes."""
        return await self._run_query(_read_sizes)

    async def _run_query(self, query: Callable[[Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._execute_query, query)

    def _execute_query(self, query: Callable[[Connection], T]) -> T:
        try:
            with self._engine.connect() as connection:
                return query(connection)
        except (SQLAlchemyError, DecodeError, ValueError) as error:
            raise build_store_error(self._url, "read from", error) from error


def _build_summary(row: Any) -> SessionSummary:
    session = decode_session(row.proto_blob)
    return SessionSummary(
        session=session,
        snapshot=StatusSnapshot(
            status=SessionStatus(row.standing), agent_name=row.agent_name, pending_count=row.waiting
        ),
        last_seq=row.last_seq,
        last_event_at=row.last_event_at / 1_000 if row.last_seq else session.created_at,
    )


def _read_sizes(connection: Connection) -> dict[str, int]:
    sizes: dict[str, int] = dict.fromkeys(connection.execute(select(_sessions.id)).scalars(), 0)
    for query in _SELECT_SIZES:
        for row in connection.execute(query):
            sizes[row.session_id] = sizes.get(row.session_id, 0) + int(row.size)
    return sizes


def _read_sessions(connection: Connection, query: Select[bytes]) -> Sequence[Session]:
    return [decode_session(blob) for blob in connection.execute(query).scalars()]


def _read_log(connection: Connection, session_id: str, key: Mapping[str, object], limit: int | None) -> Sequence[Event]:
    rows = connection.execute(_SELECT_EVENTS.limit(limit), key).all()
    if not rows:
        _check_session_exists(connection, session_id)
    # The column is authoritative: events migrated from version 0 have no `seq` in their message.
    return [replace(decode_event(blob), seq=seq) for seq, blob in rows]


def _read_blocks(connection: Connection, session_id: str, block_ids: Sequence[str]) -> dict[str, bytes]:
    data: dict[str, bytes] = {}
    for start in range(0, len(block_ids), _MAX_IDS_PER_QUERY):
        key = {"session_id": session_id, "block_ids": block_ids[start : start + _MAX_IDS_PER_QUERY]}
        data.update((row.block_id, row.data) for row in connection.execute(_SELECT_BLOCKS, key))
    if len(data) < len(set(block_ids)) or not block_ids:
        _check_session_exists(connection, session_id)
    return data


def _check_session_exists(connection: Connection, session_id: str) -> None:
    if connection.execute(_SELECT_STATUS, {"session_id": session_id}).first() is None:
        raise SessionNotFound(session_id)
