"""What is shown of an agent before its first turn, and of the texts that ADK adds to its instruction."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from api_client import ApiClient, serve_agents
from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.tools import BaseTool, FunctionTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
from mcp import StdioServerParameters
from pydantic import BaseModel, ConfigDict

from adk_agent_sim.timeline.framework_calls import split_instruction


class Report(BaseModel):
    """A report."""

    text: str


def delete(path: str) -> str:
    """Delete a file."""
    return path


def delete_large(size: int) -> str:
    """Delete a large file."""
    return str(size)


def is_large(size: int) -> bool:
    return size > 10


def greet(name: str) -> str:
    """Greet somebody."""
    return name


def fill_name(callback_context: CallbackContext) -> None:
    callback_context.state["name"] = "Ada"


def build_desk() -> LlmAgent:
    return LlmAgent(
        name="desk",
        description="Runs the desk.",
        model="gemini-1.5-pro",
        instruction="Help {name}.\n\nBe kind.",
        before_agent_callback=fill_name,
        output_schema=Report,
        tools=[
            greet,
            FunctionTool(delete, require_confirmation=True),
            FunctionTool(delete_large, require_confirmation=is_large),
        ],
        sub_agents=[LlmAgent(name="clerk", model="gemini-1.5-pro", description="Files papers.")],
    )


class _UndeclarableTool(BaseTool):
    """A tool whose declaration cannot be built."""

    def _get_declaration(self) -> None:
        raise ValueError("no schema for 'size'")


class _OpenFile(BaseModel):
    """An output for which there is no JSON Schema."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    file: _UndeclarableTool


class _Shelf(BaseToolset):
    """A toolset that lists its tools only when it is asked for them."""

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:
        return [FunctionTool(greet), FunctionTool(delete)]


async def _get_briefing(browser: ApiClient, session_id: str, **query: Any) -> Any:
    return await browser.get(f"/sessions/{session_id}/briefing", **query)


@pytest.mark.req("001/FR-008")
async def test_an_instruction_that_a_callback_completes_is_a_template_until_it_runs(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, build_desk()) as browser:
        session_id = await browser.start_session("desk")
        before = await _get_briefing(browser, session_id)
        await browser.send_message(session_id, "hello")
        turn = await _get_briefing(browser, session_id, turn_id=await browser.wait_for_turn(session_id))

    assert (before["instruction"], before["is_template"], before["problem"]) == ("Help {name}.\n\nBe kind.", True, "")
    assert turn["instruction"].startswith("Help Ada.\n\nBe kind.")
    assert not turn["is_template"]


async def test_the_sentences_of_adk_are_told_from_those_of_the_author(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, build_desk()) as browser:
        session_id = await browser.start_session("desk", "hello")
        turn = await _get_briefing(browser, session_id, turn_id=await browser.wait_for_turn(session_id))

    own = [part["text"] for part in turn["instruction_parts"] if not part["is_from_adk"]]
    added = "\n".join(part["text"] for part in turn["instruction_parts"] if part["is_from_adk"])
    assert own == ["Help Ada.\n\nBe kind."]
    for text in ("Your internal name is", "Agent name: clerk", "the only available agents", "set_model_response"):
        assert text in added


async def test_the_sentences_for_an_agent_with_a_parent_are_of_adk(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, build_desk()) as browser:
        session_id = await browser.start_session("desk", "hello")
        await browser.call_tools(session_id, ("transfer_to_agent", {"agent_name": "clerk"}))
        turn = await _get_briefing(browser, session_id, turn_id=await browser.wait_for_turn(session_id))

    assert turn["agent_name"] == "clerk"
    assert "transfer to your parent agent desk" in turn["instruction"]
    assert [part["is_from_adk"] for part in turn["instruction_parts"]] == [True]


@pytest.mark.req("001/FR-001")
async def test_tools_that_ask_first_and_the_transfer_are_listed_before_and_in_a_turn(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, build_desk()) as browser:
        session_id = await browser.start_session("desk")
        before = await _get_briefing(browser, session_id)
        await browser.send_message(session_id, "hello")
        turn = await _get_briefing(browser, session_id, turn_id=await browser.wait_for_turn(session_id))

    asking = {"greet": False, "delete": True, "delete_large": True, "transfer_to_agent": False}
    for briefing in (before, turn):
        assert {tool["name"]: tool["asks_for_consent"] for tool in briefing["tools"]} == asking
    by_name = [{tool["name"]: tool for tool in briefing["tools"]} for briefing in (before, turn)]
    assert by_name[0]["transfer_to_agent"] == by_name[1]["transfer_to_agent"]


@pytest.mark.req("001/FR-001")
async def test_the_tools_of_a_toolset_are_listed_before_and_in_a_turn(tmp_path: Path) -> None:
    clerk = LlmAgent(name="clerk", model="gemini-2.5-flash", tools=[greet, _Shelf(tool_name_prefix="shelf")])
    async with serve_agents(tmp_path, clerk) as browser:
        session_id = await browser.start_session("clerk")
        before = await _get_briefing(browser, session_id)
        await browser.send_message(session_id, "hello")
        turn = await _get_briefing(browser, session_id, turn_id=await browser.wait_for_turn(session_id))

    assert [tool["name"] for tool in before["tools"]] == ["greet", "shelf_greet", "shelf_delete"]
    assert list(before["tools"][2]["parameters"]["properties"]) == ["path"]
    assert before["tools"] == turn["tools"]


@pytest.mark.process
async def test_descriptions_of_an_mcp_server_are_shown_without_the_wrapper_of_adk(tmp_path: Path) -> None:
    server = Path(__file__).parents[1] / "mcp_server.py"
    parameters = StdioServerParameters(command=sys.executable, args=[str(server)], env=dict(os.environ))
    toolset = McpToolset(connection_params=StdioConnectionParams(server_params=parameters, timeout=60))
    shelf = LlmAgent(name="shelf", model="gemini-2.5-flash", tools=[toolset])
    async with serve_agents(tmp_path, shelf) as browser:
        session_id = await browser.start_session("shelf", "hello")
        turn_id = await browser.wait_for_turn(session_id)
        turn = await _get_briefing(browser, session_id, turn_id=turn_id)
        request = await browser.get(f"/sessions/{session_id}/turns/{turn_id}/request")

    assert "BEGIN_UNTRUSTED_TOOL_DESCRIPTION" in str(request["request"]["tools"])
    assert "UNTRUSTED" not in str(turn["tools"])
    assert "Put a thing on the shelf." in [tool["description"] for tool in turn["tools"]]
    assert [part["is_from_adk"] for part in turn["instruction_parts"]] == [True]


def test_an_authors_text_about_transfers_without_adks_end_is_the_authors() -> None:
    text = "You have a list of other agents to transfer to:\n\nnone.\n\nBe kind."

    assert [(section.text, section.is_from_adk) for section in split_instruction(text)] == [(text, False)]
    assert split_instruction("") == []


async def test_a_tool_whose_declaration_fails_is_the_problem(tmp_path: Path) -> None:
    agent = LlmAgent(
        name="desk",
        model="gemini-1.5-pro",
        instruction="Help.",
        output_schema=Report,
        tools=[_UndeclarableTool(name="measure", description="Measure."), greet],
    )
    async with serve_agents(tmp_path, agent) as browser:
        briefing = await _get_briefing(browser, await browser.start_session("desk"))

    assert (briefing["instruction"], briefing["problem"]) == ("Help.", "no schema for 'size'")
    assert briefing["output_schema"]["title"] == "Report"


async def test_an_output_schema_that_json_schema_cannot_express_is_the_problem(tmp_path: Path) -> None:
    agent = LlmAgent(name="desk", model="gemini-1.5-pro", output_schema=_OpenFile)
    async with serve_agents(tmp_path, agent) as browser:
        briefing = await _get_briefing(browser, await browser.start_session("desk"))

    assert briefing["problem"].startswith("Cannot generate a JsonSchema")
