"""Agents that are asked and answer in a structure, agents without tools, and agents side by side."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import kitchen_sink_agents
import pytest
from browser_pages import PageWatch
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    agents = [
        kitchen_sink_agents.build_structured_agent(),
        kitchen_sink_agents.build_talker_agent(),
        kitchen_sink_agents.build_twins_agent(),
        kitchen_sink_agents.build_broken_agent(),
    ]
    return lambda: AgentSimulator([kitchen_sink_agents.build_agent_config(agent, tmp_path) for agent in agents])


@pytest.mark.req("001/FR-010", "001/FR-015", "001/FR-016", "001/US4.1", "001/US4.2", "001/US4.3")
async def test_the_question_and_the_answer_are_forms(page: Page, watch: PageWatch, tmp_path: Path) -> None:
    watch.allow_fault("422")
    player = WorkbenchUser(page)
    await player.start_session("structured")
    await expect(player.composer).to_contain_text("What to find out")
    assert await player.composer.locator(".sf-label").all_inner_texts() == ["query", "max_results"]
    await expect(player.find_field_frame("query").locator("textarea")).to_have_count(1)
    await expect(player.find_field("max_results")).to_have_attribute("inputmode", "numeric")
    await player.find_field("query").fill("tea")
    await player.find_field("max_results").fill("3")
    await player.composer.get_by_role("button", name="Send message").click()
    await player.wait_for_turn()
    await expect(player.find_rows("user")).to_contain_text("max_results")

    await player.composer.get_by_role("radio", name="Send Final Response").click()
    for name in ("answer", "confidence"):
        await expect(player.find_field_frame(name)).to_contain_text("*")
    await player.find_field("answer").fill("Yes")
    await player.submit_response()
    await expect(player.find_field_frame("confidence")).to_contain_text("missing")
    await player.find_field("confidence").fill("1.5")
    await player.submit_response()
    await expect(player.composer).to_contain_text("1 problem")
    await player.find_field("confidence").fill("0.5")
    await player.submit_response()
    await player.wait_until_done()
    await expect(player.find_rows("answer")).to_contain_text("0.5")

    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    await page.get_by_role("dialog").get_by_role("button", name="Write the file").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Written as")
    (case,) = json.loads((tmp_path / "structured.evalset.json").read_text())["eval_cases"]
    text = case["conversation"][0]["final_response"]["parts"][0]["text"]
    assert json.loads(text) == {"answer": "Yes", "confidence": 0.5}


@pytest.mark.req("001/FR-016", "001/US4.3")
async def test_an_answer_with_a_missing_field_can_be_sent_anyway(page: Page, watch: PageWatch) -> None:
    watch.allow_fault("422")
    player = WorkbenchUser(page)
    await player.start_session("structured")
    await player.find_field("query").fill("tea")
    await player.find_field("max_results").fill("3")
    await player.composer.get_by_role("button", name="Send message").click()
    await player.wait_for_turn()

    await player.composer.get_by_role("radio", name="Send Final Response").click()
    await player.find_field("answer").fill("Yes")
    await player.submit_response()
    await expect(player.find_field_frame("confidence")).to_contain_text("missing")
    await expect(player.find_rows("answer")).to_have_count(0)
    await player.composer.get_by_role("button", name="Send anyway").click()
    await player.wait_until_done()
    await expect(player.find_rows("answer")).to_contain_text("Yes")


@pytest.mark.req("001/edge-empty-tools")
async def test_an_agent_without_tools_can_answer(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.start_session("talker")
    await player.send_message("hello")
    await player.wait_for_turn()
    await expect(player.composer).to_contain_text("This agent has no tools")
    await player.composer.get_by_role("textbox", name="Final response").fill("Hello!")
    await player.submit_response()
    await player.wait_until_done()


async def test_agents_that_run_side_by_side_are_played_in_their_order(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.start_session("twins")
    await player.send_message("hello")
    await player.wait_for_turn()
    await expect(player.composer).to_contain_text("1 more turn waits")
    for name in ("left", "right"):
        await expect(player.composer).to_contain_text(f"Your turn as {name}")
        await player.respond(f"I am {name}.")
    await player.wait_until_done()
    await expect(player.find_rows("answer", "I am right.")).to_contain_text("right")


async def test_tools_that_do_not_load_are_told_before_and_in_the_session(page: Page) -> None:
    await expect(page.get_by_role("article", name="broken")).to_contain_text("refused the connection")
    player = WorkbenchUser(page)
    await player.start_session("broken")
    await page.get_by_role("tab", name="Tools").click()
    await expect(page.get_by_role("tabpanel")).to_contain_text("refused the connection")
    await player.send_message("hello")
    await expect(player.status).to_have_text("Failed")
    await expect(player.composer.get_by_role("alert")).to_contain_text("refused the connection")
    await expect(player.timeline.locator("[data-kind=error]")).to_contain_text("refused the connection")
