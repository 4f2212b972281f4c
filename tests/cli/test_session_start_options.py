"""`adksim run --state --user-id`, what is remembered of them, and the command `/state`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from processes import run_adksim
from pseudo_terminal import Terminal

from adk_agent_sim.cli.main import adksim
from adk_agent_sim.persistence.default_path import get_data_folder

_AGENT = """
from google.adk.agents import LlmAgent

root_agent = LlmAgent(name="tone", model="none", instruction="Be {mood}.")
"""


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tone"
    folder.mkdir()
    (folder / "agent.py").write_text(_AGENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return folder


def _run(agent: Path, typed: str, *options: str) -> str:
    result = CliRunner().invoke(adksim, ["run", str(agent), *options], input=typed)
    assert result.exit_code == 0, result.output
    return result.output


def _read_session_input() -> dict[str, object]:
    return json.loads(Path("tone.evalset.json").read_text())["eval_cases"][-1]["session_input"]


def test_the_state_and_the_user_are_remembered_for_the_agent(agent: Path) -> None:
    _run(agent, "Hello\nsay Hi\n/done\n", "--state", '{"mood": "calm"}', "--user-id", "ada")
    assert _read_session_input()["state"] == {"mood": "calm"}

    output = _run(agent, "Hello\nsay Hi\n/done\n")
    assert 'As in the last session: user ada, state {"mood": "calm"}' in output
    assert (_read_session_input()["state"], _read_session_input()["user_id"]) == ({"mood": "calm"}, "ada")
    files = list((get_data_folder() / "session_starts").iterdir())
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600]

    output = _run(agent, "Hello\n/quit\n", "--state", "{}")
    assert "The session state has no key 'mood', which the instruction of 'tone' needs" in output


@pytest.mark.process
def test_a_person_is_asked_for_the_keys_that_the_instructions_need(agent: Path) -> None:
    terminal = Terminal("run", str(agent), "--state", "{}")
    try:
        terminal.read_until("The instructions need mood in the session state. Type a value, or Enter for none:")
        terminal.read_until("mood> ")
        terminal.type("very calm")
        terminal.read_until("user> ")
        terminal.type("Hello")
        terminal.read_until("Be very calm.")
        terminal.read_until("model of tone> ")
        terminal.type("say Hi")
        terminal.read_until("user> ")
        terminal.type("/done")
        assert terminal.wait() == 0
    finally:
        terminal.end()
    assert _read_session_input()["state"] == {"mood": "very calm"}


@pytest.mark.process
def test_a_person_can_leave_instead_of_giving_a_key(agent: Path) -> None:
    terminal = Terminal("run", str(agent), "--state", "{}")
    try:
        terminal.read_until("mood> ")
        terminal.type("/quit")
        assert terminal.wait() == 0
    finally:
        terminal.end()


@pytest.mark.process
@pytest.mark.parametrize("how", ["pipe", "script"])
def test_a_failure_for_want_of_a_key_is_one_line_without_tracebacks(agent: Path, how: str) -> None:
    script = agent / "hello.yaml"
    script.write_text("steps:\n  - user: Hello\n  - respond: Hi\n")
    options = ["--script", str(script)] if how == "script" else []

    done = run_adksim("run", str(agent), "--state", "{}", *options, text_input="Hello\n/quit\n")

    assert (done.stdout + done.stderr).count("The session state has no key 'mood'") == 1
    assert "Traceback" not in done.stderr
    assert "KeyError" not in done.stdout + done.stderr
    if how == "pipe":
        assert """Start with --state '{"mood": "VALUE"}'.""" in done.stderr


def test_a_missing_key_can_be_set_and_the_message_sent_again(agent: Path) -> None:
    output = _run(agent, 'Hello\n/state\n/state mood=calm\nHello\nsay Hi\n/state {"n": 1}\n/state\n/done\n')

    assert "`/state mood=VALUE` in the terminal" in output
    assert "The instructions need mood too: /state mood=VALUE" in output
    assert "Be calm." in output
    assert '"n": 1' in output
    assert _read_session_input()["state"] == {"mood": "calm"}


def test_a_script_begins_with_the_state_that_is_given(agent: Path) -> None:
    script = agent.parent / "script.yaml"
    script.write_text("steps:\n  - user: Hello\n  - respond: Hi\nexpect_state: {mood: calm}\n")

    output = _run(agent, "", "--script", str(script), "--state", '{"mood": "calm"}')

    assert "passed" in output
    assert not get_data_folder().exists()


@pytest.mark.parametrize("text", ["[1]", "{", "@missing.json"])
def test_a_state_that_is_none_is_refused(agent: Path, text: str) -> None:
    result = CliRunner().invoke(adksim, ["run", str(agent), "--state", text])

    assert result.exit_code == 2
    assert "--state" in result.output
