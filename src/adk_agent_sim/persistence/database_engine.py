"""Parses database URLs, creates and configures the connections of the writer and the readers, and converts their errors
to StoreFailed, with the cause and advice."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote

from sqlalchemy import Connection, Engine, NullPool, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError

from adk_agent_sim.errors import StoreFailed, StoreNotOpened
from adk_agent_sim.timeline.private_files import create_private_file, make_file_private

Durability: TypeAlias = Literal["full", "normal"]
"""What a commit survives: with `full` a power failure, with `normal` only the end of this process."""

_SYNCHRONOUS: dict[Durability, str] = {"full": "FULL", "normal": "NORMAL"}
_SYNCHRONOUS_COMMIT: dict[Durability, str] = {"full": "on", "normal": "off"}
_LOCK_CONNECTION_OPTIONS = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
"""Let this process notice in half a minute that the machine of PostgreSQL is gone; those of a URL take precedence."""


def parse_database_url(url_or_path: str | Path) -> URL:
    """Return the URL of a database; a path is the path of an SQLite file."""
    if "://" not in str(url_or_path):
        url = URL.create("sqlite", database=str(url_or_path))
    else:
        try:
            url = make_url(str(url_or_path))
        except (ArgumentError, ValueError) as error:
            raise StoreNotOpened(str(url_or_path), str(error), _URL_HELP) from error
    backend = url.get_backend_name()
    if backend in ("postgres", "postgresql"):
        # SQLAlchemy's default driver is psycopg2, and it does not know `postgres`, the older name of the scheme.
        return url.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise StoreNotOpened(format_url(url), f"{backend} is not supported", _URL_HELP)
    if url.database in (None, "", ":memory:"):
        raise StoreNotOpened(
            format_url(url), "a database in memory is lost with its connection", "Specify the path of a file."
        )
    return url


_URL_HELP = "Specify a path, sqlite:///PATH or postgresql://USER@HOST/DATABASE."


def get_sqlite_path(url: URL) -> str:
    """Return the absolute path of an SQLite file."""
    database = url.database or ""
    if database.startswith("file:"):  # a URI, as in sqlite:///file:PATH?mode=ro&uri=true
        database = unquote(database.removeprefix("file:"))
    return os.path.abspath(database)


def resolve_sqlite_path(url: URL) -> str:
    """Return the path of an SQLite file without links; SQLite names its log after it."""
    return os.path.realpath(get_sqlite_path(url))


def make_sqlite_files_private(url: URL) -> None:
    """Create an SQLite file that does not exist yet, readable by its owner only, and restrict existing ones.

    SQLite creates a file that others can read, and gives the files beside it (-wal, -shm, -journal) the same mode.
    """
    # The options of a URL, such as mode=ro, may say that the file must not be created or changed.
    if url.get_backend_name() != "sqlite" or url.query:
        return
    path = resolve_sqlite_path(url)
    with suppress(OSError):  # it exists, or SQLite reports why it cannot be created
        os.close(create_private_file(path))
    for suffix in ("", "-wal", "-shm", "-journal"):
        make_file_private(f"{path}{suffix}")


def format_url(url: URL) -> str:
    """Return the URL for messages, without its password."""
    if url.get_backend_name() == "sqlite" and url.database and not url.query:
        return url.database
    return url.set(drivername=url.get_backend_name()).render_as_string(hide_password=True)


def create_writer_engine(url: URL, durability: Durability, lock_timeout: float) -> Engine:
    """Create the engine of the writer, with a single connection."""
    engine = _create_engine(url, durability, lock_timeout, pool_size=1, max_overflow=0)
    if engine.dialect.name == "sqlite":
        # In the other modes readers and the writer block each other. The file keeps the mode, so readers need not set
        # it: a file that they find unsuitable stays as it is.
        event.listen(engine, "connect", _use_write_ahead_log)
        # A deferred transaction requests the write lock at its first write, and can fail there with SQLITE_BUSY.
        event.listen(engine, "begin", _begin_immediate)
    return engine


def create_reader_engine(url: URL, lock_timeout: float, connections: int) -> Engine:
    """Create the engine of the readers: each statement sees what is committed, and never waits for the writer."""
    return _create_engine(
        url, "normal", lock_timeout, pool_size=connections, max_overflow=0, isolation_level="AUTOCOMMIT"
    )


def create_lock_engine(url: URL) -> Engine:
    """Create the engine of the connection that holds the lock of a PostgreSQL database."""
    options = {name: value for name, value in _LOCK_CONNECTION_OPTIONS.items() if name not in url.query}
    # A pool would keep a closed connection open, and with it the session that holds the lock.
    engine = _create_engine(url, "normal", 0, options, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    event.listen(engine, "connect", _detect_lost_client)
    return engine


def _detect_lost_client(connection: Any, _record: object) -> None:
    """Let PostgreSQL notice in half a minute that the machine of this process is gone, and free the lock."""
    for setting, value in (("tcp_keepalives_idle", 10), ("tcp_keepalives_interval", 5), ("tcp_keepalives_count", 3)):
        connection.execute(f"SET {setting} TO {value}")
    connection.commit()


def _create_engine(
    url: URL, durability: Durability, lock_timeout: float, arguments: dict[str, Any] | None = None, **options: Any
) -> Engine:
    sqlite = url.get_backend_name() == "sqlite"
    timeout = {"timeout": lock_timeout} if sqlite else {}
    try:
        # A server may have closed an idle connection: pre-ping checks it before each use and replaces it.
        engine = create_engine(url, connect_args={**timeout, **(arguments or {})}, pool_pre_ping=not sqlite, **options)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise StoreNotOpened(
            format_url(url), "the PostgreSQL driver is missing", 'Install it: pip install "psycopg[binary]>=3.2".'
        ) from error
    if sqlite:
        settings = [f"PRAGMA synchronous={_SYNCHRONOUS[durability]}"]
    else:
        settings = [
            f"SET synchronous_commit TO {_SYNCHRONOUS_COMMIT[durability]}",
            f"SET lock_timeout TO {round(lock_timeout * 1_000)}",
        ]

    def configure(connection: Any, _record: object) -> None:
        _configure_connection(connection, settings, sqlite=sqlite)

    event.listen(engine, "connect", configure)
    return engine


def _configure_connection(connection: Any, settings: list[str], *, sqlite: bool) -> None:
    if sqlite:
        connection.isolation_level = None  # the driver must not start transactions by itself
        # SQLite's own knows the letters of ASCII only, so a search for "ärger" would not find "Ärger".
        connection.create_function("lower", 1, _fold_case, deterministic=True)
    cursor = connection.cursor()
    for setting in settings:
        cursor.execute(setting)
    cursor.close()
    if not sqlite:
        # psycopg has begun a transaction, and SET is undone if that is rolled back, as the pool does with connections.
        connection.commit()


def _use_write_ahead_log(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA journal_mode=WAL")


def _fold_case(text: str | None) -> str | None:
    return text if text is None else text.casefold()


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


_NOT_A_DATABASE = ("the file is not a database", "Choose another path.")

_SQLITE_CAUSES = {
    "SQLITE_BUSY": ("another process is writing to it", "Close that process, or try again."),
    "SQLITE_LOCKED": ("another process is writing to it", "Close that process, or try again."),
    "SQLITE_READONLY": ("it is read-only", "Make the file and its folder writable."),
    "SQLITE_FULL": ("the disk is full", "Free some space, then try again."),
    "SQLITE_CORRUPT": ("the file is damaged", "Restore a copy of it, or choose another file."),
    "SQLITE_NOTADB": _NOT_A_DATABASE,
    "SQLITE_CANTOPEN": ("the file cannot be opened", "Its folder must exist and be writable."),
    "SQLITE_IOERR": ("reading or writing the disk failed", "Check the disk, then try again."),
}

_SQLITE_HEADER = b"SQLite format 3\0"

_POSTGRES_CAUSES = {
    "53100": ("the disk is full", "Free some space on the server, then try again."),
    "25006": ("it is read-only", "Connect to a server that accepts writes."),
    "55P03": ("another process holds its locks", "Close that process, or try again."),
    "42501": ("the user lacks permission", "Grant the user the right to create and change tables."),
}


def refuse_other_file(url: URL) -> None:
    """Raise StoreFailed if an SQLite file has something else in it.

    SQLite finds that out later, and not at all of a file of a few bytes, which it would overwrite.
    """
    if url.get_backend_name() != "sqlite":
        return
    try:
        with open(get_sqlite_path(url), "rb") as file:
            start = file.read(len(_SQLITE_HEADER))
    except OSError:
        return  # there is none yet, or SQLite reports why it cannot be read
    if start and start != _SQLITE_HEADER:
        raise StoreFailed(format_url(url), "open the database", *_NOT_A_DATABASE)


def build_store_error(url: URL, action: str, error: Exception) -> StoreFailed:
    """Build the error of a failed operation; `action` is a phrase such as `write to` or `read from`."""
    original = error.orig if isinstance(error, DBAPIError) else error
    reason, advice = _find_known_cause(original) or (_format_one_line(original), _suggest_fix(url, error))
    failure = StoreFailed(format_url(url), action, reason, advice)
    failure.__cause__ = error
    return failure


def _find_known_cause(error: BaseException | None) -> tuple[str, str] | None:
    if name := getattr(error, "sqlite_errorname", None):
        # An extended code starts with its primary code, as SQLITE_READONLY_DBMOVED does.
        return next((cause for code, cause in _SQLITE_CAUSES.items() if name.startswith(code)), None)
    return _POSTGRES_CAUSES.get(getattr(error, "sqlstate", None) or "")


def _format_one_line(error: BaseException | None) -> str:
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__


def _suggest_fix(url: URL, error: Exception) -> str:
    if not isinstance(error, OperationalError):
        return "The stored data is unchanged."
    if url.get_backend_name() == "sqlite":
        return "Check the file."
    return "Check that the server is running and that its address is correct."
