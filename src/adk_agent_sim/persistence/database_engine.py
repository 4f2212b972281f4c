"""Parses database URLs, and creates and configures the connections of the writer and the readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeAlias

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from adk_agent_sim.errors import StoreNotOpened

Durability: TypeAlias = Literal["full", "normal"]
"""What a commit survives: with `full` a power failure, with `normal` only the end of this process."""

_SYNCHRONOUS: dict[Durability, str] = {"full": "FULL", "normal": "NORMAL"}
_SYNCHRONOUS_COMMIT: dict[Durability, str] = {"full": "on", "normal": "off"}


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
        return url.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise StoreNotOpened(format_url(url), f"{backend} is not supported", _URL_HELP)
    if url.database in (None, "", ":memory:"):
        raise StoreNotOpened(
            format_url(url), "a database in memory is lost with its connection", "Specify the path of a file."
        )
    return url


_URL_HELP = "Specify a path, sqlite:///PATH or postgresql://USER@HOST/DATABASE."


def format_url(url: URL) -> str:
    """Return the URL for messages, without its password."""
    if url.get_backend_name() == "sqlite" and url.database and not url.query:
        return url.database
    return url.set(drivername=url.get_backend_name()).render_as_string(hide_password=True)


def create_writer_engine(url: URL, durability: Durability, lock_timeout: float) -> Engine:
    """Create the engine of the writer, with a single connection."""
    engine = _create_engine(url, durability, lock_timeout, pool_size=1, max_overflow=0)
    if engine.dialect.name == "sqlite":
        # A deferred transaction requests the write lock at its first write, and can fail there with SQLITE_BUSY.
        event.listen(engine, "begin", _begin_immediate)
    return engine


def create_reader_engine(url: URL, lock_timeout: float, connections: int) -> Engine:
    """Create the engine of the readers: each statement sees what is committed, and never waits for the writer."""
    return _create_engine(
        url, "normal", lock_timeout, pool_size=connections, max_overflow=0, isolation_level="AUTOCOMMIT"
    )


def _create_engine(url: URL, durability: Durability, lock_timeout: float, **options: Any) -> Engine:
    sqlite = url.get_backend_name() == "sqlite"
    arguments: dict[str, Any] = {"timeout": lock_timeout} if sqlite else {}
    try:
        # A server may have closed an idle connection: pre-ping checks it before each use and replaces it.
        engine = create_engine(url, connect_args=arguments, pool_pre_ping=not sqlite, **options)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise StoreNotOpened(
            format_url(url), "the PostgreSQL driver is missing", 'Install it: pip install "adk-agent-sim[postgres]".'
        ) from error
    if sqlite:
        settings = [
            "PRAGMA journal_mode=WAL",
            f"PRAGMA synchronous={_SYNCHRONOUS[durability]}",
        ]
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
    cursor = connection.cursor()
    for setting in settings:
        cursor.execute(setting)
    cursor.close()
    if not sqlite:
        connection.commit()


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
