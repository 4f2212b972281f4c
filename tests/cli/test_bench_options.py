"""The options of `adksim bench`: what cannot have the effect that somebody expects of it is refused."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from bench_folders import write_scenarios
from click.testing import CliRunner
from google.adk.evaluation.eval_case import EvalCase, Invocation
from google.adk.evaluation.eval_set import EvalSet
from google.genai import types
from processes import invoke_adksim

from adk_agent_sim.bench.bench_plan import BenchAxes
from adk_agent_sim.cli.benches.bench_options import BenchSettings, bench_options


def _refuse(tmp_path: Path, *options: str | Path) -> str:
    """Return why a bench of one scenario is refused."""
    out = tmp_path / "out"
    command = ["bench", write_scenarios(tmp_path, 1), "--player", "oracle", "--out", out, *options]
    result = invoke_adksim(*command)
    assert result.exit_code == 2, result.output
    assert not out.exists()
    return result.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--max-steps", "1", "--max-steps", "50"],
        ["--thinking", "zero", "--thinking=zero"],
        ["--notifications", "LOW", "--notifications", "HIGH"],
        ["--runs", "1", "--runs", "2"],
        ["--report", "--no-report"],
        ["--out", "other"],
        ["--judge", "scripted", "--judge", "replay:x"],
    ],
    ids=lambda options: options[0],
)
def test_an_option_that_takes_one_value_is_not_given_twice(tmp_path: Path, options: list[str]) -> None:
    message = _refuse(tmp_path, *options)
    assert f"Error: {options[0]} was given 2 times, but takes one value." in message
    assert "can be repeated: --agent, --player, --model, --rules, --seed, --filter, --scenario, " in message


def test_axes_and_lists_can_be_repeated(tmp_path: Path) -> None:
    options = ["--player", "nothing", "--seed", "1", "--seed", "2", "--filter", "tag=even", "--filter", "id=none_*"]
    command = ["bench", write_scenarios(tmp_path, 1), "--player", "oracle", "--out", tmp_path / "out"]
    result = invoke_adksim(*command, *options)
    assert "There is nothing to run" in result.stderr  # and nothing else is wrong


@pytest.mark.req("004/example-run-hugging-face")
def test_a_provider_is_put_before_the_name_of_each_model() -> None:
    axes: list[BenchAxes] = []

    @click.command
    @bench_options
    def keep_axes(settings: BenchSettings) -> None:
        axes.append(settings.build_axes())

    options = ["--agent", "a", "--model", "m", "--model", "n", "--out", "out"]
    for provider in ([], ["--model-provider", "p"]):
        result = CliRunner().invoke(keep_axes, [*options, *provider], catch_exceptions=False)
        assert result.exit_code == 0, result.output
    assert [(each.agents, each.models) for each in axes] == [(("a",), ("m", "n")), (("a",), ("p/m", "p/n"))]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--profile", "bad"], "--profile needs --rules FILE"),
        (["--profile", "bad", "--rules", "none"], "--profile needs --rules FILE"),
        (["--ray-address", "auto"], "--ray-address needs --engine ray."),
        (["--run-timeout", "0"], "--run-timeout 0 would stop every run before it starts."),
        (["--criteria", "exact"], "--criteria says how eval cases are judged, and there are only scenarios."),
    ],
)
def test_an_option_without_an_effect_is_refused(tmp_path: Path, options: list[str], reason: str) -> None:
    assert f"Error: {reason}" in _refuse(tmp_path, *options)


@pytest.mark.parametrize("player", ["martian", "mock:schema", "human", "record:x"])
def test_a_player_that_no_bench_has_is_refused(tmp_path: Path, player: str) -> None:
    command = ["bench", write_scenarios(tmp_path, 1), "--player", player, "--out", tmp_path / "out"]
    result = invoke_adksim(*command)
    assert result.exit_code == 2
    assert f"{player} cannot be used in a bench" in result.stderr.replace("'", "")
    if player in ("martian", "mock:schema"):
        assert "give real, replay:FILE, script:FILE, oracle, nothing or random." in result.stderr
    assert not (tmp_path / "out").exists()


def _write_eval_set(folder: Path) -> Path:
    content = types.Content(role="user", parts=[types.Part(text="mail 0")])
    case = EvalCase(eval_id="greeting", conversation=[Invocation(user_content=content)])
    path = folder / "cases.evalset.json"
    path.write_text(EvalSet(eval_set_id="cases", eval_cases=[case]).model_dump_json(), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "words", [["rubric=It is polite."], ["tool-rubric=x"], ["rubric-score=1"], ["exact", "judge=gemini-2.5-flash"]]
)
def test_criteria_that_need_a_model_are_refused(tmp_path: Path, words: list[str]) -> None:
    options = [option for word in words for option in ("--criteria", word)]
    result = invoke_adksim(
        "bench", _write_eval_set(tmp_path), "--agent", "default", "--out", tmp_path / "out", *options
    )
    assert result.exit_code == 2
    assert f"{words[-1]}' cannot be used in a bench, which asks no model about eval cases." in result.stderr


def test_options_of_worlds_are_refused_if_there_are_only_eval_cases(tmp_path: Path) -> None:
    command = ["bench", _write_eval_set(tmp_path), "--agent", "default", "--out", tmp_path / "out"]
    for options, names in [
        (["--noise", "--max-wall-time", "5m", "--trace"], "--max-wall-time and --noise and --trace apply"),
        (["--thinking", "fixed:1s"], "--thinking applies"),
        (["--judge", "gemini-2.5-flash"], "--judge applies"),
    ]:
        result = invoke_adksim(*command, *options)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"Error: {names} to scenarios only, and there are only eval cases." in result.stderr


def test_options_of_worlds_are_explained_if_there_are_eval_cases_too(tmp_path: Path) -> None:
    command = ["bench", _write_eval_set(tmp_path), write_scenarios(tmp_path, 1), "--out", tmp_path / "out", "--trace"]
    result = invoke_adksim(*command, "--player", "martian")  # which is noticed later
    assert result.exit_code == 2
    assert "--trace applies to scenarios only, not to the 1 eval case.\n" in result.stderr


def test_results_are_not_written_beside_the_scenarios(tmp_path: Path) -> None:
    folder = tmp_path / "scenarios"
    folder.mkdir()
    write_scenarios(folder, 1)
    result = invoke_adksim("bench", folder, "--player", "oracle", "--out", folder)
    assert result.exit_code == 2
    assert "Choose another folder with --out." in result.stderr
    assert [each.name for each in folder.iterdir()] == ["scenarios.jsonl"]
