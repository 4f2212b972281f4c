"""Calls of tools that are not offered, as a model could hallucinate them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import kitchen_sink_agents
import pytest
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    return lambda: AgentSimulator(
        [kitchen_sink_agents.build_agent_config(kitchen_sink_agents.build_kitchen_agent(), tmp_path)]
    )


async def invent_tool(page: Page, name: str, arguments: str) -> WorkbenchUser:
    """Choose a tool that is not offered, and write its arguments as JSON."""
    player = WorkbenchUser(page)
    await player.composer.get_by_role("combobox", name="Find a tool").fill(name)
    await player.composer.get_by_role("option", name=f"Call {name} although it is not offered").click()
    await player.composer.get_by_label("JSON", exact=True).fill(arguments)
    return player


async def test_a_tool_that_is_not_offered_is_called_and_its_row_is_marked(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await invent_tool(page, "make_tea", '{"cups": 2}')
    await expect(player.composer).to_contain_text("not offered")
    await player.execute()
    row = player.find_rows("make_tea", "unknown tool")
    await expect(row).to_contain_text("cups=2")
    await expect(row).not_to_contain_text("sent anyway")
    await expect(row).to_have_attribute("data-status", "failed")


async def test_a_collected_call_of_no_tool_does_not_hide_what_is_wrong_in_the_form(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await invent_tool(page, "make_tea", "{}")
    await player.composer.get_by_role("button", name="Add to turn").click()
    await expect(player.composer.get_by_role("list", name="Calls of this turn")).to_contain_text("make_tea")
    await player.choose_tool("search")
    await player.execute("Execute 2 calls")
    await expect(player.composer.get_by_role("button", name="1 problem")).to_be_visible()
    await expect(player.find_rows("call")).to_have_count(0)
