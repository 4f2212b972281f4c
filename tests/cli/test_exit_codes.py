"""Every exit code of the one table, and what every command has in common: an example and `--json`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from scenario_corpus import SPEC_EXAMPLE
from world_builders import build_scenario_file

from adk_agent_sim import Simulation
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.adk.loading.agent_loader import get_demo_folder
from adk_agent_sim.cli.exit_codes import EXIT_CODE_MEANINGS, ExitCode
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.golden.export_formats import EXPORT_FORMATS

_MATH = get_demo_folder("math_agent")

_INTERACTIVE = {"demo", "serve", "bench watch"}
"""Commands that run until a person stops them; they have no result to print."""


def _run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(adksim, [str(each) for each in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def _iter_commands(group: click.Group = adksim, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _iter_commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


@pytest.fixture
def conversation(tmp_path: Path) -> Path:
    """A folder with the EvalSet and the timeline of a session in which no tool was called."""

    async def play() -> None:
        async with Simulation(math_app) as sim:
            turn = await sim.send("hello")
            await turn.respond("hello")
            sim.export(tmp_path / "talk.evalset.json")
            await sim.export_jsonl(tmp_path / "talk.jsonl")

    asyncio.run(play())
    return tmp_path


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_the_table_has_the_four_codes_and_help_prints_it() -> None:
    assert {code.name: code.value for code in ExitCode} == {"OK": 0, "FAILED": 1, "USAGE": 2, "NOTHING_TO_COMPARE": 3}
    output = _run("--help").output
    for code in ExitCode:
        assert f"    {code.value}  {EXIT_CODE_MEANINGS[code]}\n" in output


def test_0_is_success() -> None:
    assert _run("scenario", "run", "--oracle", SPEC_EXAMPLE).exit_code == ExitCode.OK


def test_1_is_a_failure_or_an_unexpected_result(tmp_path: Path) -> None:
    rules = _write(tmp_path / "rules.yaml", "rules: [{match: {tool: x}}]")

    assert _run("env", "check", rules).exit_code == ExitCode.FAILED
    assert _run("scenario", "show", tmp_path / "missing.json").exit_code == ExitCode.FAILED


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["replay"],
        ["scenario", "annotate", "x.json", "--decision", "maybe"],
        ["run", str(_MATH), "--json"],
        ["run", str(_MATH), "--web", "--script", "x.yaml"],
    ],
)
def test_2_is_a_wrong_command_line(arguments: list[str]) -> None:
    assert _run(*arguments).exit_code == ExitCode.USAGE


def test_3_replay_of_a_session_without_calls_compares_nothing(conversation: Path) -> None:
    result = _run("replay", conversation / "talk.evalset.json", "--agent", _MATH)

    assert result.exit_code == ExitCode.NOTHING_TO_COMPARE
    assert "0 calls, 0 responses compared, nothing to compare" in result.stdout
    assert "0 of 1 cases are as recorded" in result.stdout
    assert "Nothing was compared in 1 of 1 cases of" in result.stderr
    assert "which have no tool calls" in result.stderr


def test_3_replay_of_an_evalset_without_cases_compares_nothing(tmp_path: Path) -> None:
    empty = _write(tmp_path / "empty.evalset.json", json.dumps({"eval_set_id": "empty", "eval_cases": []}))
    result = _run("replay", empty, "--agent", _MATH, "--json")

    assert result.exit_code == ExitCode.NOTHING_TO_COMPARE
    assert json.loads(result.stdout) == []
    assert "has no cases" in result.stderr


def test_3_rules_cannot_be_generated_from_a_session_without_calls(conversation: Path) -> None:
    result = _run("env", "from-trace", conversation / "talk.evalset.json")

    assert result.exit_code == ExitCode.NOTHING_TO_COMPARE
    assert result.stdout == ""
    assert "contains no tool call with a result" in result.stderr


def test_3_a_session_without_calls_has_no_environment_report(conversation: Path) -> None:
    result = _run("env", "report", conversation / "talk.jsonl", "--json")

    assert result.exit_code == ExitCode.NOTHING_TO_COMPARE
    assert json.loads(result.stdout)["tools"] == []
    assert "No tool was called" in result.stderr


def test_3_a_script_that_expects_nothing_and_records_nothing_does_not_pass(tmp_path: Path) -> None:
    script = _write(tmp_path / "s.yaml", "steps: [{user: hi}, {call: add, args: {a: 1, b: 1}}, {respond: ho}]")
    text = _run("run", _MATH, "--script", script)
    data = _run("run", _MATH, "--script", script, "--json")

    assert text.exit_code == data.exit_code == ExitCode.NOTHING_TO_COMPARE
    assert "passed" not in text.stdout
    assert "expects nothing, so nothing was compared" in text.stderr
    assert json.loads(data.stdout)["passed"] is False


@pytest.mark.parametrize(
    "text",
    [
        "steps: [{user: hi}, {call: add, args: {a: 1, b: 1}, expect: 2}, {respond: ho}]",
        "steps: [{user: hi}, {calls: [{call: add, args: {a: 1, b: 1}, expect: 2}]}, {respond: ho}]",
        "steps: [{user: hi}, {respond: ho, agent: math_agent}]",
    ],
)
def test_a_script_with_any_expectation_can_pass(tmp_path: Path, text: str) -> None:
    assert _run("run", _MATH, "--script", _write(tmp_path / "s.yaml", text)).exit_code == ExitCode.OK


def test_a_script_without_expectations_can_record_a_session(tmp_path: Path) -> None:
    script = _write(tmp_path / "s.yaml", "steps: [{user: hi}, {respond: ho}]")

    result = _run("run", _MATH, "--script", script, "--eval-set", tmp_path / "out.evalset.json")
    assert result.exit_code == ExitCode.OK


def test_3_files_without_scenarios_are_not_linted(tmp_path: Path) -> None:
    result = _run("scenario", "lint", _write(tmp_path / "empty.jsonl", "\n"))

    assert result.exit_code == ExitCode.NOTHING_TO_COMPARE
    assert "contain no scenario" in result.stderr


def test_3_a_scenario_without_events_runs_nothing(tmp_path: Path) -> None:
    result = _run("scenario", "run", "--oracle", _write(tmp_path / "idle.json", json.dumps(build_scenario_file())))

    assert result.exit_code == ExitCode.NOTHING_TO_COMPARE
    assert "has no events, so nothing was run" in result.stderr


def test_every_command_shows_an_example() -> None:
    for name, command in _iter_commands():
        assert f"adksim {name}" in (command.help or ""), name


def test_every_command_that_prints_a_result_has_json() -> None:
    without = {
        name for name, command in _iter_commands() if not any("--json" in option.opts for option in command.params)
    }

    assert without == _INTERACTIVE


def test_export_offers_the_formats_of_the_table() -> None:
    output = _run("export", "--help").output

    for name, each in EXPORT_FORMATS.items():
        assert f"    {name:<8}  {each.label} (" in output
        assert each.requirement in output


@pytest.mark.parametrize("name", [name for name, each in EXPORT_FORMATS.items() if not each.is_redactable])
def test_a_format_that_must_stay_exact_cannot_be_redacted(name: str) -> None:
    result = _run("export", "last", "--format", name, "--redact")

    assert result.exit_code == ExitCode.USAGE
    assert f"`redact` does not work with the format {name}" in result.output
