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
    agents = [desk, kitchen_sink_agents.build_twins_agent()]
    return lambda: AgentSimulator([kitchen_sink_agents.build_agent_config(agent, tmp_path) for agent in agents])


async def read_lanes(player: WorkbenchUser) -> list[tuple[str | None, float]]:
    """Return the level and the left edge of each row."""
    rows = await player.timeline.get_by_role("article").all()
    return [
        (await row.get_attribute("data-depth"), await row.evaluate("it => it.getBoundingClientRect().left"))
        for row in rows
    ]


async def test_an_agent_inside_a_tool_has_a_lane_under_the_call_with_what_it_says(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.start_session("desk")
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
    levels, starts = zip(*await read_lanes(player), strict=True)
    assert levels == ("0", "0", "1", "1", "0")
    assert starts[2] == starts[3] > starts[1] == starts[0]
    await expect(rows.nth(2)).to_contain_text(re.compile(r"helper.*search.*query=tea"))
    await expect(rows.nth(3)).to_contain_text(re.compile(r"says.*helper.*There is tea\."))


async def test_agents_in_parallel_branches_have_lanes_with_what_each_calls_and_says(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.start_session("twins")
    await player.send_message("Tea or milk?")
    await player.wait_for_turn()
    for name, drink in (("left", "tea"), ("right", "milk")):
        await expect(player.composer).to_contain_text(f"Your turn as {name}")
        await player.choose_tool("search")
        await player.find_field("query").fill(drink)
        await player.composer.get_by_role("button", name="Say something with the call").click()
        await player.composer.get_by_role("textbox", name="Say with the call").fill(f"I look for {drink}.")
        await player.execute()
        await expect(player.find_rows(name, "search", f"{drink}:10:int")).to_have_count(1)
    for _ in range(2):
        await player.wait_for_turn()
        name = await player.composer.get_by_role("heading").inner_text()
        await player.respond(f"Answer of {name.split()[-1]}.")
    await player.wait_until_done()
    rows = player.timeline.get_by_role("article")
    await expect(rows).to_have_count(7)
    levels, starts = zip(*await read_lanes(player), strict=True)
    assert levels == ("0", *["1"] * 6)
    assert {*starts[1:]} == {starts[1]}
    assert starts[1] > starts[0]
    for name, drink in (("left", "tea"), ("right", "milk")):
        lane = player.find_rows(name)
        for text in (f"I look for {drink}.", f"query={drink}", f"Answer of {name}."):
            await expect(lane.filter(has_text=text)).to_have_count(1)
