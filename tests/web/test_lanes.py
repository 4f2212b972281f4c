"""Agents inside tools and in parallel branches: their rows are indented under the call that started them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import kitchen_sink_agents
import pytest
from google.adk.agents import LlmAgent
from google.adk.tools.agent_tool import AgentTool
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    helper = LlmAgent(name="helper", model="gemini-2.5-flash", description="Helps.", tools=[kitchen_sink_agents.search])
    desk = LlmAgent(name="desk", model="gemini-2.5-flash", tools=[AgentTool(agent=helper)])
    return lambda: AgentSimulator([kitchen_sink_agents.build_agent_config(desk, tmp_path)])


async def test_an_agent_inside_a_tool_has_a_lane_under_the_call_with_what_it_says(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Tea please")
    await player.wait_for_turn()
    await player.call_tool("helper", request="Find tea")
    await player.wait_for_turn()
    await expect(player.composer).to_contain_text("Your turn as helper")
    await player.call_tool("search", query="tea")
    await player.wait_for_turn()
    await player.respond("There is tea.")
    await expect(player.composer).to_contain_text("Your turn as desk")
    await player.respond("Done.")
    await player.wait_until_done()
    rows = player.timeline.get_by_role("article")
    await expect(rows).to_have_count(5)
    levels = [await row.get_attribute("data-depth") for row in await rows.all()]
    assert levels == ["0", "0", "1", "1", "0"]
    await expect(rows.nth(2)).to_contain_text(re.compile(r"helper.*search.*query=tea"))
    await expect(rows.nth(3)).to_contain_text(re.compile(r"says.*helper.*There is tea\."))
    starts = [await row.evaluate("it => it.getBoundingClientRect().left") for row in await rows.all()]
    assert starts[2] == starts[3] > starts[1] == starts[0]
