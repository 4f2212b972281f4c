"""Scripts that answer what a paused agent asks its user for."""

from __future__ import annotations

from pathlib import Path

import pytest
from google.adk.apps import App
from pausing_agents import build_credential_app, build_trip_app

from adk_agent_sim.adk.steps.script import read_script
from adk_agent_sim.simulation.script_play import Mismatch, play_script

_WEATHER = """
steps:
  - user: How is Rome?
  - {call: get_weather, args: {city: Rome}}
  - STEP
  - respond: Sunny
"""


async def _play(app: App, text: str, tmp_path: Path) -> list[Mismatch]:
    path = tmp_path / "script.yaml"
    path.write_text(text)
    return await play_script(app, read_script(path), tmp_path / "case.evalset.json")


@pytest.mark.parametrize("step", ["sign_in: true", "answer: {username: ada, password: sesame-77}"])
async def test_a_credential_is_given_or_simulated(tmp_path: Path, step: str) -> None:
    assert await _play(build_credential_app("m", "basic"), _WEATHER.replace("STEP", step), tmp_path) == []
    assert b"sesame" not in _read(tmp_path / "case.evalset.json")


async def test_an_answer_that_does_not_match_is_a_mismatch_without_its_values(tmp_path: Path) -> None:
    script = _WEATHER.replace("STEP", "answer: {api_key: sesame-77}")
    (mismatch,) = await _play(build_credential_app("m", "basic"), script, tmp_path)
    assert mismatch.where == "step 3: answer"
    assert "give texts for username, password" in str(mismatch.found)
    assert "sesame" not in repr(mismatch)


async def test_an_answer_that_nobody_asked_for_is_a_mismatch(tmp_path: Path) -> None:
    script = "steps: [{user: hello}, {sign_in: true}]"
    (mismatch,) = await _play(build_trip_app(), script, tmp_path)
    assert "You cannot sign in now: the user must give the input that was asked for" in str(mismatch.found)


def _read(path: Path) -> bytes:
    return path.read_bytes()
