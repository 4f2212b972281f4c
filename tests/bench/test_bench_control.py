"""What another process sees and asks of a running bench: its runs, a pause, runs to repeat."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest
from bench_builders import build_result
from bench_folders import build_test_plan, write_scenarios

from adk_agent_sim.bench.bench_control import BenchControl, pause_bench, read_activity, request_run
from adk_agent_sim.bench.bench_plan import BenchPlan
from adk_agent_sim.bench.bench_result import BenchResult, RunKey
from adk_agent_sim.bench.bench_run import BenchOptions, BenchStatus, execute_bench
from adk_agent_sim.bench.run_queue import RunQueue, RunReport
from adk_agent_sim.timeline.folder_lock import lock_folder


@pytest.fixture
def plan(tmp_path: Path) -> BenchPlan:
    return build_test_plan(write_scenarios(tmp_path, 3))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bench").mkdir()
    return tmp_path / "bench"


def test_a_paused_bench_starts_no_runs_until_it_continues(plan: BenchPlan, folder: Path) -> None:
    queue = RunQueue(plan.runs, 2, control=BenchControl(folder, plan))
    pause_bench(folder, paused=True)
    assert queue.take(0) is None
    wait = queue.compute_wait(0)
    assert wait is not None  # otherwise nobody would look whether it may continue
    assert wait <= 1
    pause_bench(folder, paused=False)
    assert queue.take(0) == plan.runs[0]
    assert queue.compute_wait(0) is None


def test_runs_that_are_asked_for_are_queued_once_in_their_place(plan: BenchPlan, folder: Path) -> None:
    queue = RunQueue(plan.runs[2:], 3, control=BenchControl(folder, plan))
    for run in (plan.runs[1], plan.runs[0], plan.runs[1], plan.runs[2]):
        request_run(folder, run.key)
    request_run(folder, RunKey(scenario="unknown", agent="x"))
    assert len(read_activity(folder).requested) == 4
    taken = [run for _ in range(4) if (run := queue.take(0))]
    assert taken == list(plan.runs)  # the last was waiting already, and is not run twice
    assert read_activity(folder).requested == ()


def test_a_request_while_nothing_runs_is_kept_for_the_next_start(plan: BenchPlan, folder: Path) -> None:
    request_run(folder, plan.runs[1].key)
    queue = RunQueue([], 1, control=BenchControl(folder, plan))
    assert not queue.is_done
    assert queue.take(0) == plan.runs[1]


def test_others_see_what_is_running_while_somebody_runs_the_bench(plan: BenchPlan, folder: Path) -> None:
    with lock_folder(folder), closing(BenchControl(folder, plan)) as control:
        queue = RunQueue(plan.runs, 2, control=control)
        first = queue.take(0)
        assert first is not None
        assert [each.key for each in read_activity(folder).running] == [first.key]
        queue.finish(first, RunReport(result=build_result(**first.key.model_dump())), 0)
        pause_bench(folder, paused=True)
        seen = read_activity(folder)
        assert (seen.is_running, seen.is_paused, seen.running) == (True, True, ())
    assert not read_activity(folder).is_running


def test_a_process_that_was_killed_is_not_taken_for_a_running_one(plan: BenchPlan, folder: Path) -> None:
    BenchControl(folder, plan)  # its file stays, and nobody holds the folder
    pause_bench(folder, paused=True)
    seen = read_activity(folder)
    assert (seen.is_running, seen.is_paused) == (False, False)
    assert not BenchControl(folder, plan).is_paused  # whoever starts a bench wants it to run


class _InstantEngine:
    """Executes runs by writing down that they passed."""

    def execute(self, queue: RunQueue) -> Generator[list[BenchResult]]:
        while run := queue.take(0):
            result = queue.finish(run, RunReport(result=build_result(**run.key.model_dump())), 0)
            yield [result] if result else []


def test_a_resumed_bench_repeats_the_runs_that_were_asked_for(plan: BenchPlan, folder: Path) -> None:
    counts: list[int] = []

    def count(status: BenchStatus) -> None:
        counts.append(len(status.list_final_results()))

    execute_bench(plan, folder, _InstantEngine(), BenchOptions())
    request_run(folder, plan.runs[1].key)
    execute_bench(plan, folder, _InstantEngine(), BenchOptions(resume=True), count)
    assert counts == [2, 3]  # what stays of what was there, and the result of the run that was repeated
    assert read_activity(folder).requested == ()
    assert not (folder / "running.json").exists()


def test_a_damaged_request_is_dropped(plan: BenchPlan, folder: Path) -> None:
    request_run(folder, plan.runs[0].key)
    (folder / "requests" / "x.json").write_text("{", encoding="utf-8")
    assert BenchControl(folder, plan).take_requests() == [plan.runs[0]]
    assert list((folder / "requests").iterdir()) == []
