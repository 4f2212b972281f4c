"""The terminal where the agent asks the user for input or for a credential."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.tools import FunctionTool
from pausing_agents import build_code_app, build_consent_node_app, build_credential_app, build_trip_app

from adk_agent_sim.cli.play.prompts import ScriptedPrompts
from adk_agent_sim.cli.play.terminal import play_in_terminal

SECRET = "sk-live-Zq81mQ0vXe"  # noqa: S105 - a made-up one


async def _play(app: App, lines: Sequence[str], tmp_path: Path) -> bool:
    return await play_in_terminal(app, ScriptedPrompts(lines), tmp_path / "case.evalset.json")


async def test_input_is_typed_by_the_schema_of_the_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["hello", "nowhere", "nights=2", "city=Rome nights=2", "/done"]
    assert await _play(build_trip_app(), lines, tmp_path)
    printed = capsys.readouterr()
    assert "The agent asks for input" in printed.out
    assert "Where to?" in printed.out
    assert "expects {city: text, nights: int}" in printed.out
    assert "This cannot be parsed: it is not JSON: Expecting value. Write a JSON value" in printed.err
    assert "city: is required" in printed.err
    assert "Booked {'city': 'Rome', 'nights': 2}" in printed.out


async def test_a_text_is_taken_as_it_is_typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert await _play(build_code_app(), ["hello", "0815", "/done"], tmp_path)
    assert "Booked '0815'" in capsys.readouterr().out


@pytest.mark.parametrize(("typed", "given"), [("yes", True), ("n", False), ("False", False), ("true", True)])
async def test_a_truth_value_is_typed_as_people_say_it(
    typed: str, given: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await _play(build_consent_node_app(), ["hello", "perhaps", "5", typed, "/done"], tmp_path)
    printed = capsys.readouterr()
    assert "Write true or false; yes and no also work." in printed.err
    assert "must be true or false" in printed.err
    assert f"Booked {given}" in printed.out


@pytest.mark.parametrize(("typed", "is_wiped"), [("y", True), ("YES", True), ("n", False), ("no", False)])
async def test_consent_is_given_or_refused_by_one_letter(
    typed: str, is_wiped: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wiped: list[str] = []

    def wipe(path: str) -> str:
        """Delete a file."""
        wiped.append(path)
        return "gone"

    agent = LlmAgent(name="cleaner", model="none", tools=[FunctionTool(wipe, require_confirmation=True)])
    lines = ["hello", "wipe path=/tmp/x", "perhaps", typed, "say Done", "/done"]

    assert await _play(App(name="cleaner", root_agent=agent), lines, tmp_path)

    printed = capsys.readouterr()
    assert "Answer yes or no." in printed.err
    asked, answered = printed.out.split(f"yes/no> {typed}")
    assert bool(wiped) == is_wiped
    assert "\n  answer" not in asked
    assert "answer  Done" in answered


async def test_a_credential_is_typed_without_being_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["hello", "get_weather city=Rome", "", "ada", SECRET, "say Sunny", "/done"]
    assert await _play(build_credential_app("m", "basic"), lines, tmp_path)
    printed = capsys.readouterr()
    assert "asks for a credential: User name and password" in printed.out
    assert "username>" in printed.out
    assert f'"secret_length": {len(SECRET)}' in printed.out
    assert SECRET not in printed.out + printed.err


async def test_a_sign_in_is_simulated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["hello", "get_weather city=Rome", "sign in", "say Sunny", "/done"]
    assert await _play(build_credential_app("m", "oauth"), lines, tmp_path)
    printed = capsys.readouterr()
    assert "sign in at https://login.example/auth?" in printed.out
    assert f'"secret_length": {len("simulated-access-token")}' in printed.out
