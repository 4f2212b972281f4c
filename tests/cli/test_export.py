"""`adksim export`: what is refused a second time, and what becomes of the record if the database is in use."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import Result
from processes import invoke_adksim

from adk_agent_sim import Simulation
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.persistence.database_lock import lock_database
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.jsonl import load_session
from adk_agent_sim.timeline.read_model.session_summary import ExportEntry
from adk_agent_sim.timeline.timeline import Timeline


@pytest.fixture
async def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    async with Simulation(math_app) as sim:
        await (await sim.send("What is 1+2?")).respond("3")
        await sim.export_jsonl("played.jsonl")
    async with open_store(path := tmp_path / "sessions.db") as store:
        await load_session("played.jsonl", store)
    return path


async def _export(database: Path, *options: str) -> Result:
    return await asyncio.to_thread(invoke_adksim, "export", "last", "--db", database, *options)


async def _read_exports(database: Path) -> Sequence[ExportEntry]:
    async with open_store(database) as store:
        [summary] = await Timeline(store).list_summaries()
        return summary.exports


def _count_cases(folder: Path) -> int:
    return len(json.loads((folder / "math_agent.evalset.json").read_text())["eval_cases"])


async def test_a_second_case_is_refused_unless_it_is_asked_for(database: Path, tmp_path: Path) -> None:
    first, second = await _export(database), await _export(database)
    assert (first.exit_code, second.exit_code) == (0, 1)
    assert "was already exported" in second.stderr
    assert (_count_cases(tmp_path), len(await _read_exports(database))) == (1, 1)

    assert (await _export(database, "--replace")).exit_code == 0
    assert _count_cases(tmp_path) == 1
    assert (await _export(database, "--again")).exit_code == 0
    assert _count_cases(tmp_path) == 2


async def test_an_export_is_written_and_says_that_it_is_not_recorded(database: Path, tmp_path: Path) -> None:
    async with lock_database(database):
        done = await _export(database)

    assert done.exit_code == 0
    assert "the session is not shown as exported" in done.stdout
    assert _count_cases(tmp_path) == 1
    assert await _read_exports(database) == ()
    # The EvalSet itself says that it has the session.
    assert "was already exported" in (await _export(database)).stderr


async def test_a_text_that_is_printed_is_not_recorded(database: Path) -> None:
    printed = await _export(database, "--format", "markdown")

    assert printed.stdout.startswith("# Session of")
    assert await _read_exports(database) == ()
