"""What a person does while a response is on its way is not undone by it, and neither is it ignored."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import kitchen_sink_agents
import pytest
from browser_pages import hold_requests, hold_responses
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    return lambda: AgentSimulator(
        [kitchen_sink_agents.build_agent_config(kitchen_sink_agents.build_kitchen_agent(), tmp_path)]
    )


async def test_the_next_turn_is_played_before_the_response_to_the_last_decision_arrives(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    held = await hold_responses(page, "**/decision")
    await player.call_tool("search", query="tea")
    await player.wait_for_turn()
    await player.choose_tool("search")
    await player.find_field("query").fill("coffee")
    await held.release()
    await expect(player.find_field("query")).to_have_value("coffee")
    await expect(page.get_by_role("alert")).to_have_count(0)
    await player.execute()
    await player.wait_for_turn()
    await expect(player.find_rows("call", "coffee:10:int")).to_have_count(1)
    await player.composer.get_by_role("radio", name="Send Final Response").click()
    await player.composer.get_by_role("textbox", name="Final response").fill("Here you are.")
    await page.keyboard.press("Control+Enter")
    await player.wait_until_done()
    message = player.composer.get_by_role("textbox", name="Another message")
    await message.fill("Thanks!")
    await held.release()
    await expect(message).to_have_value("Thanks!")


async def test_text_typed_while_a_message_is_sent_is_kept_for_the_next_turn(page: Page) -> None:
    player = WorkbenchUser(page)
    held = await hold_requests(page, "**/messages")
    await player.composer.get_by_role("textbox", name="Message").fill("hello")
    await page.keyboard.press("Control+Enter")
    await expect(player.composer.get_by_role("button", name="Send message")).to_be_disabled()
    await page.keyboard.type("sea")
    held.release()
    await player.wait_for_turn()
    await expect(player.composer.get_by_role("combobox", name="Find a tool")).to_have_value("sea")
    await expect(player.find_rows("hellosea")).to_have_count(0)


async def test_text_typed_while_a_turn_is_loaded_is_continued_in_its_first_field(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    loaded = await hold_requests(page, "**/briefing?*")
    await page.reload()
    await expect(player.composer).to_contain_text("Your turn as")
    await expect(player.composer).to_contain_text("Loading")
    await page.keyboard.type("sea")
    loaded.release()
    finder = player.composer.get_by_role("combobox", name="Find a tool")
    await expect(finder).to_have_value("sea")
    await expect(finder).to_be_focused()


async def test_text_typed_while_a_call_is_checked_stays_in_its_form(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.choose_tool("search")
    await player.find_field("query").fill("tea")
    held = await hold_requests(page, "**/check?*")
    await player.composer.get_by_role("button", name="Add to turn").click()
    await player.find_field("query").fill("coffee")
    held.release()
    await expect(player.composer.get_by_role("list", name="Calls of this turn")).to_contain_text("tea")
    await expect(player.find_field("query")).to_have_value("coffee")


async def test_what_is_done_beside_the_composer_is_not_undone_by_late_responses(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await page.get_by_role("button", name="Rules").click()
    chosen = page.get_by_role("region", name="Rules").get_by_label("Player of search")
    await expect(chosen).to_have_value("rules")

    # A note makes the panel ask for the rules; what it is told is older than the switch.
    rules = await hold_responses(page, "**/environment")
    notes = await hold_requests(page, "**/note")
    row = player.find_rows("hello")
    await row.hover()
    await row.get_by_role("button", name="Note: user, row 1").click()
    await page.keyboard.type("first")
    await page.keyboard.press("Control+Enter")
    await expect(row.get_by_role("button", name="Save")).to_be_disabled()
    await page.keyboard.type(" and second")
    notes.release()
    await expect(row.locator(".row-noted")).to_have_attribute("title", "first")
    await expect(row.get_by_role("textbox", name="Note on user, row 1")).to_have_value("first and second")
    await rules.wait_for_response()
    await chosen.select_option("schema")
    await rules.release()
    await expect(chosen).to_have_value("schema")

    # A session that is renamed and left in one press does not take the place of the one that was opened.
    names = await hold_responses(page, re.compile("/api/sessions/[^/]*$"))
    await page.get_by_title("Rename the session").click()
    await page.get_by_label("Name of the session").fill("Another name")
    before = page.url
    await page.get_by_role("button", name="New", exact=True).click()
    await expect(page).not_to_have_url(before)
    await expect(player.status).to_have_text("Waiting for a message")
    await names.release()
    await player.send_message("again")
    await player.wait_for_turn()
