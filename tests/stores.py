"""Stores for tests: in memory, in an SQLite file, and in a real PostgreSQL."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import psycopg
from psycopg import sql
from sqlalchemy import Engine, event

from adk_agent_sim.errors import LogChanged
from adk_agent_sim.persistence.database_store import DatabaseStore
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import Event, Session
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel, create_read_model
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.store import MemoryStore, Store, number_events

AnyStore = MemoryStore | DatabaseStore


class GatedStore(MemoryStore):
    """Delays finding and appending while its gate is closed, as a slow disk would."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.gate.set()
        self.waiting_count = 0

    async def find_summary(self, session_id: str) -> SessionSummary | None:
        await self._wait_for_gate()
        return await super().find_summary(session_id)

    async def append(
        self, events: Sequence[Event], blocks: Iterable[Block], read_model: SessionReadModel
    ) -> Sequence[Event]:
        await self._wait_for_gate()
        return await super().append(events, blocks, read_model)

    async def _wait_for_gate(self) -> None:
        self.waiting_count += 1
        try:
            await self.gate.wait()
        finally:
            self.waiting_count -= 1


async def append_drafts(store: Store, drafts: Sequence[Event], blocks: Iterable[Block] = ()) -> Sequence[Event]:
    """Append events that have no `seq` yet; as often as needed if others append at the same time."""
    while True:
        read_model = await store.load_read_model(drafts[0].session_id)
        events = number_events(drafts, read_model.summary.last_seq)
        try:
            return await store.append(events, blocks, read_model.with_events(events))
        except LogChanged:
            continue


async def prepare_appends(store: Store, drafts: Iterable[Event]) -> list[tuple[Event, SessionReadModel]]:
    """Number events and fold them one after the other, so that they can be appended at the same time."""
    read_models: dict[str, SessionReadModel] = {}
    prepared: list[tuple[Event, SessionReadModel]] = []
    for draft in drafts:
        session_id = draft.session_id
        if session_id not in read_models:
            session = Session(session_id=session_id, created_at=1.0)
            summary = await store.find_summary(session_id)
            read_models[session_id] = await store.load_read_model(session_id) if summary else create_read_model(session)
        (event,) = number_events([draft], read_models[session_id].summary.last_seq)
        read_models[session_id] = read_models[session_id].with_events([event])
        prepared.append((event, read_models[session_id]))
    return prepared


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

    It is started by a process of its own, because this one has threads of gRPC, with which it cannot be forked.
    """
    command = [sys.executable, Path(__file__).with_name("postgres_server.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = process.stdout.readline().strip()
        assert url, "PostgreSQL was not started; the reason is in the output"
        yield url
        process.communicate()  # it ends when its standard input does


def create_empty_database(server: str) -> str:
    """Return the URL of a new schema on the server: as isolated as a database, but created in a millisecond."""
    schema = f"test_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
    separator = "&" if "?" in server else "?"
    return f"{server}{separator}options={quote(f'-csearch_path={schema}')}"
