"""`adksim scenario`: text and JSON output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from scenario_corpus import SPEC_EXAMPLE, build_event, build_scenario, load_scenarios

from adk_agent_sim.cli.main import adksim
from adk_agent_sim.scenario import load_scenario


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(adksim, ["scenario", *map(str, arguments)])


@pytest.fixture
def invalid_file(tmp_path: Path) -> Path:
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(build_scenario(build_event("a", after=("gone",))), indent=1))
    return file


def test_lint_prints_file_line_path_and_advice(invalid_file: Path) -> None:
    result = _run("lint", invalid_file)
    assert result.exit_code == 1
    line = next(number for number, text in enumerate(invalid_file.read_text().split("\n"), 1) if '"gone"' in text)
    position = f"{invalid_file}:{line}: error[dependency-unknown] events[0].dependencies[0]"
    assert f"{position}: event 'a' depends" in result.output
    assert "remove the dependency." in result.output
    assert "1 errors, 0 warnings" in result.output


def test_lint_prints_json(invalid_file: Path) -> None:
    result = _run("lint", invalid_file, SPEC_EXAMPLE, "--json")
    assert [each["code"] for each in json.loads(result.stdout)] == ["dependency-unknown", "app-unlisted"]


def test_lint_of_a_clean_directory_succeeds(tmp_path: Path) -> None:
    for name, file in load_scenarios().items():
        (tmp_path / f"{name}.json").write_text(json.dumps(file))
    result = _run("lint", "--are", tmp_path)
    assert (result.exit_code, result.output) == (0, "0 errors, 0 warnings\n")


def test_lint_of_an_unreadable_file_goes_on_with_the_next(tmp_path: Path, invalid_file: Path) -> None:
    (tmp_path / "torn.json").write_text('{"version"')
    result = _run("lint", tmp_path / "torn.json", invalid_file)
    assert "error[unreadable]" in result.output
    assert "error[dependency-unknown]" in result.output


def test_warnings_alone_are_not_a_failure() -> None:
    assert _run("lint", SPEC_EXAMPLE).exit_code == 0
    assert _run("lint", "--are", SPEC_EXAMPLE).exit_code == 1


def test_show_prints_the_events_and_draws_them(tmp_path: Path) -> None:
    result = _run("show", SPEC_EXAMPLE, "--svg", tmp_path / "graph.svg")
    assert "+60 s  ENV    NotificationApp.show_reminder(" in result.output
    assert (tmp_path / "graph.svg").read_text().startswith("<svg ")
    assert json.loads(_run("show", SPEC_EXAMPLE, "--json").stdout)["scenario_id"] == "email_apology_001"


@pytest.mark.req("004/validation-decision")
def test_annotate_writes_what_the_reviewer_says_and_keeps_the_rest(tmp_path: Path) -> None:
    file = tmp_path / "scenario.json"
    before = load_scenarios()["scenario_synth_s01_search"]
    file.write_text(json.dumps(before))
    assert _run("annotate", file, "--decision", "maybe").exit_code == 2
    assert _run("annotate", file, "--decision", "needs_review", "--annotator", "Ada").exit_code == 0
    assert _run("annotate", file, "--comment", "too easy").exit_code == 0
    annotation = load_scenario(file).annotation
    assert (annotation.validation_decision, annotation.annotator) == ("needs_review", "Ada")
    assert annotation.comment == "too easy"
    assert annotation.date > 0
    after = json.loads(file.read_text())
    after["metadata"]["annotation"] = before["metadata"]["annotation"]
    assert after == before
    assert json.loads(_run("annotate", file, "--json").stdout)["comment"] == "too easy"


def test_convert_writes_what_are_reads_and_lists_what_it_adapted(tmp_path: Path) -> None:
    output = tmp_path / "are.json"
    result = _run("convert", SPEC_EXAMPLE, output)
    assert "adapted: NotificationApp.show_reminder is written as EmailApp.send_email_to_user_only" in result.output
    assert _run("lint", "--are", output).output == "0 errors, 0 warnings\n"


@pytest.mark.process
def test_an_unreadable_file_is_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from adk_agent_sim.cli.main import main; main()", "scenario", "show"]
    result = subprocess.run([*command, str(tmp_path / "none.json")], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert f"Cannot read a scenario from {tmp_path / 'none.json'}: No such file or directory." in result.stderr
    assert result.stderr.count("\n") == 1
