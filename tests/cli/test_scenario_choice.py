"""`adksim scenario show`, `run` and `convert` on files with several scenarios."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from scenario_corpus import SPEC_EXAMPLE
from world_builders import build_reply_event, build_scenario_file, build_world_event

from adk_agent_sim.cli.main import adksim
from adk_agent_sim.scenario import load_scenarios


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(adksim, ["scenario", *map(str, arguments)])


def _build(scenario_id: str, *events: Any) -> dict[str, Any]:
    file = build_scenario_file(*events)
    file["metadata"]["definition"]["scenario_id"] = scenario_id
    return file


_USER = build_world_event("u", "USER", delay=0)
_FAILING = build_world_event("a", "AGENT", ("u",), "Emails__delete_email", email_id="gone", folder_name="INBOX")


@pytest.fixture
def several(tmp_path: Path) -> Path:
    """A file of which the second line is broken, the third a dataset row, and the fourth fails."""
    lines = [
        json.dumps(_build("first", _USER, build_reply_event("m", "u"))),
        '{"version": "are_simulation_v1", "events"',
        json.dumps({"id": 7, "data": json.dumps(_build("second", _USER), indent=1)}),
        json.dumps(_build("third", _USER, _FAILING)),
    ]
    file = tmp_path / "several.jsonl"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_run_runs_every_scenario_of_a_file_also_after_a_broken_line(several: Path) -> None:
    result = _run("run", "--oracle", several)
    assert result.exit_code == 1
    summaries = [
        line for line in result.stdout.splitlines() if line in ("first", "second", "third") or "events in" in line
    ]
    assert [line.partition(" in")[0] for line in summaries] == [
        "first", "2 events", "second", "1 events", "third", "2 events"
    ]  # fmt: skip
    assert "Error: Cannot read a scenario from" in result.stderr
    assert "several.jsonl, line 2: " in result.stderr


def test_run_prints_one_json_document_per_scenario(several: Path) -> None:
    found = _run("run", "--oracle", several, "--json").stdout.replace("\n}\n{", "\n}\x00{").split("\x00")
    assert [(json.loads(each)["scenario_id"], json.loads(each)["ok"]) for each in found] == [
        ("first", True), ("second", True), ("third", False)
    ]  # fmt: skip


def test_run_of_a_chosen_scenario_writes_its_trace_only(several: Path, tmp_path: Path) -> None:
    output = tmp_path / "trace.json"
    result = _run("run", "--oracle", several, "--scenario", "second", "--trace", output)
    assert result.exit_code == 0, result.output
    assert [(each.scenario_id, len(each.completed_events)) for each in load_scenarios(output)] == [("second", 1)]


def test_traces_of_several_scenarios_are_written_line_by_line(several: Path, tmp_path: Path) -> None:
    refused = _run("run", "--oracle", several, "--trace", tmp_path / "trace.json")
    assert refused.exit_code == 2
    assert "contains 4 scenarios: name the output .jsonl" in refused.output
    assert _run("run", "--oracle", several, "--trace", tmp_path / "traces.jsonl").exit_code == 1
    traces = list(load_scenarios(tmp_path / "traces.jsonl"))
    assert [(each.scenario_id, len(each.completed_events)) for each in traces] == [
        ("first", 2), ("second", 1), ("third", 2)
    ]  # fmt: skip


def test_a_scenario_without_events_among_others_is_not_a_success(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in (_build("full", _USER), _build("empty"))))
    result = _run("run", "--oracle", file)
    assert result.exit_code == 3
    assert "Error: empty in" in result.output
    assert "has no events" in result.output


def test_an_unknown_id_lists_the_known_ones(several: Path) -> None:
    for command in (("run", "--oracle"), ("show",)):
        result = _run(*command, several, "--scenario", "fourth")
        assert result.exit_code == 2
        assert "has no scenario 'fourth'; its scenarios are: first, second, third." in result.output


def test_show_shows_every_scenario_and_reports_the_broken_line(several: Path, tmp_path: Path) -> None:
    result = _run("show", several)
    assert result.exit_code == 1
    places = [result.stdout.index(name) for name in ("first", "second", "third")]
    assert places == sorted(places)
    assert "several.jsonl, line 2: " in result.stderr
    chosen = _run("show", several, "--scenario", "third", "--json", "--svg", tmp_path / "graph.svg")
    assert (chosen.exit_code, json.loads(chosen.stdout)["scenario_id"]) == (0, "third")
    assert (tmp_path / "graph.svg").read_text().startswith("<svg ")
    unclear = _run("show", several, "--svg", tmp_path / "graph.svg")
    assert unclear.exit_code == 2
    assert "choose it with --scenario ID" in unclear.output


def test_convert_writes_every_scenario_or_none(several: Path, tmp_path: Path) -> None:
    output = tmp_path / "are.jsonl"
    assert _run("convert", several, output).exit_code == 1
    assert not output.exists()
    described = json.loads(SPEC_EXAMPLE.read_text())
    other = json.loads(SPEC_EXAMPLE.read_text())
    other["metadata"]["scenario_id"] = "other"
    several.write_text(json.dumps(described) + "\n\n" + json.dumps(other) + "\n")
    result = _run("convert", several, output)
    assert result.exit_code == 0, result.output
    assert f"written: {output} (other)" in result.output
    assert len(output.read_text().splitlines()) == 2
    assert _run("lint", "--are", output).output == "0 errors, 0 warnings\n"
    assert _run("convert", several, tmp_path / "one.json", "--scenario", "other").exit_code == 0
    assert [each.scenario_id for each in load_scenarios(tmp_path / "one.json")] == ["other"]


def test_convert_appends_a_case_per_scenario(tmp_path: Path) -> None:
    file, output = tmp_path / "several.jsonl", tmp_path / "agent.evalset.json"
    scenarios = [_build(name, _USER, build_reply_event("m", "u")) for name in ("one", "two")]
    file.write_text("".join(json.dumps(each) + "\n" for each in scenarios))
    result = _run("convert", file, output, "--to", "evalset")
    assert result.exit_code == 0, result.output
    assert len(json.loads(output.read_text())["eval_cases"]) == 2
