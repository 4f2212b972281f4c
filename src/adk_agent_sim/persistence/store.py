"""A timeline's store in a database: what it reads, and what it hands to the writer.

Several processes may open one database: each event gets its `seq` while the database is locked for it, so numbers have
no gaps and no repeats whoever writes. A `Timeline` only knows the turns that it has seen, though: let one process play
a session, and others read it.
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
from adk_agent_sim.persistence import schema
from adk_agent_sim.persistence.engine import Durability, address, reading_engine, writing_engine
from adk_agent_sim.persistence.failure import failure
from adk_agent_sim.persistence.migration import migrate, version
from adk_agent_sim.persistence.record import decode_event, decode_session
from adk_agent_sim.persistence.transaction import addition, creation, deletion, renaming
from adk_agent_sim.persistence.writer import Writer
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import Event, Session
from adk_agent_sim.timeline.progress import Place, SessionSummary, Standing, Status

T = TypeVar("T")

READERS = 4
"""How many reads run at once."""

_AT_ONCE = 500
"""How many ids a statement names; databases limit it."""

_CREATED_AT = attrgetter("created_at")
"""More exact than its column, which counts milliseconds."""

_sessions, _events, _blocks = schema.sessions.c, schema.events.c, schema.blocks.c

_SESSIONS = select(_sessions.proto_blob).order_by(_sessions.created_at, _sessions.id)
_ACTIVE = _SESSIONS.where(_sessions.status == schema.ACTIVE)
_SUMMARIES = select(
    _sessions.proto_blob,
    _sessions.standing,
    _sessions.agent_name,
    _sessions.waiting,
    _sessions.last_seq,
    _sessions.last_event_at,
).order_by(_sessions.created_at.desc(), _sessions.id.desc())
_SIZES = [
    select(table.session_id, func.sum(func.length(data)).label("size")).group_by(table.session_id)
    for table, data in ((_events, _events.proto_blob), (_blocks, _blocks.data))
]
_STATUS = select(_sessions.status).where(_sessions.id == bindparam("session_id"))
_READ = (
    select(_events.seq, _events.proto_blob)
    .where(_events.session_id == bindparam("session_id"), _events.seq > bindparam("after_seq"))
    .order_by(_events.seq)
)
_FIND_BLOCKS = select(_blocks.block_id, _blocks.data).where(
    _blocks.session_id == bindparam("session_id"), _blocks.block_id.in_(bindparam("block_ids", expanding=True))
)


@asynccontextmanager
async def open_store(
    url_or_path: str | Path, *, durability: Durability = "full", lock_timeout: float = 5.0
) -> AsyncGenerator[DatabaseStore]:
    """Open the store that rests in a database, which is made or migrated if need be; leaving waits for all writes.

    Args:
        url_or_path: The path of an SQLite file, or a URL: `sqlite:///PATH`, `postgresql://USER@HOST/DATABASE`.
        durability: `full` survives the machine losing power, `normal` the end of this process only, but is faster.
        lock_timeout: For how many seconds to wait for another process that is writing.
    """
    url = address(url_or_path)
    writing = writing_engine(url, durability, lock_timeout)
    reading = reading_engine(url, lock_timeout, READERS)
    readers = ThreadPoolExecutor(READERS, thread_name_prefix="adksim-reader")
    try:
        await asyncio.to_thread(_prepare, writing, reading, url)
        writer = Writer(writing, url)
        try:
            yield DatabaseStore(url, writer, reading, readers)
        finally:
            await writer.close()
    finally:
        await asyncio.to_thread(readers.shutdown)
        reading.dispose()
        writing.dispose()


def _prepare(writing: Engine, reading: Engine, url: URL) -> None:
    try:
        with reading.connect() as connection:
            found = version(connection)
        # A database that is as it should be can be opened while another process writes, and where it is read-only.
        if found != schema.VERSION:
            migrate(writing, url)
    except SQLAlchemyError as error:
        raise failure(url, "open the database", error) from error


class DatabaseStore:
    """Sessions, events and blocks in a database; made by `open_store`."""

    def __init__(self, url: URL, writer: Writer, engine: Engine, readers: ThreadPoolExecutor) -> None:
        self._url = url
        self._writer = writer
        self._engine = engine
        self._readers = readers

    async def create_session(self, session: Session) -> None:
        """Add an empty session."""
        await self._writer.write(creation(session))

    async def sessions(self) -> Sequence[Session]:
        """All sessions, oldest first."""
        return sorted(await self._read(lambda connection: _listed(connection, _SESSIONS)), key=_CREATED_AT)

    async def active_sessions(self) -> Sequence[Session]:
        """The sessions that are not closed, newest first."""
        found = await self._read(lambda connection: _listed(connection, _ACTIVE))
        return sorted(found, key=_CREATED_AT, reverse=True)

    async def session(self, session_id: str) -> Session | None:
        """A session by its id."""
        one = _SESSIONS.where(_sessions.id == session_id)
        found = await self._read(lambda connection: _listed(connection, one))
        return found[0] if found else None

    async def status(self, session_id: str) -> str:
        """`active`, or `completed` once it is closed."""
        key = {"session_id": session_id}
        status = await self._read(lambda connection: connection.execute(_STATUS, key).scalar())
        if status is None:
            raise SessionNotFound(session_id)
        return status

    async def summaries(
        self, *, before: Place | None = None, limit: int | None = None, waiting_only: bool = False
    ) -> Sequence[SessionSummary]:
        """Sessions and where they stand, newest first; no log is read for it."""
        query = _SUMMARIES.limit(limit)
        if before is not None:
            query = query.where(tuple_(_sessions.created_at, _sessions.id) < before)
        if waiting_only:
            query = query.where(_sessions.waiting > 0)
        return await self._read(lambda connection: [_summary(row) for row in connection.execute(query)])

    async def append(
        self, events: Sequence[Event], blocks: Iterable[Block], standing: Standing | None = None
    ) -> Sequence[Event]:
        """Add events of one session and the blocks they refer to, all or nothing; gives the events their `seq`."""
        first = await self._writer.write(addition(events, blocks, standing))
        return [replace(event, seq=seq) for seq, event in enumerate(events, start=first)]

    async def read(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        """The events of a session behind `after_seq`, in order, at most `limit`."""
        key = {"session_id": session_id, "after_seq": after_seq}
        return await self._read(lambda connection: _log(connection, session_id, key, limit))

    async def blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        """The data of blocks of a session, by id; those it does not have are left out."""
        found = await self._read(lambda connection: _found_blocks(connection, session_id, block_ids))
        return {block_id: found[block_id] for block_id in block_ids if block_id in found}

    async def rename(self, session_id: str, description: str) -> None:
        """Give a session another description."""
        session = await self.session(session_id)
        if session is None:
            raise SessionNotFound(session_id)
        await self._writer.write(renaming(replace(session, description=description)))

    async def delete(self, session_id: str) -> None:
        """Take a session away, with all that belongs to it."""
        await self._writer.write(deletion(session_id))

    async def sizes(self) -> Mapping[str, int]:
        """How many bytes each session takes."""
        return await self._read(_sizes)

    async def _read(self, query: Callable[[Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._queried, query)

    def _queried(self, query: Callable[[Connection], T]) -> T:
        try:
            with self._engine.connect() as connection:
                return query(connection)
        except (SQLAlchemyError, DecodeError, ValueError) as error:
            raise failure(self._url, "read from", error) from error


def _summary(row: Any) -> SessionSummary:
    session = decode_session(row.proto_blob)
    return SessionSummary(
        session=session,
        standing=Standing(status=Status(row.standing), agent_name=row.agent_name, waiting=row.waiting),
        last_seq=row.last_seq,
        last_event_at=row.last_event_at / 1_000 if row.last_seq else session.created_at,
    )


def _sizes(connection: Connection) -> dict[str, int]:
    sizes: dict[str, int] = dict.fromkeys(connection.execute(select(_sessions.id)).scalars(), 0)
    for query in _SIZES:
        for row in connection.execute(query):
            sizes[row.session_id] = sizes.get(row.session_id, 0) + int(row.size)
    return sizes


def _listed(connection: Connection, query: Select[bytes]) -> Sequence[Session]:
    return [decode_session(blob) for blob in connection.execute(query).scalars()]


def _log(connection: Connection, session_id: str, key: Mapping[str, object], limit: int | None) -> Sequence[Event]:
    rows = connection.execute(_READ.limit(limit), key).all()
    if not rows:
        _check_session(connection, session_id)
    # The column is what counts: a migrated event got its number after it was written.
    return [replace(decode_event(blob), seq=seq) for seq, blob in rows]


def _found_blocks(connection: Connection, session_id: str, block_ids: Sequence[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for start in range(0, len(block_ids), _AT_ONCE):
        key = {"session_id": session_id, "block_ids": block_ids[start : start + _AT_ONCE]}
        found.update((row.block_id, row.data) for row in connection.execute(_FIND_BLOCKS, key))
    if len(found) < len(set(block_ids)) or not block_ids:
        _check_session(connection, session_id)
    return found


def _check_session(connection: Connection, session_id: str) -> None:
    if connection.execute(_STATUS, {"session_id": session_id}).first() is None:
        raise SessionNotFound(session_id)
