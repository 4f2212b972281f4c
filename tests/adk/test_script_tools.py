"""Scripts that respond as tools, where the rules let a person play them."""

from __future__ import annotations

from pathlib import Path

import pytest
from google.adk.apps import App

from adk_agent_sim import EnvironmentSimulationFactory
from adk_agent_sim.adk.demo.math_agent.agent import app
from adk_agent_sim.adk.steps.script import read_script
from adk_agent_sim.environment.rules_file import parse_rules
from adk_agent_sim.errors import InvalidScript
from adk_agent_sim.simulation.script_play import Mismatch, play_script


def _mock_math() -> App:
    rules = parse_rules("{rules: [{match: {tool: [add, multiply]}, do: {mock: human}}]}")
    return app.model_copy(update={"plugins": [EnvironmentSimulationFactory.create_plugin(rules)]})


async def _play(folder: Path, steps: str) -> list[Mismatch]:
    path = folder / "script.yaml"
    path.write_text(f"steps: [{{user: go}}, {steps}]")
    return await play_script(_mock_math(), read_script(path))


_ADD = "{call: add, args: {a: 2, b: 2}, expect: 5}"


async def test_what_the_script_returns_as_the_tool_is_what_the_model_gets(tmp_path: Path) -> None:
    right = await _play(tmp_path, f"{_ADD}, {{tool: add, args: {{a: 2, b: 2}}, returns: 5}}, {{respond: 5}}")
    wrong = await _play(tmp_path, f"{_ADD}, {{tool: add, returns: 4}}, {{respond: 4}}")
    at_the_end = await _play(tmp_path, f"{_ADD}, {{tool: add, returns: 4}}")

    of_another_type = await _play(
        tmp_path, "{call: add, args: {a: 2, b: 2}, expect: true}, {tool: add, returns: 1}, {respond: 4}"
    )

    assert right == []
    assert [mismatch.expected for mismatch in of_another_type] == [{"result": True}]
    assert (
        wrong == at_the_end == [Mismatch(where="step 2: call add (add)", expected={"result": 5}, found={"result": 4})]
    )


@pytest.mark.parametrize(
    ("steps", "expected", "found"),
    [
        ("{respond: x}", "respond", "InvalidTransition: You cannot respond now: tool 'add' must respond."),
        (
            "{tool: multiply, returns: 4}",
            "a call of multiply that waits for a person",
            "tool 'add' must respond",
        ),
        ("{tool: add, args: {a: 1, b: 2}, returns: 4}", {"args": {"a": 1, "b": 2}}, {"args": {"a": 2, "b": 2}}),
        ("{tool: add, agent: other, returns: 4}", {"agent": "other"}, {"agent": "math_agent"}),
        (
            "{tool: add, returns: four}",
            "tool add",
            "InvalidToolResult",
        ),
    ],
)
async def test_a_response_that_does_not_fit_what_waits_is_a_mismatch(
    tmp_path: Path, steps: str, expected: object, found: object
) -> None:
    (mismatch,) = await _play(tmp_path, f"{{call: add, args: {{a: 2, b: 2}}}}, {steps}")

    assert (mismatch.where.split(":")[0], mismatch.expected) == ("step 3", expected)
    assert mismatch.found == found or str(mismatch.found).startswith(f"{found}:")


async def test_a_tool_that_nobody_called_is_a_mismatch(tmp_path: Path) -> None:
    (mismatch,) = await _play(tmp_path, "{tool: add, returns: 4}")

    assert mismatch.found == "the model of 'math_agent' must decide"


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ("{tool: add}", "exactly one of returns, error, raises"),
        ("{tool: add, returns: 1, error: x}", "exactly one of returns, error, raises"),
        ("{respond: x, returns: 1}", "returns belongs to a step with `tool`"),
        ("{tool: add, error: x, message: y}", "message belongs to raises"),
        ("{tool: add, returns: 1, respond: x}", "exactly one of user, call, calls, respond, approve, deny, tool"),
    ],
)
def test_a_step_that_is_no_response_of_a_tool_is_refused(tmp_path: Path, step: str, problem: str) -> None:
    path = tmp_path / "script.yaml"
    path.write_text(f"steps: [{step}]")

    with pytest.raises(InvalidScript, match=problem):
        read_script(path)
