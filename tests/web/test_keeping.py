"""Nothing is lost: reloads, second tabs, two people at one turn, a server that goes away."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import kitchen_sink_agents
import pytest
import workbench_server
from browser_pages import OpenPage, PageWatch, hold_requests
from playwright.async_api import Browser, Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    return lambda: AgentSimulator(
        [kitchen_sink_agents.build_agent_config(kitchen_sink_agents.build_kitchen_agent(), tmp_path)]
    )


@pytest.mark.req("001/edge-abandonment")
async def test_a_reload_keeps_the_session_and_what_is_half_typed(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.composer.get_by_role("textbox", name="Message").fill("Half a mess")
    await page.reload()
    await expect(player.composer.get_by_role("textbox", name="Message")).to_have_value("Half a mess")
    await player.send_message("Do something")
    await player.wait_for_turn()
    await player.choose_tool("search")
    await player.find_field("query").fill("tea")
    await player.find_field("limit").fill("12a")
    await page.reload()
    await player.wait_for_turn()
    await expect(player.find_field("query")).to_have_value("tea")
    await expect(player.find_field("limit")).to_have_value("12a")
    await expect(player.find_rows("Do something")).to_have_count(1)
    await player.composer.get_by_role("radio", name="Send Final Response").click()
    await player.composer.get_by_role("textbox", name="Final response").fill("So far")
    await page.reload()
    await expect(player.composer.get_by_role("textbox", name="Final response")).to_have_value("So far")


@pytest.mark.req("001/edge-abandonment")
async def test_a_page_that_is_opened_after_the_last_was_closed_has_the_session(page: Page, open_page: OpenPage) -> None:
    await WorkbenchUser(page).send_message("Do something")
    await WorkbenchUser(page).wait_for_turn()
    address = page.url
    await page.close()
    player = WorkbenchUser(await open_page(address))
    await player.wait_for_turn()
    await player.respond("Still here.")
    await player.wait_until_done()
    await expect(player.find_rows("Do something")).to_have_count(1)
    await expect(player.find_rows("answer", "Still here.")).to_have_count(1)


async def test_a_second_tab_follows(page: Page, open_page: OpenPage) -> None:
    one = WorkbenchUser(page)
    await expect(one.status).to_have_text("Waiting for a message")
    other = WorkbenchUser(await open_page(page.url))
    await one.send_message("Do something")
    await other.wait_for_turn()
    await other.call_tool("search", query="tea")
    await expect(one.find_rows("tea:10:int")).to_have_count(1)
    await one.respond("Found.")
    await other.wait_until_done()
    await expect(other.find_rows("answer", "Found.")).to_have_count(1)


async def test_of_two_answers_to_one_turn_the_first_wins_and_the_second_is_told(
    page: Page, open_page: OpenPage, watch: PageWatch
) -> None:
    watch.allow_fault("409")
    one = WorkbenchUser(page)
    await one.send_message("Do something")
    await one.wait_for_turn()
    second = await open_page(page.url)
    other = WorkbenchUser(second)
    await other.wait_for_turn()
    await other.composer.get_by_role("radio", name="Send Final Response").click()
    await other.composer.get_by_role("textbox", name="Final response").fill("Mine")
    # The other tab has not heard of it yet when it sends.
    held = await hold_requests(second, "**/decision")
    await other.submit_response()
    await held.wait_for_request()
    await one.respond("First")
    await one.wait_until_done()
    held.release()
    await expect(other.composer.get_by_role("alert")).to_contain_text("can be decided only once")
    await expect(other.find_rows("answer", "First")).to_have_count(1)


async def test_a_server_that_goes_away_is_told_and_come_back_to(
    browser: Browser, simulator: Callable[[], AgentSimulator]
) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    player = WorkbenchUser(page)
    async with workbench_server.run_workbench(simulator) as server:
        await page.goto(server.url)
        await player.send_message("Do something")
        await player.wait_for_turn()
        await player.choose_tool("search")
        await player.find_field("query").fill("tea")
    await expect(page.get_by_role("alert").first).to_contain_text("Lost the connection to the server")
    await expect(player.find_field("query")).to_have_value("tea")
    await player.execute()
    await expect(player.composer.get_by_role("alert")).to_contain_text("does not respond")
    await expect(player.find_field("query")).to_have_value("tea")
    await context.close()


async def test_a_session_that_is_not_there_says_so(page: Page, open_page: OpenPage) -> None:
    await expect(WorkbenchUser(page).status).to_be_visible()
    lost = await open_page(re.sub(r"/sessions/.*", "/sessions/nowhere", page.url))
    await expect(lost.get_by_role("button", name="Choose an agent")).to_be_visible()
    await lost.get_by_role("button", name="Choose an agent").click()
    await expect(lost.get_by_role("article", name="kitchen")).to_be_visible()


async def test_new_sessions_names_and_the_list(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Do something")
    await player.wait_for_turn()
    await page.get_by_title("Rename the session").click()
    await page.get_by_label("Name of the session").fill("Tea time")
    await page.keyboard.press("Enter")
    await expect(page.get_by_title("Rename the session")).to_have_text("Tea time")
    await page.get_by_role("banner").get_by_role("button", name="New").click()
    await expect(player.status).to_have_text("Waiting for a message")
    await page.locator(".agent-menu").click()
    await page.get_by_role("menuitem", name="All sessions").click()
    await expect(page.get_by_role("row")).to_have_count(3)
    await page.get_by_label("Find a session").fill("tea")
    await expect(page.get_by_role("row")).to_have_count(2)
    await page.get_by_role("link", name="Tea time").click()
    await player.wait_for_turn()
