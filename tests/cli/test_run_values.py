"""Wrong values of `adksim bench` and `adksim scenario run`: exit code 2 and a message, before anything is run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import click
import pytest
from bench_folders import write_agent, write_scenarios
from click.testing import Result
from processes import invoke_adksim

from adk_agent_sim.cli.benches.bench_start import run as bench_run
from adk_agent_sim.cli.scenarios.scenario_run import run as scenario_run

_WORLD_VALUES: Mapping[str, Iterable[str]] = {
    "--player": ("martian", "", "script:nowhere.yaml", "replay:nowhere.jsonl", "replay:", "oracle:x"),
    "--model": ("no-such-model", ""),
    "--model-provider": ("openai",),
    "--agent": ("nowhere", "", "empty"),
    "--rules": ("nowhere.yaml", "broken"),
    "--profile": ("unknown",),
    "--thinking": ("quickly", "fixed:x", ""),
    "--max-steps": ("0", "x"),
    "--max-duration": ("x", "-1s", "0s", ""),
    "--max-wall-time": ("x", "0", ""),
    "--notifications": ("LOUD",),
    "--world-agent": ("nobody",),
    "--tool-failure-probability": ("2",),
    "--tool-augmentation": ("colours",),
    "--env-events-per-minute": ("-1",),
    "--a2a-app-prop": ("0.5", "3"),
    "--fs-content": ("nowhere", "broken"),
    "--seed": ("x",),
    "--scenario": ("nobody",),
    "--judge": ("no-such-model", "replay:nowhere", "replay:broken", "replay:", ""),
}

_BENCH_VALUES: Mapping[str, Iterable[str]] = {
    **_WORLD_VALUES,
    "--out": ("broken", "broken/out"),
    "--runs": ("0",),
    "--filter": ("colour=red", "tag=nowhere", "id=nobody"),
    "--limit": ("0",),
    "--hf": ("some/dataset",),
    "--hf-split": ("validation",),
    "--hf-config": ("default",),
    "--workers": ("0",),
    "--engine": ("cloud",),
    "--ray-address": ("auto",),
    "--run-timeout": ("x", "0"),
    "--rate-limit-wait": ("x",),
    "--db": ("empty", "mongo://x", "nowhere/sessions.db"),
    "--fail-under": ("2",),
    "--criteria": ("nonsense", "exact"),
}

_RUN_VALUES: Mapping[str, Iterable[str]] = {
    **_WORLD_VALUES,
    "--run-number": ("0",),
    "--record": ("empty",),
    "--trace": ("empty", "broken/trace.json"),
    "--eval-set": ("broken", "broken/x.evalset.json"),
    "--markdown": ("empty", "broken/run.md"),
    "--report": ("empty", "broken/run.html"),
    "--timeline": ("empty", "broken/run.jsonl"),
}

_SERVER_OPTIONS = {"--host", "--port", "--allow-origin", "--allow-host", "--tls-cert", "--tls-key"}
"""Options of the browser, which have tests of their own."""


@pytest.fixture(autouse=True)
def _enter_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken").write_text("{", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "rules.yaml").write_text("rules: [{match: {tool: add}, do: {respond: 5}}]\n", encoding="utf-8")
    write_scenarios(tmp_path, 1)
    write_agent(tmp_path / "agent", [0])


def _list_pairs(values: Mapping[str, Iterable[str]]) -> list[tuple[str, str]]:
    return [(option, value) for option, some in values.items() for value in some]


def _run_bench(*options: str) -> Result:
    agent = [] if "--agent" in options else ["--agent", "agent"]
    out = [] if "--out" in options else ["--out", "out"]
    return invoke_adksim("bench", "scenarios.jsonl", *options, *agent, *out)


def _run_scenario(*options: str) -> Result:
    agent = [] if "--agent" in options else ["--agent", "agent"]
    return invoke_adksim("scenario", "run", "scenarios.jsonl", *options, *agent)


def _check_refusal(result: Result, option: str, files: set[str]) -> None:
    assert result.exit_code == 2, result.output
    assert not result.stdout.removeprefix("printed by the agent").strip(" 0123456789\n")
    message = result.stderr[result.stderr.index("Error: ") :]
    assert option.removeprefix("--") in message, message
    assert "Traceback" not in message
    assert {each.name for each in Path.cwd().iterdir()} == files


@pytest.mark.parametrize(("option", "value"), _list_pairs(_BENCH_VALUES))
def test_a_bench_refuses_a_wrong_value_before_any_run(option: str, value: str) -> None:
    files = {each.name for each in Path.cwd().iterdir()}
    rules = ["--rules", "rules.yaml"] if option == "--profile" else []
    _check_refusal(_run_bench(option, value, *rules), option, files)


@pytest.mark.parametrize(("option", "value"), _list_pairs(_RUN_VALUES))
def test_a_run_refuses_a_wrong_value_before_it_starts(option: str, value: str) -> None:
    files = {each.name for each in Path.cwd().iterdir()}
    rules = ["--rules", "rules.yaml"] if option == "--profile" else []
    _check_refusal(_run_scenario(option, value, *rules), option, files)


@pytest.mark.parametrize(("command", "values"), [(bench_run, _BENCH_VALUES), (scenario_run, _RUN_VALUES)])
def test_every_option_with_a_value_is_tried(command: click.Command, values: Mapping[str, Iterable[str]]) -> None:
    options = {each.opts[0] for each in command.params if isinstance(each, click.Option) and not each.is_flag}
    assert options - _SERVER_OPTIONS == set(values)


@pytest.mark.parametrize("option", ["--trace", "--eval-set", "--markdown", "--timeline", "--report"])
@pytest.mark.parametrize("exists", [True, False])
def test_a_file_after_an_option_that_takes_none_is_explained(option: str, exists: bool) -> None:
    if exists:
        Path("wanted.json").write_text(Path("scenarios.jsonl").read_text(encoding="utf-8"), encoding="utf-8")
    for words in ([option, "wanted.json"], [f"{option}=wanted.json"]):
        result = _run_bench(*words)
        assert result.exit_code == 2
        assert f"{option} takes no file in a bench, because each run leaves its own: DIR/runs/00001" in result.stderr
        assert f"Write {option} alone, without wanted.json." in result.stderr
    assert not Path("out").exists()


def test_the_only_path_may_follow_such_an_option() -> None:
    result = invoke_adksim("bench", "--trace", "scenarios.jsonl", "--out", "out", "--player", "martian")
    assert "takes no file" not in result.stderr
    assert "The player 'martian' cannot be used" in result.stderr


def test_a_path_that_finds_nothing_is_named() -> None:
    for path in ("nowhere.json", "nowhere/*.json"):
        result = invoke_adksim("bench", path, "--player", "oracle", "--out", "out")
        assert result.exit_code == 2
        assert f"There is no file or folder '{path}', and as a pattern it finds nothing." in result.stderr
    result = invoke_adksim("scenario", "run", "nowhere.json", "--oracle")
    assert result.exit_code == 2
    assert "'nowhere.json' does not exist" in result.stderr


def test_a_folder_of_agents_is_not_an_agent() -> None:
    write_agent(Path("agents", "one"), [0])
    result = _run_bench("--agent", "agents")
    assert result.exit_code == 2
    assert "it contains agents but is not one itself; give one of them: one." in result.stderr


@pytest.mark.parametrize("options", [["--report", "x.html"], ["--noise"], ["--judge", "gemini-2.5-flash"]])
def test_options_of_an_agent_are_refused_for_expected_actions(options: list[str]) -> None:
    result = invoke_adksim("scenario", "run", "scenarios.jsonl", "--oracle", *options)
    assert result.exit_code == 2
    assert f"{options[0]} has no effect with --oracle, which runs no agent." in result.stderr
