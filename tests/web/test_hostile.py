"""Text from models, tools and files is hostile: it is shown, and nothing else happens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import kitchen_sink_agents
import pytest
from google.adk.agents import LlmAgent
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    agent = LlmAgent(
        name="victim",
        model="gemini-2.5-flash",
        description=kitchen_sink_agents.HOSTILE,
        instruction=kitchen_sink_agents.HOSTILE,
        tools=[kitchen_sink_agents.hostile],
    )
    return lambda: AgentSimulator([kitchen_sink_agents.build_agent_config(agent, tmp_path)])


async def test_hostile_text_stays_text_wherever_it_is_shown(page: Page) -> None:
    player = WorkbenchUser(page)
    await expect(page.get_by_role("tabpanel")).to_contain_text("<script>")
    await player.send_message(kitchen_sink_agents.HOSTILE)
    await player.wait_for_turn()
    await player.call_tool("hostile")
    await player.wait_for_turn()
    await player.respond(kitchen_sink_agents.HOSTILE)
    await player.wait_until_done()
    await player.timeline.get_by_role("button", name="Expand all").click()
    await expect(player.timeline.locator(".row-foot").first).to_be_visible()
    for tab in ("Tools", "Request"):
        await page.get_by_role("tab", name=tab).click()
        await expect(page.get_by_role("tabpanel")).not_to_be_empty()
    assert await page.title() != "owned"
    for dangerous in ("img[src*='example']", "iframe", "a[href^='javascript']", "a[href*='example']", "body style"):
        await expect(page.locator(dangerous)).to_have_count(0)
