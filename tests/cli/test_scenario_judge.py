"""`adksim scenario judge`: verdicts as text and JSON, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from judge_corpus import load_agent_traces, prepare_judge, read_file
from scenario_corpus import load_scenarios

from adk_agent_sim.cli.main import adksim
from adk_agent_sim.scenario import judge
from adk_agent_sim.scenario.verdict.soft_check import RecordedAnswers, SoftAnswer

SCENARIO = "scenario_synth_s05_adapt_multi_turn"


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(adksim, ["scenario", "judge", *map(str, arguments)])


def _write(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    return _write(tmp_path / "scenario.json", load_scenarios()[SCENARIO])


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    folder = tmp_path / "traces"
    folder.mkdir()
    for mutation in ("perfect", "wrong_hard_recipients", "soft_changed_subject"):
        _write(folder / f"{mutation}.json", load_agent_traces()[SCENARIO, mutation])
    return folder


def test_a_run_that_passes_exits_with_0(scenario: Path, traces: Path) -> None:
    result = _run(scenario, traces / "perfect.json")
    assert result.exit_code == 0
    assert f"PASSED  {SCENARIO}" in result.output


def test_a_run_that_fails_exits_with_1_and_shows_the_difference(scenario: Path, traces: Path) -> None:
    result = _run(scenario, traces)
    assert result.exit_code == 1
    assert '          - ["olga.quist6@example.org"]\n          + ["zz@example.org"]' in result.output
    assert "2 passed, 1 failed, 0 not judged" in result.output


def test_json_has_the_verdict_of_every_trace(scenario: Path, traces: Path) -> None:
    rows = json.loads(_run(scenario, traces, "--json").stdout)
    assert [(Path(row["trace"]).stem, row["passed"]) for row in rows] == [
        ("perfect", True),
        ("soft_changed_subject", True),
        ("wrong_hard_recipients", False),
    ]
    expected = prepare_judge(SCENARIO).judge(read_file(load_agent_traces()[SCENARIO, "wrong_hard_recipients"]))
    assert rows[2] == {
        "trace": str(traces / "wrong_hard_recipients.json"),
        "verdict": expected.to_json(),
        "problem": "",
        "passed": False,
        "reason": expected.reason,
    }


def test_recorded_answers_are_replayed_and_explained(scenario: Path, traces: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    recorded = RecordedAnswers(lambda check: SoftAnswer(passed=False, reply="Another subject.\nFAIL"), answers)
    trace = read_file(load_agent_traces()[SCENARIO, "soft_changed_subject"])
    assert not judge(read_file(load_scenarios()[SCENARIO]), trace, soft=recorded).passed
    options = (traces / "soft_changed_subject.json", "--judge", f"replay:{answers}", "--explain")
    result = _run(scenario, *options)
    assert result.exit_code == 1
    assert "Soft check of subject of EmailClientV2__send_email: not the same" in result.output
    assert "Give your reason in one sentence." in result.output
    assert "Reply: Another subject." in result.output
    row = json.loads(
        _run(
            scenario, traces / "soft_changed_subject.json", "--judge", f"replay:{answers}", "--explain", "--json"
        ).stdout
    )[0]
    assert row["verdict"]["soft_checks"][0]["prompt"].startswith("You check the work of an assistant")


def test_a_trace_without_events_exits_with_3_and_the_reason(scenario: Path) -> None:
    result = _run(scenario, scenario)
    assert result.exit_code == 3
    assert "the trace has no completed events" in result.stderr


@pytest.mark.parametrize("text", ["{}", "no json"])
def test_a_file_that_is_no_trace_exits_with_3(scenario: Path, tmp_path: Path, text: str) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text(text)
    for result in (_run(scenario, broken), _run(broken, scenario)):
        assert result.exit_code == 3
        assert "Cannot read a scenario from" in result.stderr


def test_a_failure_counts_more_than_a_trace_that_cannot_be_judged(scenario: Path, traces: Path) -> None:
    assert _run(scenario, scenario, traces / "wrong_hard_recipients.json").exit_code == 1


def test_of_several_scenarios_each_trace_finds_its_own(tmp_path: Path) -> None:
    other = "scenario_synth_s10_ambiguity"
    folder = tmp_path / "scenarios"
    folder.mkdir()
    for name in (SCENARIO, other):
        _write(folder / f"{name}.json", load_scenarios()[name])
    rows = [load_agent_traces()[name, "perfect"] for name in (SCENARIO, other)]
    lines = tmp_path / "traces.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    printed = json.loads(_run(folder, lines, "--json").stdout)
    assert [(row["trace"], row["verdict"]["scenario_id"], row["passed"]) for row in printed] == [
        (f"{lines}:1", SCENARIO, True),
        (f"{lines}:2", other, True),
    ]


def test_a_model_that_adk_does_not_know_is_a_usage_error(scenario: Path, traces: Path) -> None:
    result = _run(scenario, traces, "--judge", "no-such-model")
    assert result.exit_code == 2
    assert "Use scripted, a model that ADK knows, or replay:FILE." in result.stderr


def test_additional_checks_come_from_a_file(scenario: Path, traces: Path, tmp_path: Path) -> None:
    [event_id] = [each.event_id for each in prepare_judge(SCENARIO).plan.turns[0].events if "send_email" in each.tool]
    wanted = {"arg_name": "subject", "checker_type": "contain_all_checker", "checker_args": {"targets": ["zebra"]}}
    params = _write(tmp_path / "checks.json", {event_id: [wanted]})
    result = _run(scenario, traces / "perfect.json", "--checker-params", params)
    assert result.exit_code == 1
    assert "zebra" in result.output


@pytest.mark.parametrize("content", ["[]", "{", '{"event": {}}', '{"event": ["x"]}'])
def test_a_file_without_checks_is_refused(content: str, scenario: Path, traces: Path, tmp_path: Path) -> None:
    params = tmp_path / "checks.json"
    params.write_text(content, encoding="utf-8")
    result = _run(scenario, traces / "perfect.json", "--checker-params", params)
    assert result.exit_code == 2
    assert str(params) in result.output


def test_there_must_be_something_to_judge(scenario: Path) -> None:
    result = _run(scenario)
    assert result.exit_code == 2
    assert "Give at least one TRACE, or --session." in result.output
