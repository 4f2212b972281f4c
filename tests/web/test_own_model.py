"""The agent's own model helps: it suggests, and a person edits or sends; or it takes a turn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import kitchen
import pytest
from browser import Watch
from playing import Player
from playwright.async_api import Page, expect
from scripted import ScriptedModel, calls, says

from adk_agent_sim import AgentSimulator


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    script = [
        calls(("search", {"query": "tea"})),
        calls(("search", {"query": "milk"}), ("search", {"query": "sugar"})),
        says("Tea, milk and sugar."),
    ]
    agents = [kitchen.kitchen(ScriptedModel(script=script)), kitchen.structured()]
    return lambda: AgentSimulator([kitchen.config(agent, tmp_path) for agent in agents])


async def test_a_suggestion_fills_the_form_and_nothing_happens_before_it_is_sent(page: Page) -> None:
    player = Player(page)
    await player.choose("kitchen")
    await player.say("Tea please")
    await player.my_turn()
    ask = player.composer.get_by_role("button", name="Ask the agent's own model")
    await ask.click()
    await page.get_by_role("menuitem", name="Suggest the next step").click()
    await expect(player.field("query")).to_have_value("tea")
    await expect(player.row("search")).to_have_count(0)
    await player.field("query").fill("green tea")
    await player.execute()
    await player.my_turn()
    await expect(player.row("green tea:10:int")).to_contain_text("you")

    await ask.click()
    await page.get_by_role("menuitem", name="Suggest the next step").click()
    await expect(player.composer.get_by_role("list", name="Calls of this turn")).to_contain_text("sugar")
    await player.composer.get_by_role("button", name="Execute 2 calls").click()
    await player.my_turn()

    await ask.click()
    await page.get_by_role("menuitem", name="Let the model answer").click()
    await player.done()
    await expect(player.row("answer", "Tea, milk and sugar.")).to_contain_text("model")


async def test_a_model_that_cannot_be_reached_says_why_and_the_turn_still_waits(
    page: Page, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"):
        monkeypatch.delenv(name, raising=False)
    watch.allow("502")
    player = Player(page)
    await player.choose("structured")
    await player.field("query").fill("tea")
    await player.composer.get_by_role("button", name="Send message").click()
    await player.my_turn()
    await player.composer.get_by_role("button", name="Ask the agent's own model").click()
    await page.get_by_role("menuitem", name="Suggest the next step").click()
    await expect(player.composer.get_by_role("alert")).to_contain_text("key")
    await player.my_turn()
