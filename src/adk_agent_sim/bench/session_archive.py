"""Stores the sessions of a bench's runs in a timeline database, from the files that the workers have written.

A run gives the same ids whenever it is repeated, and runs of different agents give the same ones too. In the database,
ids follow from the bench's plan and the run's key instead: a run is stored once, also if its bench is resumed. Its
session is dated by the real time of the run, as all sessions in lists are; its events keep the times of its world.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid5

from adk_agent_sim.bench.bench_result import BenchResult, RunKey
from adk_agent_sim.errors import SessionExists
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.events import Event, Session
from adk_agent_sim.timeline.read_model.session_read_model import create_read_model
from adk_agent_sim.timeline.store import Store

_NAMESPACE = UUID("5a0d7e31-6c55-4f0e-9a55-2f4f0b0f7c11")


class SessionArchive:
    """A timeline database that sessions are added to."""

    def __init__(self, store: Store, plan_id: str, runner: asyncio.Runner, clock: Clock | None = None) -> None:
        self._store = store
        self._plan_id = plan_id
        self._runner = runner
        self._clock = clock or WallClock()

    def add(self, result: BenchResult, timeline: Path) -> BenchResult:
        """Store the session of a run, and return its result with the session's id; without a file, unchanged."""
        if not timeline.exists():
            return result
        session_id = build_session_id(self._plan_id, result.key)
        begun_at = self._clock.now() - result.wall_seconds
        self._runner.run(self._copy(timeline, session_id, _describe(result), begun_at))
        return result.model_copy(update={"session_id": session_id})

    async def _copy(self, timeline: Path, session_id: str, description: str, begun_at: float) -> None:
        session: Session | None = None
        events: list[Event] = []
        blocks: list[Block] = []
        for record in jsonl.read_records(timeline):
            match record:
                case Session():
                    session = replace(record, session_id=session_id, description=description, created_at=begun_at)
                case Block():
                    blocks.append(record)
                case Event():
                    event_id = str(uuid5(_NAMESPACE, f"{session_id}/{record.seq}"))
                    events.append(replace(record, session_id=session_id, event_id=event_id))
        assert session is not None  # noqa: S101 - read_records rejects a file that does not start with one
        try:
            await self._store.create_session(session)
        except SessionExists:
            return  # stored before the bench was interrupted
        await self._store.append(events, blocks, create_read_model(session).with_events(events))


@contextmanager
def open_session_archive(database: str, plan_id: str) -> Generator[SessionArchive]:
    """Open a database, as `--db` names it, for the sessions of a plan."""
    with asyncio.Runner() as runner:
        opened = open_store(database)
        # Entered by hand, because this block is not a coroutine and all work must happen in the loop of the runner.
        store = runner.run(opened.__aenter__())
        try:
            yield SessionArchive(store, plan_id, runner)
        finally:
            runner.run(opened.__aexit__(None, None, None))


def build_session_id(plan_id: str, key: RunKey) -> str:
    """Return the id of a run's session in databases."""
    return str(uuid5(_NAMESPACE, f"{plan_id}/{key.model_dump_json()}"))


def _describe(result: BenchResult) -> str:
    names = [result.scenario, result.agent, result.model, result.player, result.rules]
    return f"{', '.join(filter(None, names))}, run {result.run}"
