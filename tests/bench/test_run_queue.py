"""Which runs may start: their order, rate limits, and runs whose process has ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_builders import build_result
from bench_folders import build_test_plan, write_scenarios

from adk_agent_sim.bench.bench_plan import PlannedRun
from adk_agent_sim.bench.bench_result import Outcome
from adk_agent_sim.bench.rate_limits import BackoffPolicy, is_rate_limit
from adk_agent_sim.bench.run_queue import RunQueue, RunReport

POLICY = BackoffPolicy(first_seconds=10, factor=2, max_seconds=30, max_attempts=3)


@pytest.fixture
def runs(tmp_path: Path) -> tuple[PlannedRun, ...]:
    return build_test_plan(write_scenarios(tmp_path, 8), models=("fast", "slow")).runs


def _report(run: PlannedRun, outcome: Outcome = "passed", *, is_rate_limited: bool = False) -> RunReport:
    result = build_result(outcome, **run.key.model_dump())
    return RunReport(result=result, is_rate_limited=is_rate_limited)


def _take_all(queue: RunQueue, now: float = 0) -> list[PlannedRun]:
    taken: list[PlannedRun] = []
    while run := queue.take(now):
        taken.append(run)
    return taken


def test_runs_start_in_order_as_many_as_there_are_workers(runs: tuple[PlannedRun, ...]) -> None:
    queue = RunQueue(runs, 4)
    one_model = RunQueue([run for run in runs if run.key.model == "fast"], 3)
    assert [run.index for run in _take_all(queue)] == list(range(8))  # 4 of each model; workers limit the total
    assert len(_take_all(one_model)) == 3
    assert not queue.is_done


def test_a_rate_limit_stops_its_model_and_halves_its_runs(runs: tuple[PlannedRun, ...]) -> None:
    queue = RunQueue(runs, 4, POLICY)
    started = _take_all(queue)
    slow = [run for run in started if run.key.model == "slow"]
    for run in slow:
        assert queue.finish(run, _report(run, "error", is_rate_limited=True), 0) is None
    assert queue.get_limit(slow[0]) == 2
    assert queue.take(9.9) is None
    assert queue.compute_wait(4) == 6
    again = _take_all(queue, 10)
    assert again == slow[:2]


def test_another_model_goes_on_while_one_waits(runs: tuple[PlannedRun, ...]) -> None:
    queue = RunQueue(runs, 2, POLICY)
    started = _take_all(queue)
    limited = next(run for run in started if run.key.model == "slow")
    queue.finish(limited, _report(limited, "error", is_rate_limited=True), 0)
    fast = next(run for run in started if run.key.model == "fast")
    assert queue.finish(fast, _report(fast), 0) is not None
    following = queue.take(0)
    assert following is not None
    assert following.key.model == "fast"


def test_waits_grow_until_a_run_succeeds_and_the_limit_comes_back(runs: tuple[PlannedRun, ...]) -> None:
    queue = RunQueue([run for run in runs if run.key.model == "slow"], 4, POLICY)
    now, waits = 0.0, list[float | None]()
    first = queue.take(now)
    assert first is not None
    for _ in range(2):
        assert queue.finish(first, _report(first, "error", is_rate_limited=True), now) is None
        waits.append(queue.compute_wait(now))
        now += waits[-1] or 0
        assert queue.take(now) is first
    assert waits == [10, 20]
    assert queue.get_limit(first) == 1
    assert queue.finish(first, _report(first), now) is not None
    assert queue.get_limit(first) == 2
    assert len(_take_all(queue, now)) == 2


def test_a_run_that_is_always_limited_becomes_an_error(runs: tuple[PlannedRun, ...]) -> None:
    queue = RunQueue(runs[:1], 1, POLICY)
    results = list[object]()
    for attempt in range(3):
        run = queue.take(attempt * 1000)
        assert run is not None
        results.append(queue.finish(run, _report(run, "error", is_rate_limited=True), attempt * 1000))
    assert results[:2] == [None, None]
    assert results[2] is not None
    assert queue.is_done


def test_a_lost_run_is_repeated_once(tmp_path: Path) -> None:
    runs = build_test_plan(write_scenarios(tmp_path, 1), seeds=(5, 6)).runs
    queue = RunQueue(runs, 1)
    first = queue.take(0)
    assert first is not None
    assert queue.lose(first, "gone") is None
    assert queue.take(0) is first
    result = queue.lose(first, "gone", 1.5)
    assert result is not None
    assert (result.wall_seconds, result.world_seed) == (1.5, first.plan.options.seed)
    assert (result.outcome, result.reason, result.passed, result.key) == ("error", "gone", False, first.key)
    following = queue.take(0)
    assert following is not None
    assert following is runs[1]
    stopped = queue.stop(following, 5)
    assert (stopped.outcome, stopped.wall_seconds) == ("timeout", 5)
    assert stopped.world_seed == following.plan.options.seed
    assert queue.is_done


class RateLimitError(Exception):
    """As litellm's."""


class _ClientError(Exception):
    code = 429


class _HttpError(Exception):
    status_code = 429


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (RateLimitError("x"), True),
        (type("Own", (RateLimitError,), {})("x"), True),
        (_ClientError(), True),
        (_HttpError(), True),
        (RuntimeError("429 RESOURCE_EXHAUSTED. {'error': {}}"), True),
        (ValueError("no idea"), False),
        (None, False),
    ],
)
def test_rate_limits_are_recognized(error: Exception | None, expected: bool) -> None:
    assert is_rate_limit(error) is expected
    if error is not None:
        wrapper = RuntimeError("wrapped")
        wrapper.__cause__ = error
        assert is_rate_limit(wrapper) is expected
