"""The folder of a bench: what it accepts, what it repairs, and what is run again."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_builders import build_result
from bench_folders import build_test_plan, write_scenarios

from adk_agent_sim.bench.bench_plan import BenchPlan
from adk_agent_sim.bench.bench_result import BenchResult, Outcome
from adk_agent_sim.bench.results_file import open_results, read_results
from adk_agent_sim.errors import BenchFolderRefused


@pytest.fixture
def plan(tmp_path: Path) -> BenchPlan:
    return build_test_plan(write_scenarios(tmp_path, 2), runs=2)


def _build_result(plan: BenchPlan, index: int, outcome: Outcome = "passed", **fields: object) -> BenchResult:
    return build_result(outcome, **plan.runs[index].key.model_dump(), **fields)


def test_results_are_in_the_file_at_once(plan: BenchPlan, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "out"
    with open_results(folder, plan) as results:
        assert [run.index for run in results.list_remaining()] == [0, 1, 2, 3]
        results.append([_build_result(plan, 2)])
        assert read_results(folder / "results.jsonl") == [_build_result(plan, 2)]
        assert [run.index for run in results.list_remaining()] == [0, 1, 3]


def test_resuming_runs_what_is_missing_or_had_an_error(plan: BenchPlan, tmp_path: Path) -> None:
    with open_results(tmp_path / "out", plan) as results:
        results.append([_build_result(plan, 0, "error"), _build_result(plan, 1, "timeout")])
        results.append([_build_result(plan, 2, "failed")])
    with open_results(tmp_path / "out", plan, resume=True) as results:
        assert [run.index for run in results.list_remaining()] == [0, 1, 3]
        results.append([_build_result(plan, 0, reason="later")])
    with open_results(tmp_path / "out", plan, resume=True) as results:
        assert [run.index for run in results.list_remaining()] == [1, 3]
        assert results.results[plan.runs[0].key].reason == "later"


def test_the_sorted_file_has_each_run_once_in_the_order_of_the_plan(plan: BenchPlan, tmp_path: Path) -> None:
    with open_results(tmp_path / "out", plan) as results:
        results.append([_build_result(plan, 3), _build_result(plan, 0, "error"), _build_result(plan, 1)])
        results.append([_build_result(plan, 0)])
        results.sort()
    assert read_results(tmp_path / "out" / "results.jsonl") == [_build_result(plan, index) for index in (0, 1, 3)]


@pytest.mark.parametrize("torn", [b'{"scenario": "mail', b"{}\n", b"\xff\xfe", b"{"])
def test_a_torn_last_line_is_removed(plan: BenchPlan, tmp_path: Path, torn: bytes) -> None:
    file = tmp_path / "out" / "results.jsonl"
    with open_results(tmp_path / "out", plan) as results:
        results.append([_build_result(plan, 0)])
    whole = file.read_bytes()
    file.write_bytes(whole + torn)
    assert read_results(file) == [_build_result(plan, 0)]
    with open_results(tmp_path / "out", plan, resume=True) as results:
        assert file.read_bytes() == whole
        results.append([_build_result(plan, 1)])
    assert read_results(file) == [_build_result(plan, 0), _build_result(plan, 1)]


def test_a_damaged_line_before_others_is_refused(plan: BenchPlan, tmp_path: Path) -> None:
    with open_results(tmp_path / "out", plan) as results:
        results.append([_build_result(plan, 0)])
    file = tmp_path / "out" / "results.jsonl"
    file.write_bytes(b"nonsense\n" + file.read_bytes())
    with (
        pytest.raises(BenchFolderRefused, match=r"line 1 of results.jsonl is damaged. Remove the line"),
        open_results(tmp_path / "out", plan, resume=True),
    ):
        pass


def test_a_folder_with_results_needs_resume(plan: BenchPlan, tmp_path: Path) -> None:
    with open_results(tmp_path / "out", plan) as results:
        results.append([_build_result(plan, 0)])
    with (
        pytest.raises(BenchFolderRefused, match=r"it has 1 of the 4 results of this plan. Continue with --resume"),
        open_results(tmp_path / "out", plan),
    ):
        pass


def test_a_folder_with_another_plan_is_refused_and_unchanged(plan: BenchPlan, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with open_results(folder, plan) as results:
        results.append([_build_result(plan, 0)])
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    other = build_test_plan(tmp_path / "scenarios.jsonl", runs=3, seeds=(1,))
    with (
        pytest.raises(BenchFolderRefused, match=r"differs in seeds and runs. Choose another folder with --out"),
        open_results(folder, other, resume=True),
    ):
        pass
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_a_folder_that_another_bench_writes_to_is_refused(plan: BenchPlan, tmp_path: Path) -> None:
    with (
        open_results(tmp_path / "out", plan),
        pytest.raises(BenchFolderRefused, match="another process runs a bench there"),
        open_results(tmp_path / "out", plan, resume=True),
    ):
        pass
    with open_results(tmp_path / "out", plan, resume=True):
        pass


def test_results_without_a_plan_and_a_plan_that_is_none_are_refused(plan: BenchPlan, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "results.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(BenchFolderRefused, match=r"without plan.json"), open_results(tmp_path / "out", plan):
        pass
    (tmp_path / "out" / "plan.json").write_text("[]", encoding="utf-8")
    with pytest.raises(BenchFolderRefused, match=r"plan.json cannot be read"), open_results(tmp_path / "out", plan):
        pass
