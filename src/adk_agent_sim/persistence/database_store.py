"""The store of a timeline in a database: executes reads, and passes writes to the writer.

Several processes can open one database: a write is refused if another process has appended events to its session since
the writer read it, so `seq` has no gaps or repeats. But a `Timeline` publishes only the events that it has appended
itself, so only one process should play a session; others can read it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from google.protobuf.message import DecodeError
from sqlalchemy import Connection, CursorResult, Engine, Select, and_, bindparam, false, func, or_, select, tuple_
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.sql import ColumnElement

from adk_agent_sim.errors import LogChanged, SessionNotFound, SimulatorError
from adk_agent_sim.persistence import tables
from adk_agent_sim.persistence.access_tokens import DatabaseTokenStore
from adk_agent_sim.persistence.database_engine import (
    Durability,
    build_store_error,
    create_reader_engine,
    create_writer_engine,
    make_sqlite_files_private,
    parse_database_url,
    refuse_other_file,
)
from adk_agent_sim.persistence.database_lock import DatabaseLock
from adk_agent_sim.persistence.migration import check_version, migrate, read_version
from adk_agent_sim.persistence.read_model_codec import decode_annotations, decode_row, decode_rows_state, decode_summary
from adk_agent_sim.persistence.row_codec import decode_session, read_stored_event
from adk_agent_sim.persistence.session_fold import FoldedSession, fold_session, get_fold_digest
from adk_agent_sim.persistence.transaction import (
    ReadModelOutdated,
    WriteRequest,
    build_append,
    build_creation,
    build_deletion,
    build_refolding,
    build_summary_change,
)
from adk_agent_sim.persistence.writer import Writer
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import Event, Session, Unreadable
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel
from adk_agent_sim.timeline.read_model.session_summary import QueueCursor, SessionSummary, create_summary
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.session_liveness import list_stored_statuses
from adk_agent_sim.timeline.session_queries import AgentSessions, QueueEntry, SessionFilter
from adk_agent_sim.timeline.store import EVERY_SESSION

T = TypeVar("T")
Query: TypeAlias = Select[*tuple[Any, ...]]

_log = get_logger(__name__)

READER_THREADS = 4
"""The number of concurrent reads."""

_SESSIONS_PER_PAGE = 1_000
"""How many sessions of a list without a limit are read at a time."""

_SESSIONS_PER_BATCH = 20
"""How many sessions are folded again, and stored in one transaction, at a time."""

_SESSIONS_PER_REPORT = 1_000
"""After how many sessions the progress of folding them again is logged."""

_EVENTS_PER_PAGE = 1_000
"""How many events are folded at a time."""

_NO_KEY: Mapping[str, object] = {}

_MAX_IDS_PER_QUERY = 500
"""The number of ids in one statement; databases limit the number of parameters."""

_sessions, _events, _blocks = tables.sessions.c, tables.events.c, tables.blocks.c
_rows, _pending = tables.timeline_rows.c, tables.pending_requests.c

_SUMMARY_COLUMNS = (
    _sessions.proto_blob,
    _sessions.annotations,
    _sessions.summary,
    _sessions.fold_digest,
)
_SELECT_SUMMARIES = select(*_SUMMARY_COLUMNS)
_SELECT_READ_MODEL = select(*_SUMMARY_COLUMNS, _sessions.rows_state).where(_sessions.id == bindparam("session_id"))
# Two ranges, which an index finds, rather than `!=`, for which every session would be read.
_is_outdated = or_(_sessions.fold_digest < bindparam("fold_digest"), _sessions.fold_digest > bindparam("fold_digest"))
# Sorted by the reader: in the order of creation, SQLite would read all sessions to find these.
_SELECT_OUTDATED = select(_sessions.created_at, _sessions.id).where(_is_outdated)
_SELECT_DIGEST = select(_sessions.fold_digest).where(_sessions.id == bindparam("session_id"))
_SELECT_QUEUE = (
    select(*_SUMMARY_COLUMNS, _pending.request_id)
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
_SELECT_EVENTS = (
    select(_events.seq, _events.proto_blob, _events.timestamp)
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
    url_or_path: str | Path,
    *,
    durability: Durability = "full",
    lock_timeout: float = 5.0,
    lock: DatabaseLock | None = None,
) -> AsyncGenerator[DatabaseStore]:
    """Open a store in a database, which is created or migrated if needed; leaving the block waits for all writes.

    Args:
        url_or_path: The path of an SQLite file, or a URL: `sqlite:///PATH`, `postgresql://USER@HOST/DATABASE`.
        durability: With `full`, commits survive a power failure; `normal` is faster, but they may not.
        lock_timeout: How many seconds to wait for another process that is writing.
        lock: The lock of the database if this process has it: it then stores the summaries and rows again that other
            code has computed. Other processes compute them when they read them, and store nothing.
    """
    # Before there are threads here: `ast` of Python 3.11 fails if two threads parse at once.
    get_fold_digest()
    url = parse_database_url(url_or_path)
    writing = create_writer_engine(url, durability, lock_timeout)
    reading = create_reader_engine(url, lock_timeout, READER_THREADS)
    readers = ThreadPoolExecutor(READER_THREADS, thread_name_prefix="adksim-reader")
    try:
        await asyncio.to_thread(_prepare_database, writing, reading, url)
        writer = Writer(writing, url)
        try:
            store = DatabaseStore(url, writer, reading, readers, lock)
            async with _run_until_left(store.refold_outdated()):
                yield store
        finally:
            await writer.close()
    finally:
        await asyncio.to_thread(readers.shutdown)
        reading.dispose()
        writing.dispose()


@asynccontextmanager
async def _run_until_left(work: Coroutine[Any, Any, None]) -> AsyncGenerator[None]:
    task = asyncio.create_task(work, name="adksim-refolding")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


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


@dataclass(slots=True)
class Refolding:
    """The progress of folding sessions again that other code has summarized."""

    total_count: int = 0
    done_count: int = 0


class DatabaseStore:
    """Sessions, events and blocks in a database; created by `open_store`."""

    def __init__(
        self, url: URL, writer: Writer, engine: Engine, readers: ThreadPoolExecutor, lock: DatabaseLock | None = None
    ) -> None:
        self._url = url
        self._lock = lock
        self.refolding = Refolding()
        """How far `refold_outdated` is."""
        self._writer = writer
        self._engine = engine
        self._readers = readers
        self.tokens = DatabaseTokenStore(self._run_query, writer.write)

    async def create_session(self, session: Session) -> None:
        """Add an empty session."""
        await self._writer.write(build_creation(session))

    async def find_summary(self, session_id: str) -> SessionSummary | None:
        """Return the summary of a session, or None if it does not exist."""
        found = await self._run_query(lambda connection: _find_stored_summary(connection, session_id))
        if found is None or found.current:
            return found.current if found else None
        return (await self._refold([session_id])).get(session_id)

    async def list_summaries(
        self, wanted: SessionFilter = EVERY_SESSION, limit: int | None = None
    ) -> Sequence[SessionSummary]:
        """Return session summaries, newest first; reads no logs but those of outdated sessions in these pages."""
        found: list[SessionSummary] = []
        while True:
            count = _SESSIONS_PER_PAGE if limit is None else limit - len(found)
            query = _build_list_query(wanted).limit(count)
            page = await self._run_query(partial(_read_summaries, query=query))
            refolded = await self._refold([each.session.session_id for each in page if each.current is None])
            for each in page:
                summary = each.current or refolded.get(each.session.session_id)
                # The column of the status has what the log says; whether a process can go on is known only here. If
                # other code has computed the columns, they say nothing.
                if summary and (wanted.matches_status(summary) if each.current else wanted.matches(summary)):
                    found.append(summary)
            if len(page) < count or len(found) == limit:
                return found
            wanted = replace(wanted, before=create_summary(page[-1].session).cursor)

    async def list_pending(
        self,
        after: QueueCursor | None = None,
        limit: int | None = None,
        session_ids: Collection[str] | None = None,
    ) -> Sequence[QueueEntry]:
        """Return the requests that wait for a person, oldest first; reads no logs but those of outdated sessions."""
        refolded = await self._refold(await self._list_outdated(session_ids))
        query = _SELECT_QUEUE.limit(limit)
        if after is not None:
            query = query.where(tuple_(_pending.requested_at, _pending.session_id, _pending.position) > after)
        if session_ids is not None:
            query = query.where(_pending.session_id.in_(list(session_ids)))
        if not refolded or self._has_lock:  # all that is stored is right now
            return await self._run_query(lambda connection: _read_queue(connection, query))
        query = query.where(_sessions.fold_digest == bindparam("fold_digest"))
        entries = await self._run_query(lambda connection: _read_queue(connection, query))
        entries += [QueueEntry(summary, each) for summary in refolded.values() for each in summary.pending.values()]
        unique = {entry.cursor: entry for entry in entries if after is None or entry.cursor > after}
        return [unique[cursor] for cursor in sorted(unique)][:limit]

    async def count_pending(self, session_ids: Collection[str] | None = None) -> int:
        """Return how many requests wait for a person, in these sessions or in all."""
        if await self._list_outdated(session_ids):
            return len(await self.list_pending(session_ids=session_ids))
        query = select(func.count()).select_from(tables.pending_requests)
        if session_ids is not None:
            query = query.where(_pending.session_id.in_(list(session_ids)))
        return await self._run_query(lambda connection: connection.execute(query).scalar_one())

    async def load_read_model(self, session_id: str) -> SessionReadModel:
        """Return the read model of a session, to be continued."""
        stored = await self._run_query(lambda connection: _read_read_model(connection, session_id))
        return stored or (await self._refold_session(session_id)).read_model

    async def append(
        self, events: Sequence[Event], blocks: Iterable[Block], read_model: SessionReadModel
    ) -> Sequence[Event]:
        """Append events of one session, their blocks and the read model after them atomically."""
        write = build_append(events, blocks, read_model)
        try:
            await self._writer.write(write)
        except ReadModelOutdated:
            # Also without the lock: what is stored of a session must be computed by one and the same code.
            await self._refold_session(write.session_id, is_stored=True)
            await self._writer.write(write)
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
        stored = await self._run_query(lambda connection: _read_rows(connection, _SELECT_ROW_RANGE, key))
        return (await self._refold_session(session_id)).rows[start : start + count] if stored is None else stored

    async def read_changed_rows(self, session_id: str, after_seq: int) -> Sequence[TimelineRow]:
        """Return the rows that are new or have changed after an event, by index."""
        key = {"session_id": session_id, "after_seq": after_seq}
        stored = await self._run_query(lambda connection: _read_rows(connection, _SELECT_CHANGED_ROWS, key))
        if stored is not None:
            return stored
        return [row for row in (await self._refold_session(session_id)).rows if row.updated_seq > after_seq]

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

    async def refold_outdated(self) -> None:
        """Fold and store all outdated sessions again, newest first, in batches; without the lock, do nothing.

        What is done is in the database, so a process that is killed meanwhile continues where it was.
        """
        session_ids = await self._list_outdated() if self._has_lock else ()
        if not session_ids:
            return
        self.refolding.total_count = len(session_ids)
        _log.info("%d sessions were summarized by another version; this is done again.", len(session_ids))
        try:
            for start in range(0, len(session_ids), _SESSIONS_PER_REPORT):
                await self._refold(session_ids[start : start + _SESSIONS_PER_REPORT], self.refolding)
                _log.info("%d of %d sessions are summarized.", self.refolding.done_count, len(session_ids))
        except SimulatorError as error:
            _log.warning("The other sessions are summarized when they are read: %s", error)

    @property
    def _has_lock(self) -> bool:
        return self._lock is not None and self._lock.loss is None

    async def _list_outdated(self, session_ids: Collection[str] | None = None) -> Sequence[str]:
        """Return the sessions whose read model other code has computed, newest first."""
        query = _SELECT_OUTDATED
        if session_ids is not None:
            query = query.where(_sessions.id.in_(list(session_ids)))
        found = await self._run_query(lambda connection: _execute(connection, query).all())
        return [session_id for _, session_id in sorted(map(tuple, found), reverse=True)]

    async def _refold_session(self, session_id: str, *, is_stored: bool = False) -> FoldedSession:
        folded = await self._refold_batch([session_id], is_stored=is_stored or self._has_lock)
        if not folded:
            raise SessionNotFound(session_id)
        return folded[0]

    async def _refold(
        self, session_ids: Sequence[str], progress: Refolding | None = None
    ) -> Mapping[str, SessionSummary]:
        """Fold the read models of sessions again, and return their summaries; the process with the lock stores them."""
        summaries: dict[str, SessionSummary] = {}
        for start in range(0, len(session_ids), _SESSIONS_PER_BATCH):
            batch = session_ids[start : start + _SESSIONS_PER_BATCH]
            for folded in await self._refold_batch(batch, is_stored=self._has_lock):
                summary = folded.read_model.summary
                summaries[summary.session.session_id] = summary
            if progress is not None:
                progress.done_count += len(batch)
        return summaries

    async def _refold_batch(self, session_ids: Sequence[str], *, is_stored: bool) -> Sequence[FoldedSession]:
        """Fold sessions again, without those that do not exist."""

        def fold(connection: Connection) -> list[tuple[FoldedSession, WriteRequest | None]]:
            found = (_fold_stored_session(connection, session_id) for session_id in session_ids)
            return [(each, build_refolding(each) if is_stored else None) for each in found if each is not None]

        folded = await self._run_query(fold)
        writing = (self._writer.write(write) for _, write in folded if write is not None)
        for error in await asyncio.gather(*writing, return_exceptions=True):
            # A session that was changed or deleted meanwhile is outdated still, or gone.
            if isinstance(error, BaseException) and not isinstance(error, LogChanged | SessionNotFound):
                raise error
        return [each for each, _ in folded]

    async def _run_query(self, query: Callable[[Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._execute_query, query)

    def _execute_query(self, query: Callable[[Connection], T]) -> T:
        self._writer.file.check("read from")
        try:
            with self._engine.connect() as connection:
                return query(connection)
        except (SQLAlchemyError, DecodeError, ValueError) as error:
            raise build_store_error(self._url, "read from", error) from error


def _build_list_query(wanted: SessionFilter) -> Query:
    """Return the query of a list; it finds all outdated sessions too, whose columns say nothing."""
    query = _SELECT_SUMMARIES.order_by(_sessions.created_at.desc(), _sessions.id.desc())
    # Does not depend on the fold.
    if wanted.before is not None:
        query = query.where(tuple_(_sessions.created_at, _sessions.id) < wanted.before)
    if conditions := list(_build_conditions(wanted)):
        query = query.where(or_(_sessions.fold_digest != bindparam("fold_digest"), and_(*conditions)))
    return query


def _build_conditions(wanted: SessionFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.statuses:
        yield _sessions.session_status.in_(sorted(list_stored_statuses(wanted.statuses)))
    if wanted.of_agents is not None:
        yield _build_agents_condition(wanted.of_agents)
    elif wanted.agent:
        # Each name stands between two line breaks, so this finds whole names only.
        yield _sessions.agent_names.contains(f"\n{wanted.agent}\n", autoescape=True)
    if wanted.text:
        yield or_(
            _sessions.name.icontains(wanted.text, autoescape=True),
            _sessions.agent_names.icontains(wanted.text, autoescape=True),
            false() if wanted.text_agents is None else _build_agents_condition(wanted.text_agents),
        )


def _build_agents_condition(agents: AgentSessions) -> ColumnElement[bool]:
    # The first name of the column is that of the app.
    has_app = [_sessions.agent_names.startswith(f"\n{name}\n", autoescape=True) for name in agents.app_names]
    # SQLAlchemy deprecates an empty or_(), and `false()` makes it match nothing.
    is_earlier = and_(or_(false(), *has_app), _sessions.id.not_in(list(agents.other_ids)))
    return or_(_sessions.id.in_(list(agents.session_ids)), is_earlier)


class _StoredSummary(NamedTuple):
    """A session as it is stored."""

    session: Session
    annotations: Mapping[str, Any]
    current: SessionSummary | None
    """Its summary; None if other code has computed it, or if it is damaged."""


def _execute(connection: Connection, query: Query, key: Mapping[str, object] = _NO_KEY) -> CursorResult[Any]:
    return connection.execute(query, {"fold_digest": get_fold_digest(), **key})


def _decode_session_row(row: Any) -> _StoredSummary:
    blob, noted, summary, digest, *_ = row
    session, annotations = decode_session(blob), decode_annotations(noted)
    current = None
    if digest == get_fold_digest():
        try:
            current = decode_summary(session, annotations, summary)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            _log.warning("The summary of session %s is damaged, and computed again: %r", session.session_id, error)
    return _StoredSummary(session, annotations, current)


def _read_summaries(connection: Connection, query: Query) -> Sequence[_StoredSummary]:
    return [_decode_session_row(row) for row in _execute(connection, query)]


def _find_stored_summary(connection: Connection, session_id: str) -> _StoredSummary | None:
    row = connection.execute(_SELECT_READ_MODEL, {"session_id": session_id}).first()
    return _decode_session_row(row) if row else None


def _fold_stored_session(connection: Connection, session_id: str) -> FoldedSession | None:
    stored = _find_stored_summary(connection, session_id)
    return fold_session(stored.session, stored.annotations, _read_pages(connection, session_id)) if stored else None


def _read_pages(connection: Connection, session_id: str) -> Iterator[Sequence[Event]]:
    """Read a log, so that no more than a part of it is in memory."""
    seq = 0
    while rows := connection.execute(
        _SELECT_EVENTS.limit(_EVENTS_PER_PAGE), {"session_id": session_id, "after_seq": seq}
    ).all():
        seq = rows[-1].seq
        yield [_read_event(session_id, row) for row in rows]


def _read_event(session_id: str, row: Any) -> Event:
    event = read_stored_event(session_id, row.seq, row.proto_blob)
    # An event that cannot be read has no time of its own.
    return replace(event, timestamp=row.timestamp / 1_000) if isinstance(event.payload, Unreadable) else event


def _read_queue(connection: Connection, query: Query) -> list[QueueEntry]:
    entries: list[QueueEntry] = []
    for row in _execute(connection, query):
        summary = _decode_session_row(row).current
        # A summary that cannot be read has no requests, although their rows are still there.
        if summary and (request := summary.pending.get(row.request_id)):
            entries.append(QueueEntry(summary, request))
    return entries


def _read_read_model(connection: Connection, session_id: str) -> SessionReadModel | None:
    """Return a stored read model; None if it must be folded again."""
    row = connection.execute(_SELECT_READ_MODEL, {"session_id": session_id}).first()
    if row is None:
        raise SessionNotFound(session_id)
    summary = _decode_session_row(row).current
    return SessionReadModel(summary, decode_rows_state(row.rows_state)) if summary else None


def _read_rows(connection: Connection, query: Query, key: Mapping[str, Any]) -> Sequence[TimelineRow] | None:
    """Return stored rows; None if they must be folded again."""
    if _require_digest(connection, key["session_id"]) != get_fold_digest():
        return None
    return [decode_row(data) for data in connection.execute(query, key).scalars()]


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
        _require_digest(connection, session_id)
    return [_read_event(session_id, row) for row in rows]


def _read_blocks(connection: Connection, session_id: str, block_ids: Sequence[str]) -> dict[str, bytes]:
    data: dict[str, bytes] = {}
    for start in range(0, len(block_ids), _MAX_IDS_PER_QUERY):
        key = {"session_id": session_id, "block_ids": block_ids[start : start + _MAX_IDS_PER_QUERY]}
        data.update((row.block_id, row.data) for row in connection.execute(_SELECT_BLOCKS, key))
    if len(data) < len(set(block_ids)) or not block_ids:
        _require_digest(connection, session_id)
    return data


def _require_digest(connection: Connection, session_id: str) -> str:
    """Return the digest of the code that computed a session's read model; raise SessionNotFound if there is none."""
    digest = connection.execute(_SELECT_DIGEST, {"session_id": session_id}).scalar()
    if digest is None:
        raise SessionNotFound(session_id)
    return digest
