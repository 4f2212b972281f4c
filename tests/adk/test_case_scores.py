"""The badge of an eval case, its scores by ADK's own metrics, and what a check of it says."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from eval_case_files import DRIFTED, EQUAL, SCENARIO, TALK, build_case, build_turn, write_eval_set
from google.adk.agents import LlmAgent
from google.adk.apps import App

from adk_agent_sim import Simulation
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.adk.evals.case_metrics import list_invocations, score_case
from adk_agent_sim.adk.evals.recording_replay import BadgeState, find_obstacle, replay_case
from adk_agent_sim.errors import ImportRefused, InvalidCriteria
from adk_agent_sim.golden.eval_file import EvalFile
from adk_agent_sim.golden.importers import build_case_rows
from adk_agent_sim.use_cases.cases import CheckedCase, check_case


async def _report(tmp_path: Path, case: dict[str, Any], app: App | None = math_app) -> CheckedCase:
    file = EvalFile(write_eval_set(tmp_path / "math.evalset.json", case))
    return await check_case(app, file, file.read().cases[0])


async def test_a_case_whose_tools_answer_as_recorded_is_equal(tmp_path: Path) -> None:
    report = await _report(tmp_path, EQUAL)

    assert (report.case.badge.state, report.case.badge.reason) == ("equal", "The result of its call is as recorded.")
    assert report.is_good
    assert report.check
    assert [(metric.score, metric.is_passed) for metric in report.check.metrics] == [(1.0, True), (1.0, True)]


async def test_a_case_whose_tool_answers_otherwise_has_drifted(tmp_path: Path) -> None:
    report = await _report(tmp_path, DRIFTED)

    assert report.case.badge.state is BadgeState.DRIFTED
    assert report.case.badge.reason == "Call 1 of add after message 1 is not as recorded."
    assert report.check
    (difference,) = report.check.differences
    assert (difference.recorded, difference.found) == ('{"result": 6}', '{"result": 5}')


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (TALK, "It calls no tools"),
        (SCENARIO, "a scenario for a user simulator instead of a conversation"),
        (build_case("x", build_turn("2+2?", "4", ("add", {"a": 2, "b": 2}, None))), "no recorded results of tools"),
    ],
)
async def test_a_case_with_nothing_to_compare_is_not_replayable_and_says_why(
    tmp_path: Path, case: dict[str, Any], reason: str
) -> None:
    for app in (math_app, None):
        report = await _report(tmp_path, case, app)
        assert report.case.badge.state is BadgeState.NOT_REPLAYABLE
        assert reason in report.case.badge.reason
    assert not report.has_compared


async def test_without_an_agent_nothing_is_replayed(tmp_path: Path) -> None:
    report = await _report(tmp_path, EQUAL, None)

    assert (report.case.badge.state, report.check) == (BadgeState.NOT_CHECKED, None)
    assert "--agent DIR" in report.case.badge.reason


async def test_a_tool_that_never_returns_ends_the_replay(tmp_path: Path) -> None:
    async def add(a: int, b: int) -> int:
        await asyncio.Event().wait()
        return a + b

    app = App(name="math_agent", root_agent=LlmAgent(name="math_agent", model="none", tools=[add]))
    file = EvalFile(write_eval_set(tmp_path / "math.evalset.json", EQUAL))
    badge = await replay_case(app, file.read().cases[0], max_seconds=0.01)

    assert badge.state is BadgeState.NOT_REPLAYABLE
    assert "took longer than 0.01 s" in badge.reason


async def test_an_agent_that_stops_early_is_named_and_loses_the_scores_of_the_other_turns(tmp_path: Path) -> None:
    app = App(name="math_agent", root_agent=LlmAgent(name="math_agent", model="none", before_model_callback=_fail))
    case = build_case("two", *(build_turn(f"{each}?", "4", ("add", {"a": 2, "b": 2}, 4)) for each in "ab"))
    report = await _report(tmp_path, case, app)

    assert report.case.badge.state is not BadgeState.EQUAL
    assert report.check
    assert [metric.score for metric in report.check.metrics] == [0.0, 0.0]
    assert [[call.status for call in turn.calls] for turn in report.check.turns] == [["missing"], ["missing"]]
    assert not report.is_good


def _fail(callback_context: Any, llm_request: Any) -> None:
    raise RuntimeError("no model today")


def _score(tmp_path: Path, expected: dict[str, Any], actual: dict[str, Any], config: object = None) -> Any:
    if config is not None:
        (tmp_path / "test_config.json").write_text(json.dumps(config), encoding="utf-8")
    file = EvalFile(write_eval_set(tmp_path / "math.evalset.json", expected, actual))
    one, other = (list_invocations(case) for case in file.read().cases)
    return score_case(one, other, file.path)


_EXPECTED = build_case("a", build_turn("?", "It is four", ("add", {"a": 1}, 1), ("sub", {}, 1), ("mul", {"x": 1}, 1)))
_ACTUAL = build_case("b", build_turn("?", "It is five", ("add", {"a": 1}, 1), ("mul", {"x": 2}, 1)))


def test_the_scores_are_those_of_adk_and_the_calls_are_side_by_side(tmp_path: Path) -> None:
    scores = _score(tmp_path, _EXPECTED, _ACTUAL)

    trajectory, response = scores.metrics
    assert (trajectory.name, trajectory.score, trajectory.is_passed) == ("tool_trajectory_avg_score", 0.0, False)
    assert (response.name, response.is_passed) == ("response_match_score", False)
    assert response.score == pytest.approx(2 / 3)
    (turn,) = scores.turns
    assert [(call.status, call.expected["name"]) for call in turn.calls] == [
        ("same", "add"),
        ("changed", "sub"),
        ("missing", "mul"),
    ]
    assert (turn.expected_response, turn.actual_response) == ("It is four", "It is five")
    assert scores.config_path == ""


def test_the_criteria_beside_the_file_are_used(tmp_path: Path) -> None:
    actual = build_case("b", build_turn("?", "four", ("add", {"a": 1}, 1), ("log", {}, 1), ("sub", {}, 1)))
    expected = build_case("a", build_turn("?", "It is four", ("add", {"a": 1}, 1), ("sub", {}, 1)))
    config = {"criteria": {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "IN_ORDER"}}}
    scores = _score(tmp_path, expected, actual, config)

    assert [(metric.name, metric.score, metric.is_passed) for metric in scores.metrics] == [
        ("tool_trajectory_avg_score", 1.0, True)
    ]
    assert scores.config_path == str(tmp_path / "test_config.json")
    assert [call.status for call in scores.turns[0].calls] == ["same", "extra", "same"]


def test_metrics_that_need_a_model_or_run_named_code_are_listed_and_not_run(tmp_path: Path) -> None:
    config = {
        "criteria": {"final_response_match_v2": 0.5, "mine": 0.5, "response_match_score": 0.5},
        "custom_metrics": {"mine": {"code_config": {"name": "os.system"}}},
    }
    scores = _score(tmp_path, EQUAL, EQUAL, config)

    assert [(metric.name, metric.score) for metric in scores.metrics] == [
        ("final_response_match_v2", None),
        ("mine", None),
        ("response_match_score", 1.0),
    ]
    assert "needs a model" in scores.metrics[0].note
    assert "runs code that the file names" in scores.metrics[1].note
    assert scores.is_passed


async def test_a_check_says_why_there_are_no_scores_and_is_not_good(tmp_path: Path) -> None:
    (tmp_path / "test_config.json").write_text("{", encoding="utf-8")
    report = await _report(tmp_path, EQUAL)

    assert report.case.badge.state is BadgeState.EQUAL
    assert report.check
    assert "test_config.json cannot be read" in report.check.problem
    assert not report.is_good


@pytest.mark.parametrize("text", ["{", "[]", '{"criteria": 5}', '{"criteria": {}, "criteria": {}}'])
def test_criteria_that_cannot_be_read_are_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "test_config.json").write_text(text, encoding="utf-8")

    with pytest.raises(InvalidCriteria, match=r"test_config\.json cannot be read"):
        _score(tmp_path, EQUAL, EQUAL)


async def test_a_session_of_adk_is_one_case(tmp_path: Path) -> None:
    async with Simulation(math_app) as sim:
        turn = await sim.send("What is 2+2?")
        after: Any = await turn.call("add", {"a": 2, "b": 2})
        await after.respond("The answer is 4")
        events = [json.loads(event.model_dump_json(exclude_none=True)) for event in sim.events()]
    path = tmp_path / "math.session.json"
    session: dict[str, Any] = {"id": "s1", "app_name": "math_agent", "user_id": "user", "state": {}, "events": events}
    path.write_text(json.dumps(session), encoding="utf-8")
    file = EvalFile(path)
    (case,) = file.read().cases
    report = await check_case(math_app, file, case)

    assert (file.kind, case.eval_id, report.case.call_count, report.case.badge.state) == ("session", "s1", 1, "equal")
    assert report.is_good
    assert [row.kind.value for row in build_case_rows(case.build_events())] == ["user", "call", "answer"]


@pytest.mark.parametrize("text", ["", "{}", "[]", "null"])
def test_a_file_that_is_something_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(ImportRefused, match="an EvalSet or an ADK session"):
        EvalFile(path)
    with pytest.raises(ImportRefused, match="there is no such file"):
        EvalFile(tmp_path / "none.json")


def test_what_was_read_is_kept_until_the_file_changes(tmp_path: Path) -> None:
    path = write_eval_set(tmp_path / "math.evalset.json", EQUAL)
    file = EvalFile(path)
    before = file.read()
    assert file.read() is before

    write_eval_set(path, EQUAL, TALK)
    assert find_obstacle(file.read().cases[0]) == ""
    assert len(file.read().cases) == 2
