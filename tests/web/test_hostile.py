"""Text from models, tools and files is hostile: it is shown, and nothing else happens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import kitchen
import pytest
from google.adk.agents import LlmAgent
from playing import Player
from playwright.async_api import Page, expect

from adk_agent_sim import AgentSimulator


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    agent = LlmAgent(
        name="victim",
        model="gemini-2.5-flash",
        description=kitchen.HOSTILE,
        instruction=kitchen.HOSTILE,
        tools=[kitchen.hostile],
    )
    return lambda: AgentSimulator([kitchen.config(agent, tmp_path)])


async def test_hostile_text_stays_text_wherever_it_is_shown(page: Page) -> None:
    player = Player(page)
    await expect(page.get_by_role("tabpanel")).to_contain_text("<script>")
    await player.say(kitchen.HOSTILE)
    await player.my_turn()
    await player.call("hostile")
    await player.my_turn()
    await player.answer(kitchen.HOSTILE)
    await player.done()
    await player.timeline.get_by_role("button", name="Expand all").click()
    await expect(player.timeline.locator(".row-foot").first).to_be_visible()
    for tab in ("Tools", "Request"):
        await page.get_by_role("tab", name=tab).click()
        await expect(page.get_by_role("tabpanel")).not_to_be_empty()
    assert await page.title() != "owned"
    for dangerous in ("img[src*='example']", "iframe", "a[href^='javascript']", "a[href*='example']", "body style"):
        await expect(page.locator(dangerous)).to_have_count(0)
