"""The journal of a run: others can read what happens while the agent is blocked, and nothing of it is left behind."""

from __future__ import annotations

import asyncio
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from bench_folders import (
    build_test_plan,
    is_running,
    keep_bench_running,
    let_agent_continue,
    list_worker_pids,
    read_outcomes,
    run_bench_command,
    write_agent,
    write_scenarios,
)
from polling import wait_until

from adk_agent_sim.bench.bench_plan import PlannedRun, RunFiles
from adk_agent_sim.bench.bench_result import BenchResult, RunKey
from adk_agent_sim.bench.run_executor import RunExecutor
from adk_agent_sim.bench.run_journal import JournaledStore, get_journal_path, remove_journal, remove_journals
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import AgentPath, ArtifactSaved, Event, Session, ToolFinished, TurnDecided
from adk_agent_sim.timeline.jsonl import TimelineRecord
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline

_NO_FILES = RunFiles(report=False)


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """An agent that blocks its process between the mail and its answer."""
    return write_agent(tmp_path / "patient", [0], "wait")


@pytest.fixture
def run(tmp_path: Path, agent: Path) -> PlannedRun:
    return build_test_plan(write_scenarios(tmp_path, 1), agent).runs[0]


@pytest.fixture
def options(tmp_path: Path, run: PlannedRun, agent: Path) -> list[str | Path]:
    return [run.task.file, "--agent", agent, "--out", tmp_path / "out", "--no-report"]


def _read_journal(path: Path) -> list[TimelineRecord]:
    """Read the lines that are complete; none if there is no journal."""
    try:
        lines = path.read_text(encoding="ascii").splitlines(keepends=True)
    except FileNotFoundError:
        return []
    return [jsonl.decode_line(line) for line in lines if line.endswith("\n")]


def _list_payloads(records: Iterable[TimelineRecord]) -> list[type[object]]:
    return [type(record.payload) for record in records if isinstance(record, Event)]


async def _wait_for_mail(path: Path) -> None:
    await wait_until(lambda: ToolFinished in _list_payloads(_read_journal(path)))


@pytest.mark.process
async def test_a_run_is_in_its_journal_while_its_agent_is_blocked(
    options: list[str | Path], run: PlannedRun, agent: Path, tmp_path: Path
) -> None:
    path = get_journal_path(tmp_path / "out", run.key)
    with keep_bench_running(*options) as process:
        await _wait_for_mail(path)
        assert isinstance(_read_journal(path)[0], Session)
        if sys.platform != "win32":
            assert [stat.S_IMODE(each.stat().st_mode) for each in (path, path.parent)] == [0o600, 0o700]
        assert not (tmp_path / "out" / "results.jsonl").exists()
        let_agent_continue(agent)
        _, errors = await asyncio.to_thread(process.communicate)

    assert process.returncode == 0, errors
    assert [each.outcome for each in read_outcomes(tmp_path / "out")] == ["passed"]
    assert not path.parent.exists()


@pytest.mark.process
async def test_a_resumed_bench_removes_what_a_crash_has_left(
    options: list[str | Path], run: PlannedRun, agent: Path, tmp_path: Path
) -> None:
    path = get_journal_path(tmp_path / "out", run.key)
    with keep_bench_running(*options) as process:
        await _wait_for_mail(path)
        workers = list_worker_pids(process.pid)
        process.kill()
        process.wait()
        await wait_until(lambda: not any(map(is_running, workers)))
    assert path.exists()
    let_agent_continue(agent)
    resumed = await asyncio.to_thread(run_bench_command, *options, "--resume")

    assert resumed.returncode == 0, resumed.stderr
    assert not path.parent.exists()


async def test_each_attempt_has_a_file_of_its_own(run: PlannedRun, agent: Path, tmp_path: Path) -> None:
    path = get_journal_path(tmp_path, run.key)
    path.parent.mkdir()
    path.write_text("of an attempt before", encoding="ascii")
    executing = asyncio.create_task(asyncio.to_thread(RunExecutor(tmp_path, _NO_FILES).execute, run))
    with path.open(encoding="ascii") as before:
        await wait_until(lambda: path.read_text(encoding="ascii") != "of an attempt before" if path.exists() else False)
        assert before.read() == "of an attempt before"
    let_agent_continue(agent)
    assert (await executing).result.passed

    payloads = _list_payloads(_read_journal(path))
    assert payloads.count(TurnDecided) == 2  # also what happened after the last time that it was written
    remove_journal(tmp_path, run.key)
    assert list(path.parent.iterdir()) == []


async def test_a_journal_that_cannot_be_written_costs_the_run_nothing(
    run: PlannedRun, agent: Path, tmp_path: Path
) -> None:
    (tmp_path / "running").write_text("a file where the folder should be", encoding="ascii")
    let_agent_continue(agent)
    report = await asyncio.to_thread(RunExecutor(tmp_path, _NO_FILES).execute, run)
    assert report.result.passed, report.result.reason


async def test_a_journal_has_the_bytes_of_artifacts_once_and_no_other_blocks(tmp_path: Path) -> None:
    path = tmp_path / "running" / "a.jsonl"
    store = JournaledStore(path)
    timeline = Timeline(store)
    session = await timeline.create_session("one")
    await timeline.create_session("another one")
    image, other = Block.from_data(b"\x00image"), Block.from_data(b"request")
    for version in range(2):
        saved = ArtifactSaved(filename="a.png", version=version, mime_type="image/png", block=image.block_id)
        batch = EventBatch(session.session_id, [saved], agent_path=AgentPath(), blocks=[image, other])
        await timeline.append(batch)
    await wait_until(lambda: len(_read_journal(path)) == 4)
    store.close_journal()

    assert [type(each).__name__ for each in _read_journal(path)] == ["Session", "Block", "Event", "Event"]
    assert image in _read_journal(path)


def test_other_files_in_the_folder_of_a_bench_are_kept(run: PlannedRun, tmp_path: Path) -> None:
    own, journal = tmp_path / "running" / "shoes.jsonl", get_journal_path(tmp_path, run.key)
    own.parent.mkdir()
    for path in (own, journal):
        path.touch()
    remove_journals(tmp_path)
    assert list(own.parent.iterdir()) == [own]


def test_a_result_has_the_id_of_its_run() -> None:
    key = RunKey(scenario="mail_0", agent="a \ud800", model="m", run=2)
    result = BenchResult(**key.model_dump(), outcome="failed", passed=False, reason="no")
    assert result.run_id == key.run_id
    assert key.run_id != key.model_copy(update={"run": 3}).run_id
    assert key.run_id.isalnum()
    assert len(key.run_id) == 16
