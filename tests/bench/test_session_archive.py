"""Sessions of a bench in a timeline database: dated by the real time of their runs, with the events of their worlds."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from bench_folders import build_test_plan, write_agent, write_scenarios
from click.testing import CliRunner
from timeline_builders import ManualClock

from adk_agent_sim.bench.bench_plan import RunFiles
from adk_agent_sim.bench.run_executor import RunExecutor
from adk_agent_sim.bench.session_archive import SessionArchive
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.events import Session

_NOW = 1_900_000_000.0
_OTHER = "0f2e8a64-6d1d-4b0e-9d0c-0c5a3f4c7f10"


def test_a_session_is_dated_by_its_run_and_its_events_by_their_world(tmp_path: Path) -> None:
    plan = build_test_plan(write_scenarios(tmp_path, 1), write_agent(tmp_path / "good", [0]))
    (tmp_path / "runs").mkdir()
    result = RunExecutor(tmp_path, RunFiles(report=False, timeline=True)).execute(plan.runs[0]).result
    result = result.model_copy(update={"wall_seconds": 30.0})
    database = str(tmp_path / "sessions.db")
    with asyncio.Runner() as runner:
        opened = open_store(database)
        store = runner.run(opened.__aenter__())
        # An older session than that of the run, but younger than the scenario's time.
        runner.run(store.create_session(Session(session_id=_OTHER, created_at=_NOW - 60)))
        stored = SessionArchive(store, "plan", runner, ManualClock(_NOW)).add(result, tmp_path / "runs" / "00001.jsonl")
        events = runner.run(store.read_events(stored.session_id))
        runner.run(opened.__aexit__(None, None, None))

    listed = json.loads(CliRunner().invoke(adksim, ["sessions", "--db", database, "--json"]).stdout)

    assert [each["session_id"] for each in listed] == [stored.session_id, _OTHER]
    begun = _NOW - 30
    assert (listed[0]["created_at"], listed[0]["last_event_at"]) == (begun, begun)
    assert (events[0].timestamp, events[-1].timestamp) == (1000.0, 1002.0)
