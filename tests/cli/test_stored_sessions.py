"""`adksim scenario judge --session`: stored runs are judged again, and their timelines show the verdict."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from world_timelines import SCENARIO, RecordedWorldRun

from adk_agent_sim.cli.main import adksim
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.scenario import Judge
from adk_agent_sim.scenario.format.exporter import serialize_trace
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.world_events import VerdictReached


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    file = tmp_path / "scenario.json"
    file.write_text(serialize_trace(SCENARIO.trace), encoding="utf-8")
    return file


def _store_run(database: Path, second: str, *, is_closed: bool = False) -> str:
    async def store_run() -> str:
        async with open_store(database) as store:
            timeline = Timeline(store)
            session_id = await RecordedWorldRun(Judge(SCENARIO), second=second).write(timeline)
            if is_closed:
                await timeline.close_session(session_id, "done")
            return session_id

    return asyncio.run(store_run())


def _read_events(database: Path, session_id: str) -> Sequence[Event]:
    async def read_events() -> Sequence[Event]:
        async with open_store(database) as store:
            return await store.read_events(session_id)

    return asyncio.run(read_events())


def _judge(scenario: Path, *arguments: str | Path) -> Result:
    return CliRunner().invoke(adksim, ["scenario", "judge", str(scenario), *map(str, arguments)])


def test_a_stored_run_is_judged_again_and_its_timeline_shows_it(database: Path, scenario: Path) -> None:
    session_id = _store_run(database, "c@example.org", is_closed=True)
    first = next(each.payload for each in reversed(_read_events(database, session_id)[:-1]))
    result = _judge(scenario, "--session", session_id[:8], "--db", database, "--json")
    assert result.exit_code == 1, result.output
    [judged] = json.loads(result.stdout)
    assert judged["trace"] == f"session {session_id}"
    last = _read_events(database, session_id)[-1].payload
    assert isinstance(first, VerdictReached)
    assert isinstance(last, VerdictReached)
    # What is judged later has the same result as what was judged in the world, to the byte.
    assert judged["verdict"] == first.verdict == last.verdict
    assert (last.turn, last.passed, last.judge) == (0, False, "scripted")


def test_a_verdict_is_not_saved_if_that_is_not_wanted(database: Path, scenario: Path) -> None:
    session_id = _store_run(database, "b@example.org")
    before = len(_read_events(database, session_id))
    result = _judge(scenario, "--session", "last", "--db", database, "--no-save")
    assert result.exit_code == 0, result.output
    assert f"session {session_id}" in result.output
    assert len(_read_events(database, session_id)) == before
