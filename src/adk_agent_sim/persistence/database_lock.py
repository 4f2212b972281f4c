"""Lets one server at a time use a database, because each knows only the turns that it has seen itself.

The lock ends with its process, however that ends: on an SQLite file it is the operating system's lock on a file beside
it, in PostgreSQL an advisory lock of a connection. Commands that only read take no lock.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import Connection, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from adk_agent_sim.errors import StoreFailed, StoreNotOpened
from adk_agent_sim.persistence.database_engine import (
    build_store_error,
    create_lock_engine,
    format_url,
    parse_database_url,
    resolve_sqlite_path,
)
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.private_files import PRIVATE_MODE

_CHECK_SECONDS = 1.0
"""How often the connection that holds a lock is checked."""

_POSTGRES_LOCK_CLASS = 0x61646B73
"""The first half of the key of PostgreSQL locks; any number that all releases share."""

# PostgreSQL keeps advisory locks per database, and a search path selects one of several sets of tables in it.
_TRY_LOCK = text("SELECT pg_try_advisory_lock(:class, hashtext(coalesce(current_schema(), '')))")
# The process id alone does not identify a session: the system may give it to another one later.
_FIND_SESSION = text("SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()")
_END_SESSION = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = :pid AND backend_start = :backend_start"
)

_log = get_logger(__name__)


class DatabaseLock:
    """The lock that this server holds on its database."""

    def __init__(self) -> None:
        self.loss: StoreNotOpened | None = None
        """Why the lock is lost for good; None while it is held, or can be taken again."""
        self._on_lost: Callable[[], object] = lambda: None

    def call_when_lost(self, callback: Callable[[], object]) -> None:
        """Call `callback` when another server has the lock; at once if it has it already."""
        self._on_lost = callback
        if self.loss is not None:
            callback()

    def mark_lost(self, loss: StoreNotOpened) -> None:
        """Record that another server has the lock."""
        self.loss = loss
        self._on_lost()


@asynccontextmanager
async def lock_database(
    url_or_path: str | Path, *, advice: str = "Use that server, or choose another database."
) -> AsyncGenerator[DatabaseLock]:
    """Hold the lock of a database.

    The lock of an SQLite file cannot be lost. That of a PostgreSQL database is lost with its connection, for example
    when PostgreSQL restarts: it is then taken again as soon as PostgreSQL answers. If another server was faster, this
    one must stop: `DatabaseLock.call_when_lost` reports it, and leaving the block raises the error.

    Args:
        url_or_path: The database.
        advice: What to do if another server uses it, in terms of the command that was run.

    Raises:
        StoreNotOpened: Another server uses the database, or has taken it meanwhile.
        StoreFailed: The database cannot be reached.
    """
    url = parse_database_url(url_or_path)
    lock = DatabaseLock()
    is_sqlite = url.get_backend_name() == "sqlite"
    async with _lock_sqlite_file(url, advice) if is_sqlite else _lock_postgres(url, lock, advice):
        yield lock
    if lock.loss is not None:
        raise lock.loss


@asynccontextmanager
async def lock_if_free(url_or_path: str | Path) -> AsyncGenerator[bool]:
    """Hold the lock of a database, if no server has it, so that it may be written; yields whether it is held."""
    async with AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(lock_database(url_or_path))
            is_held = True
        except StoreFailed:
            is_held = False
        yield is_held


async def is_used_by_server(url_or_path: str | Path) -> bool:
    """Return whether a server has the database, or whether that cannot be known."""
    async with lock_if_free(url_or_path) as is_held:
        return not is_held


@asynccontextmanager
async def _lock_sqlite_file(url: URL, advice: str) -> AsyncGenerator[None]:
    lock = FileLock(f"{resolve_sqlite_path(url)}.lock", blocking=False, mode=PRIVATE_MODE)
    try:
        lock.acquire()
    except Timeout:
        raise _build_refusal(url, advice) from None
    except OSError as error:
        raise StoreNotOpened(format_url(url), str(error), "Choose another path with --db.") from error
    try:
        yield
    finally:
        lock.release()


@asynccontextmanager
async def _lock_postgres(url: URL, lock: DatabaseLock, advice: str) -> AsyncGenerator[None]:
    # A connection of its own: a lock is lost with its session, and the writer's pool replaces connections as it likes.
    connection = _LockConnection(url, advice)
    stop = asyncio.Event()
    try:
        await asyncio.to_thread(connection.acquire)
        keeping = asyncio.create_task(_keep_lock(connection, lock, stop), name="adksim-database-lock")
        try:
            yield
        finally:
            # Not cancelled: a thread that is connecting would leave a connection behind, which holds the lock.
            stop.set()
            await keeping
    finally:
        await asyncio.to_thread(connection.close)


async def _keep_lock(connection: _LockConnection, lock: DatabaseLock, stop: asyncio.Event) -> None:
    """Take the lock again whenever its connection was closed, until another server has it."""
    while not await _is_set_within(stop, _CHECK_SECONDS):
        try:
            await asyncio.to_thread(connection.renew)
        except StoreNotOpened as refusal:
            _log.error("This server stops: %s", refusal)
            lock.mark_lost(refusal)
            return


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()


class _LockConnection:
    """The connection whose session holds the lock in PostgreSQL."""

    def __init__(self, url: URL, advice: str) -> None:
        self._url = url
        self._advice = advice
        self._engine = create_lock_engine(url)
        self._connection: Connection | None = None
        self._session: Mapping[str, object] | None = None
        """Identifies the session of the connection, also after it was closed."""
        self._is_reported = False

    def acquire(self) -> None:
        """Connect and take the lock.

        Raises:
            StoreNotOpened: Another server has it.
            StoreFailed: The database cannot be used now.
        """
        try:
            connection = self._engine.connect()
            try:
                self._take_lock(connection)
            # The lock may have been taken already, and would be held for as long as the connection is open.
            except BaseException:
                connection.close()
                raise
        except SQLAlchemyError as error:
            raise build_store_error(self._url, "open the database", error) from error
        self._connection = connection

    def _take_lock(self, connection: Connection) -> None:
        if connection.execute(_TRY_LOCK, {"class": _POSTGRES_LOCK_CLASS}).scalar_one():
            self._session = dict(connection.execute(_FIND_SESSION).mappings().one())
            return
        # After a network failure PostgreSQL may still keep the session of the previous connection, and its lock.
        if self._session is not None and connection.execute(_END_SESSION, self._session).first():
            reason = "the previous connection of this server is still open"
            # Not StoreNotOpened, which would stop this server: the next renewal tries again.
            raise StoreFailed(format_url(self._url), "lock the database", reason, "It is being closed.")
        raise _build_refusal(self._url, self._advice)

    def renew(self) -> None:
        """Check the connection; if it was closed, connect and take the lock again, as soon as that is possible.

        Raises:
            StoreNotOpened: Another server has the lock.
        """
        if self._connection is not None:
            try:
                self._connection.exec_driver_sql("SELECT 1")
            except SQLAlchemyError:
                self._connection.close()
                self._connection = None
            else:
                return
        try:
            self.acquire()
        # A subclass of StoreFailed, so it must be caught first.
        except StoreNotOpened:
            raise
        except StoreFailed as error:
            if not self._is_reported:
                _log.warning("The lock of the database is lost, and will be taken again: %s", error)
            self._is_reported = True
        else:
            self._is_reported = False

    def close(self) -> None:
        """Release the lock and close the connection."""
        if self._connection is None:
            return
        # Without it, PostgreSQL releases the lock only some time after the connection was closed.
        with suppress(SQLAlchemyError):
            self._connection.exec_driver_sql("SELECT pg_advisory_unlock_all()")
        self._connection.close()
        self._connection = None


def _build_refusal(url: URL, advice: str) -> StoreNotOpened:
    return StoreNotOpened(format_url(url), "another server uses it", advice)
