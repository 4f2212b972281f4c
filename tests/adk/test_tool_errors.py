from __future__ import annotations

from typing import Any

import pytest
from fidelity_runs import FidelityTurn, run_with_scripted_model
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm
from google.adk.tools import BaseTool, ToolContext
from scripted_model import call_response, text_response

from adk_agent_sim import ToolErrorPlugin


def fail() -> None:
    """Fail."""
    raise LookupError("nothing there")


def _app(model: BaseLlm, **fields: Any) -> App:
    agent = LlmAgent(name="failing", model=model, tools=[fail], **fields)
    return App(name="failing", root_agent=agent, plugins=[ToolErrorPlugin()])


_TURNS = [FidelityTurn("go", [call_response(("fail", {})), text_response("it failed")])]


async def _answer(**fields: Any) -> Any:
    outcome = await run_with_scripted_model(lambda model: _app(model, **fields), _TURNS)
    return outcome.events[2]["content"]["parts"][0]["function_response"]["response"]


async def test_on_a_plain_runner_a_tool_that_raises_becomes_an_answer() -> None:
    assert await _answer() == {"error": {"type": "LookupError", "message": "nothing there"}}


async def test_without_it_the_run_ends() -> None:
    def make(model: BaseLlm) -> App:
        return _app(model).model_copy(update={"plugins": []})

    with pytest.raises(LookupError, match="nothing there"):
        await run_with_scripted_model(make, _TURNS)


def _by_name(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext, error: Exception) -> dict[str, Any]:
    return {"handled": f"{tool.name}: {error}"}


async def _by_position(a: BaseTool, b: dict[str, Any], c: ToolContext, d: Exception) -> dict[str, Any]:
    return {"handled": f"{a.name}: {d}"}


def _pass(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext, error: Exception) -> None:
    return None


@pytest.mark.parametrize("callback", [_by_name, _by_position, [_pass, _by_name]])
async def test_the_agents_own_callback_is_asked_first(callback: Any) -> None:
    assert await _answer(on_tool_error_callback=callback) == {"handled": "fail: nothing there"}


async def test_a_callback_that_passes_leaves_it_to_the_plugin() -> None:
    assert await _answer(on_tool_error_callback=_pass) == {"error": {"type": "LookupError", "message": "nothing there"}}
