"""Agents that are asked and answer in a structure, agents without tools, and agents side by side."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import kitchen
import pytest
from browser import Watch
from playing import Player
from playwright.async_api import Page, expect

from adk_agent_sim import AgentSimulator


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    agents = [kitchen.structured(), kitchen.talker(), kitchen.twins(), kitchen.broken()]
    return lambda: AgentSimulator([kitchen.config(agent, tmp_path) for agent in agents])


@pytest.mark.req("001/FR-010", "001/FR-015", "001/FR-016", "001/US4.1", "001/US4.2", "001/US4.3")
async def test_the_question_and_the_answer_are_forms(page: Page, watch: Watch, tmp_path: Path) -> None:
    watch.allow("422")
    player = Player(page)
    await player.choose("structured")
    await expect(player.composer).to_contain_text("What to find out")
    assert await player.composer.locator(".sf-label").all_inner_texts() == ["query", "max_results"]
    await expect(player.frame("query").locator("textarea")).to_have_count(1)
    await expect(player.field("max_results")).to_have_attribute("inputmode", "numeric")
    await player.field("query").fill("tea")
    await player.field("max_results").fill("3")
    await player.composer.get_by_role("button", name="Send message").click()
    await player.my_turn()
    await expect(player.row("user")).to_contain_text("max_results")

    await player.composer.get_by_role("radio", name="Send Final Response").click()
    for name in ("answer", "confidence"):
        await expect(player.frame(name)).to_contain_text("*")
    await player.field("answer").fill("Yes")
    await player.send_answer()
    await expect(player.frame("confidence")).to_contain_text("missing")
    await player.field("confidence").fill("1.5")
    await player.send_answer()
    await expect(player.composer).to_contain_text("1 problem")
    await player.field("confidence").fill("0.5")
    await player.send_answer()
    await player.done()
    await expect(player.row("answer")).to_contain_text("0.5")

    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    await page.get_by_role("dialog").get_by_role("button", name="Write the case").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Written as")
    (case,) = json.loads((tmp_path / "structured.evalset.json").read_text())["eval_cases"]
    text = case["conversation"][0]["final_response"]["parts"][0]["text"]
    assert json.loads(text) == {"answer": "Yes", "confidence": 0.5}


@pytest.mark.req("001/edge-empty-tools")
async def test_an_agent_without_tools_can_answer(page: Page) -> None:
    player = Player(page)
    await player.choose("talker")
    await player.say("hello")
    await player.my_turn()
    await expect(player.composer).to_contain_text("This agent has no tools")
    await player.composer.get_by_role("textbox", name="Final response").fill("Hello!")
    await player.send_answer()
    await player.done()


async def test_agents_that_run_side_by_side_are_played_in_their_order(page: Page) -> None:
    player = Player(page)
    await player.choose("twins")
    await player.say("hello")
    await player.my_turn()
    await expect(player.composer).to_contain_text("1 more turn waits")
    for name in ("left", "right"):
        await expect(player.composer).to_contain_text(f"Your turn as {name}")
        await player.answer(f"I am {name}.")
    await player.done()
    await expect(player.row("answer", "I am right.")).to_contain_text("right")


async def test_tools_that_do_not_load_are_told_before_and_in_the_session(page: Page) -> None:
    await expect(page.get_by_role("article", name="broken")).to_contain_text("refused the connection")
    player = Player(page)
    await player.choose("broken")
    await page.get_by_role("tab", name="Tools").click()
    await expect(page.get_by_role("tabpanel")).to_contain_text("refused the connection")
    await player.say("hello")
    await expect(player.status).to_have_text("Failed")
    await expect(player.composer.get_by_role("alert")).to_contain_text("refused the connection")
    await expect(player.timeline.locator("[data-kind=error]")).to_contain_text("refused the connection")
