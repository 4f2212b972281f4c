"""`adksim scenario run --agent`: what it prints and exits with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from scenario_corpus import build_event
from world_builders import build_reply_event, build_scenario_file, build_world_event
from world_runs import MAIL

from adk_agent_sim.cli.main import adksim

AGENT = """
from google.adk.agents import LlmAgent
root_agent = LlmAgent(name="office", model="gemini-2.5-flash", instruction="Help.")
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    file = build_scenario_file(
        build_world_event("ask", "USER", delay=0, call="AgentUserInterface__send_message_to_agent", content="Mail"),
        build_world_event("mail", "AGENT", ("ask",), MAIL, recipients=["a@example.org"], subject="one"),
        build_reply_event("told", "mail"),
    )
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    return path


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    folder = tmp_path / "office"
    folder.mkdir()
    (folder / "agent.py").write_text(AGENT, encoding="utf-8")
    (folder / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    return folder


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(adksim, ["scenario", "run", *map(str, arguments)])


def _write_script(folder: Path, recipient: str = "a@example.org") -> str:
    path = folder / "script.yaml"
    path.write_text(
        f"steps:\n  - {{call: {MAIL}, args: {{recipients: [{recipient}], subject: one}}}}\n  - {{respond: Done.}}\n",
        encoding="utf-8",
    )
    return f"script:{path}"


def test_an_agent_that_passes_exits_with_0(scenario: Path, agent: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    result = _run(scenario, "--agent", agent, "--player", _write_script(tmp_path), "--trace", trace)
    assert result.exit_code == 0, result.output
    assert "PASSED  small" in result.output
    counts = "Model calls: 2, calls of the world's tools: 1, messages to the user: 1, simulated time: 2 s"
    assert counts in result.output
    judged = CliRunner().invoke(adksim, ["scenario", "judge", str(scenario), str(trace)])
    assert judged.exit_code == 0, judged.output


def test_an_agent_that_fails_exits_with_1_and_the_difference(scenario: Path, agent: Path, tmp_path: Path) -> None:
    player = _write_script(tmp_path, '"\\e[31mb@example.org"')
    result = _run(scenario, "--agent", agent, "--player", player, "--json")
    assert result.exit_code == 1, result.output
    assert "\x1b" not in result.output
    value = json.loads(result.output)
    assert (value["passed"], value["ended"], value["metadata"]["agent_id"]) == (False, "completed", "office")
    assert value["reason"].startswith("Turn 1: EmailClientV2__send_email (mail): recipients: expected")
    text = _run(scenario, "--agent", agent, "--player", player)
    assert text.exit_code == 1
    assert "\x1b" not in text.output
    assert "FAILED  small" in text.output


def test_a_scenario_that_expects_nothing_exits_with_3(tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text(json.dumps(build_scenario_file(build_event("ask", "USER"))), encoding="utf-8")
    result = _run(path, "--agent", "default", "--player", "nothing")
    assert result.exit_code == 3, result.output
    assert "it expects nothing of the agent" in result.output


def test_a_limit_is_reported(scenario: Path, tmp_path: Path) -> None:
    result = _run(scenario, "--player", "oracle", "--max-steps", 1)
    assert result.exit_code == 1
    assert "The run was stopped after 1 model calls, the limit." in result.output


def test_a_rejected_turn_ends_the_run_unless_later_turns_are_asked_for(tmp_path: Path, agent: Path) -> None:
    say = "AgentUserInterface__send_message_to_agent"
    file = build_scenario_file(
        build_world_event("ask", "USER", delay=0, call=say, content="First"),
        build_world_event("mail", "AGENT", ("ask",), MAIL, recipients=["a@example.org"], subject="one"),
        build_reply_event("told", "mail"),
        build_world_event("again", "USER", ("told",), say, content="Second"),
        build_reply_event("told again", "again"),
    )
    path = tmp_path / "two.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    script = tmp_path / "answers.yaml"
    script.write_text("steps:\n  - {respond: One.}\n  - {respond: Two.}\n", encoding="utf-8")
    arguments = (path, "--agent", agent, "--player", f"script:{script}", "--json")
    stopped, went_on = _run(*arguments), _run(*arguments, "--no-stop-on-rejection")
    assert (stopped.exit_code, went_on.exit_code) == (1, 1)
    first, second = json.loads(stopped.output), json.loads(went_on.output)
    assert (first["ended"], first["message_count"]) == ("turn_rejected", 1)
    assert (second["ended"], second["message_count"]) == ("completed", 2)
    # The verdict is the same: the first turn decides.
    assert (first["passed"], first["reason"]) == (second["passed"], second["reason"])


def test_agent_to_agent_augmentation_is_rejected_by_name(scenario: Path) -> None:
    result = _run(scenario, "--player", "oracle", "--a2a-app-prop", 0.5)
    assert result.exit_code == 2
    assert "agent-to-agent augmentation, in which agents play the apps, is not supported" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--player", "wizard"), "The player 'wizard' cannot be used"),
        (("--oracle", "--web"), "`adksim scenario show --web` shows what is expected"),
        (("--player", "oracle", "--thinking", "slow"), "write fixed:1s"),
        (("--player", "oracle", "--max-duration", "1w"), "write a number with ms, s, m or h"),
        (("--agent", "nowhere"), "Cannot load an agent from nowhere: there is no such folder"),
        (("--player", "oracle", "--model-provider", "x"), "--model-provider needs --model"),
        (("--agent", "default", "--oracle"), "Give either --agent"),
        (("--model", "no-such-model"), "google-adk[extensions]"),
    ],
)
def test_wrong_options_say_what_to_do(scenario: Path, arguments: tuple[str, ...], message: str) -> None:
    result = _run(scenario, *arguments)
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.output.split())


def test_several_scenarios_are_run_one_after_the_other(scenario: Path, tmp_path: Path) -> None:
    text = scenario.read_text(encoding="utf-8")
    both, traces = tmp_path / "both.jsonl", tmp_path / "traces.jsonl"
    both.write_text(f"{text}\n{text.replace('small', 'other')}\n", encoding="utf-8")
    result = _run(both, "--player", "oracle", "--trace", traces, "--noise", "--tool-failure-probability", 0)
    assert result.exit_code == 0, result.output
    assert "2 passed, 0 failed, 0 not judged" in result.output
    assert len(traces.read_text(encoding="utf-8").splitlines()) == 2
    refused = _run(both, "--player", "oracle", "--report", tmp_path / "x.html")
    assert "--report needs one scenario: choose it with --scenario ID." in refused.output


def test_a_file_that_cannot_be_written_does_not_cost_the_verdict(scenario: Path, tmp_path: Path) -> None:
    case, report = tmp_path / "case.evalset.json", tmp_path / "run.html"
    result = _run(scenario, "--player", "oracle", "--max-steps", 1, "--eval-set", case, "--report", report, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["ended"] == "max_steps"
    assert f"Error: {case} was not written:" in " ".join(result.stderr.split())
    assert report.exists()


def test_the_timeline_of_a_run_is_a_player(scenario: Path, agent: Path, tmp_path: Path) -> None:
    timeline = tmp_path / "session.jsonl"
    first = _run(scenario, "--agent", agent, "--player", _write_script(tmp_path), "--timeline", timeline)
    assert first.exit_code == 0, first.output
    again = _run(scenario, "--agent", agent, "--player", f"replay:{timeline}")
    assert again.exit_code == 0, again.output
