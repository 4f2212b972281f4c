"""`adksim scenario convert` between scenarios and EvalSets: text and JSON output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from google.adk.evaluation.eval_set import EvalSet
from scenario_corpus import load_scenarios

from adk_agent_sim.cli.main import adksim
from adk_agent_sim.scenario import load_scenario

NAME = "scenario_synth_s04_shopping"


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(adksim, ["scenario", *map(str, arguments)])


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(load_scenarios()[NAME]))
    return file


@pytest.fixture
def golden(tmp_path: Path, scenario: Path) -> Path:
    file = tmp_path / "golden.evalset.json"
    assert _run("convert", scenario, file, "--to", "evalset").exit_code == 0
    return file


def test_a_scenario_is_appended_to_an_evalset(scenario: Path, golden: Path) -> None:
    result = _run("convert", scenario, golden, "--to", "evalset", "--json")
    assert json.loads(result.stdout) == {"output": str(golden), "id": f"{NAME}_2", "adapted": [], "notes": []}
    cases = EvalSet.model_validate_json(golden.read_text()).eval_cases
    assert [case.eval_id for case in cases] == [NAME, f"{NAME}_2"]


def test_an_evalset_is_recognized_by_its_content_and_becomes_a_scenario_that_runs(
    tmp_path: Path, scenario: Path, golden: Path
) -> None:
    output = tmp_path / "made.json"
    strict = "AgentUserInterface__send_message_to_user.content=any"
    result = _run("convert", golden, output, "--apps", scenario, "--strictness", strict)
    assert (result.exit_code, result.output) == (0, f"written: {output}\n")
    assert _run("lint", "--are", output).output == "0 errors, 0 warnings\n"
    assert _run("run", "--oracle", output).exit_code == 0
    assert '"strictness": "any"' in output.read_text()
    assert [each.class_name for each in load_scenario(output).apps] == [
        each.class_name for each in load_scenario(scenario).apps
    ]


def test_of_several_cases_one_is_named(tmp_path: Path, scenario: Path, golden: Path) -> None:
    _run("convert", scenario, golden, "--to", "evalset")
    output = tmp_path / "made.json"
    refused = _run("convert", golden, output, "--apps", scenario)
    assert refused.exit_code == 1
    assert f"it has 2 cases; select one with --case: {NAME}, {NAME}_2." in refused.output
    assert _run("convert", golden, output, "--apps", scenario, "--case", f"{NAME}_2").exit_code == 0
    assert load_scenario(output).scenario_id == f"{NAME}_2"


def test_what_is_missing_without_a_world_is_reported(tmp_path: Path, golden: Path) -> None:
    result = _run("convert", golden, tmp_path / "made.json")
    assert result.exit_code == 0
    assert "note: Shopping: the app is empty" in result.output
    assert "note: Shopping__add_to_cart (" in result.output


@pytest.mark.parametrize("wrong", ["Emails__send_email.content=some", "content=any", "any"])
def test_an_invalid_strictness_is_refused(tmp_path: Path, golden: Path, wrong: str) -> None:
    result = _run("convert", golden, tmp_path / "made.json", "--strictness", wrong)
    assert result.exit_code == 2
    assert "TOOL.ARGUMENT=exact|any|contains" in " ".join(result.output.split())


def test_an_option_of_evalsets_is_refused_for_a_scenario(tmp_path: Path, scenario: Path) -> None:
    result = _run("convert", scenario, tmp_path / "made.json", "--case", "x")
    assert result.exit_code == 2
    assert "--case is for a golden trace" in result.output


@pytest.mark.process
def test_a_refusal_is_one_line_and_writes_nothing(tmp_path: Path, golden: Path) -> None:
    golden.write_text(golden.read_text().replace("Shopping__checkout", "pay"))
    command = [sys.executable, "-c", "from adk_agent_sim.cli.main import main; main()", "scenario", "convert"]
    output = tmp_path / "made.json"
    result = subprocess.run([*command, str(golden), str(output)], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "cannot become a scenario: turn 1: the tool 'pay' is not a tool of an app" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not output.exists()


@pytest.mark.process
def test_a_scenario_is_converted_without_importing_adk(tmp_path: Path, scenario: Path) -> None:
    program = (
        "import sys; from adk_agent_sim.cli.main import adksim; "
        "adksim(sys.argv[1:], standalone_mode=False); print('google.adk' in sys.modules)"
    )
    command = [sys.executable, "-c", program, "scenario", "convert", str(scenario), str(tmp_path / "made.json")]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == f"written: {tmp_path / 'made.json'}\nFalse\n"
