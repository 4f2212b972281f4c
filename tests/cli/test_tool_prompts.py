"""A person who plays a tool in the terminal: what is shown, and what may be typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_agent_sim.adk.environment.environment_factory import add_environment_plugin
from adk_agent_sim.adk.loading.agent_loader import get_demo_folder, load_app
from adk_agent_sim.cli.play.prompts import ScriptedPrompts
from adk_agent_sim.cli.play.terminal import play_in_terminal

_RULES = "{rules: [{match: {tool: [add, divide]}, do: {mock: human}}]}"


async def _play(tmp_path: Path, *lines: str) -> bool:
    rules = tmp_path / "rules.yaml"
    rules.write_text(_RULES)
    app, _ = add_environment_plugin(load_app(get_demo_folder("math_agent")), rules, None)
    return await play_in_terminal(app, ScriptedPrompts(lines), tmp_path / "math.evalset.json")


async def test_a_person_is_the_model_and_the_tool_in_turn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exported = await _play(
        tmp_path,
        "What is 2+2?",
        "add a=2 b=2",
        "four",
        "4",
        "divide dividend=1 divisor=0",
        "raise ZeroDivisionError not by zero",
        "divide dividend=1 divisor=2",
        "error out of order",
        "say It is 4.",
        "/done",
    )

    shown = capsys.readouterr()
    assert exported
    assert 'You are now a tool of math_agent. It is called: add({"a": 2, "b": 2})' in shown.out
    assert "returns number" in shown.out
    assert "This cannot be parsed: it is not JSON: Expecting value. Write a JSON value" in shown.err
    assert "not by zero" in shown.out
    assert '{"error": "out of order"}' in shown.out


async def test_a_result_of_the_wrong_type_is_sent_only_after_an_exclamation_mark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await _play(tmp_path, "hi", "add a=2 b=2", '"four"', '!"four"', "say ok", "/done")

    shown = capsys.readouterr()
    assert "does not match its output schema" in shown.err
    assert "Put ! before the line to send it anyway." in shown.err
    assert "four" in shown.out


async def test_leaving_while_the_tool_waits_exports_what_is_finished(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not await _play(tmp_path, "hi", "add a=2 b=2", "/done", "/unknown", "/undo", "/quit")

    shown = capsys.readouterr()
    assert "The agent is waiting" in shown.err
    assert "There is no command /unknown for a tool" in shown.err
