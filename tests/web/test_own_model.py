"""The agent's own model helps: it suggests, and a person edits or sends; or it takes a turn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import kitchen_sink_agents
import pytest
from browser_pages import PageWatch
from playwright.async_api import Page, expect
from scripted_model import ScriptedModel, call_response, text_response
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    script = [
        call_response(("search", {"query": "tea"})),
        call_response(("search", {"query": "milk"}), ("search", {"query": "sugar"})),
        text_response("Tea, milk and sugar."),
    ]
    agents = [
        kitchen_sink_agents.build_kitchen_agent(ScriptedModel(script=script)),
        kitchen_sink_agents.build_structured_agent(),
    ]
    return lambda: AgentSimulator([kitchen_sink_agents.build_agent_config(agent, tmp_path) for agent in agents])


async def test_a_suggestion_fills_the_form_and_nothing_happens_before_it_is_sent(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.start_session("kitchen")
    await player.send_message("Tea please")
    await player.wait_for_turn()
    ask = player.composer.get_by_role("button", name="Ask the agent's own model")
    await ask.click()
    await page.get_by_role("menuitem", name="Suggest the next step").click()
    await expect(player.find_field("query")).to_have_value("tea")
    await expect(player.find_rows("search")).to_have_count(0)
    await player.find_field("query").fill("green tea")
    await player.execute()
    await player.wait_for_turn()
    await expect(player.find_rows("green tea:10:int")).to_contain_text("you")

    await ask.click()
    await page.get_by_role("menuitem", name="Suggest the next step").click()
    await expect(player.composer.get_by_role("list", name="Calls of this turn")).to_contain_text("sugar")
    await player.execute("Execute 2 calls")
    await player.wait_for_turn()

    await ask.click()
    await page.get_by_role("menuitem", name="Let the model answer").click()
    await player.wait_until_done()
    await expect(player.find_rows("answer", "Tea, milk and sugar.")).to_contain_text("model")


async def test_a_model_that_cannot_be_reached_says_why_and_the_turn_still_waits(
    page: Page, watch: PageWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"):
        monkeypatch.delenv(name, raising=False)
    watch.allow_fault("502")
    player = WorkbenchUser(page)
    await player.start_session("structured")
    await player.find_field("query").fill("tea")
    await player.composer.get_by_role("button", name="Send message").click()
    await player.wait_for_turn()
    await player.composer.get_by_role("button", name="Ask the agent's own model").click()
    await page.get_by_role("menuitem", name="Suggest the next step").click()
    await expect(player.composer.get_by_role("alert")).to_contain_text("key")
    await player.wait_for_turn()
