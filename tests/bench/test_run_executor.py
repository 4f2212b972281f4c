"""Runs of a plan in one process: scripted agents of known quality get their score, and runs are independent."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

from bench_folders import build_mail_scenario, build_test_plan, write_agent, write_scenarios

from adk_agent_sim.bench.bench_plan import BenchPlan, RunFiles
from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.run_executor import RunExecutor


def _execute(plan: BenchPlan, folder: Path) -> list[BenchResult]:
    (folder / "runs").mkdir(exist_ok=True)
    executor = RunExecutor(folder, plan.files)
    return [executor.execute(run).result for run in plan.runs]


def _count(results: list[BenchResult]) -> dict[str, int]:
    return dict(Counter(f"{each.agent or each.player}: {each.outcome}" for each in results))


def test_scripted_agents_get_exactly_their_score(tmp_path: Path) -> None:
    agents = [write_agent(tmp_path / f"passes_{count}", range(count)) for count in (0, 2, 5)]
    results = _execute(build_test_plan(write_scenarios(tmp_path, 5), *agents), tmp_path)
    assert _count(results) == {
        "passes_0: failed": 5,
        "passes_2: passed": 2,
        "passes_2: failed": 3,
        "passes_5: passed": 5,
    }
    assert all(each.passed == (each.outcome == "passed") for each in results)
    failed = next(each for each in results if not each.passed)
    assert "recipients: expected" in failed.reason
    assert (failed.input_tokens, failed.output_tokens, failed.model_calls, failed.tool_calls) == (20, 4, 2, 1)
    assert (failed.tags, failed.simulated_seconds) == (("even",), 2.0)


def test_the_oracle_passes_all_and_nothing_passes_none(tmp_path: Path) -> None:
    plan = build_test_plan(write_scenarios(tmp_path, 3), runs=2, players=("oracle", "nothing"))
    results = _execute(plan, tmp_path)
    assert Counter((each.player, each.outcome) for each in results) == {
        ("oracle", "passed"): 6,
        ("nothing", "failed"): 6,
    }


def test_no_run_sees_the_state_of_another(tmp_path: Path) -> None:
    agent = write_agent(tmp_path / "stateful", range(3), "state")
    results = _execute(build_test_plan(write_scenarios(tmp_path, 3), agent, runs=2), tmp_path)
    assert _count(results) == {"stateful: passed": 6}


def test_agents_of_the_same_name_are_different_agents_with_different_settings(tmp_path: Path) -> None:
    folders = [write_agent(tmp_path / name / "assistant", passed) for name, passed in (("a", [0]), ("b", [1]))]
    (folders[0] / ".env").write_text("ADKSIM_TEST_SETTING=from_a\n", encoding="utf-8")
    results = _execute(build_test_plan(write_scenarios(tmp_path, 2), *folders), tmp_path)
    assert [(each.scenario, each.agent) for each in results if each.passed] == [
        ("mail_0", "a/assistant"),
        ("mail_1", "b/assistant"),
    ]
    assert "ADKSIM_TEST_SETTING" not in os.environ  # b was the last to be loaded


def test_a_run_that_raises_is_an_error_and_the_next_one_runs(tmp_path: Path) -> None:
    agents = [write_agent(tmp_path / "raises", [1], "raise"), tmp_path / "broken"]
    agents[1].mkdir()
    (agents[1] / "agent.py").write_text("nonsense = no_such_name\n", encoding="utf-8")
    (agents[1] / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    results = _execute(build_test_plan(write_scenarios(tmp_path, 2), *agents), tmp_path)
    assert _count(results) == {"raises: error": 1, "raises: passed": 1, "broken: error": 2}
    assert "ValueError: no idea" in results[0].reason
    assert "no_such_name" in results[1].reason


def test_a_scenario_that_cannot_be_judged_or_read_is_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    nothing = build_mail_scenario(0) | {"events": list[object]()}
    wrong = build_mail_scenario(1) | {"apps": "none"}
    path.write_text(f"{json.dumps(nothing)}\n{json.dumps(wrong)}\n", encoding="utf-8")
    results = _execute(build_test_plan(path, players=("oracle",)), tmp_path)
    assert [each.outcome for each in results] == ["not_judged", "not_judged"]
    assert "it expects nothing of the agent" in results[0].reason
    assert "apps" in results[1].reason


def test_a_rate_limit_is_reported_as_one(tmp_path: Path) -> None:
    plan = build_test_plan(write_scenarios(tmp_path, 1), write_agent(tmp_path / "limited", [], "always limit"))
    report = RunExecutor(tmp_path, plan.files).execute(plan.runs[0])
    assert (report.is_rate_limited, report.result.outcome) == (True, "error")
    assert "RateLimitError: slow down" in report.result.reason


def test_each_run_leaves_the_files_that_were_asked_for(tmp_path: Path) -> None:
    agent = write_agent(tmp_path / "agent", [0])
    plan = build_test_plan(write_scenarios(tmp_path, 1), agent)
    (tmp_path / "runs").mkdir()
    files = RunFiles(report=True, trace=True, eval_set=True, markdown=True, timeline=True)
    result = RunExecutor(tmp_path, files).execute(plan.runs[0]).result
    assert result.passed, result.reason
    assert result.report == "runs/00001.html"
    names = {path.name for path in (tmp_path / "runs").iterdir()}
    assert names == {"00001.html", "00001.trace.json", "00001.evalset.json", "00001.md", "00001.jsonl"}
