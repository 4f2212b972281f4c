"""While tools run: the time they take, cancelling one, stopping all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import kitchen_sink_agents
import pytest
from browser_pages import hold_requests
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator

_DURATION = re.compile(r"<1 ms|\d{1,3} ms|\d{1,2}\.\d s|\d{1,2} min \d{1,2} s")


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    return lambda: AgentSimulator(
        [kitchen_sink_agents.build_agent_config(kitchen_sink_agents.build_kitchen_agent(), tmp_path)]
    )


@pytest.mark.req("001/FR-032", "001/FR-033")
@pytest.mark.parametrize("tool", ["wait_for_ever", "block_for_ever"])
async def test_a_running_call_shows_its_time_and_can_be_cancelled(page: Page, tool: str) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Wait")
    await player.wait_for_turn()
    await player.call_tool(tool)
    await expect(player.status).to_contain_text("Running")
    row = player.find_rows(tool)
    timer = row.get_by_role("timer")
    first = await timer.inner_text()
    await expect(timer).not_to_have_text(first)
    for text in (first, await timer.inner_text()):
        assert _DURATION.fullmatch(text), text
    await row.get_by_role("button", name="Cancel").click()
    await player.wait_for_turn()
    await expect(row).to_contain_text("cancelled")
    await player.respond("I stopped waiting.")
    await player.wait_until_done()


async def test_text_that_is_typed_while_a_tool_runs_goes_into_the_next_field(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Wait")
    await player.wait_for_turn()
    await player.call_tool("wait_for_ever")
    ahead = player.composer.get_by_role("textbox", name="Type ahead")
    await expect(ahead).to_be_focused()
    await page.keyboard.type("sear")
    await page.reload()
    await expect(ahead).to_have_value("sear")
    await player.find_rows("wait_for_ever").get_by_role("button", name="Cancel").click()
    await player.wait_for_turn()
    finder = player.composer.get_by_role("combobox", name="Find a tool")
    await expect(finder).to_have_value("sear")
    await page.keyboard.type("ch")
    await expect(finder).to_have_value("search")


async def test_text_that_is_typed_after_execute_is_kept_until_it_is_sent(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Wait")
    await player.wait_for_turn()
    await player.choose_tool("wait_for_ever")
    await player.find_field("name").fill("one")
    held = await hold_requests(page, "**/decision")
    await page.keyboard.press("Control+Enter")
    await held.wait_for_request()
    await page.keyboard.type("Tea is ")  # the decision has not arrived yet
    held.release()
    ahead = player.composer.get_by_role("textbox", name="Type ahead")
    await expect(ahead).to_have_value("Tea is ")
    await expect(ahead).to_be_focused()
    await page.keyboard.type("on its ")  # the tool is running
    row = player.find_rows("wait_for_ever", "name=one")
    await row.get_by_role("button", name="Cancel").click()
    finder = player.composer.get_by_role("combobox", name="Find a tool")
    await expect(finder).to_have_value("Tea is on its ")
    await page.keyboard.type("way.")
    await page.keyboard.press("Control+.")
    await expect(player.composer.get_by_role("textbox", name="Final response")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(finder).to_have_value("Tea is on its way.")
    await player.composer.get_by_role("button", name="Use the text as the final response").click()
    await expect(player.composer.get_by_role("textbox", name="Final response")).to_have_value("Tea is on its way.")
    await player.submit_response()
    await player.wait_until_done()
    await expect(player.find_rows("answer", "Tea is on its way.")).to_have_count(1)


async def test_calls_that_run_side_by_side_are_cancelled_one_by_one(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Wait")
    await player.wait_for_turn()
    for name in ("one", "two"):
        await player.choose_tool("wait_for_ever")
        await player.find_field("name").fill(name)
        await player.composer.get_by_role("button", name="Add to turn").click()
    await player.execute("Execute 2 calls")
    await expect(player.composer.get_by_role("timer")).to_have_count(2)
    await player.find_rows("name=one").get_by_role("button", name="Cancel").click()
    await expect(player.find_rows("name=one")).to_contain_text("cancelled")
    await expect(player.find_rows("name=two").get_by_role("timer")).to_be_visible()
    await player.composer.get_by_role("button", name="Cancel wait_for_ever").click()
    await player.wait_for_turn()


async def stop_run(page: Page) -> None:
    """Stop the run with the button in the header, and confirm it."""
    await page.get_by_role("banner").get_by_role("button", name="Stop", exact=True).click()
    await page.get_by_role("dialog").get_by_role("button", name="Stop the run").click()
    await expect(WorkbenchUser(page).status).to_have_text("Stopped")


async def test_the_whole_run_can_be_stopped_and_the_session_goes_on(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Wait")
    await player.wait_for_turn()
    await player.call_tool("wait_for_ever")
    await stop_run(page)
    await expect(page.get_by_role("banner").get_by_role("button", name="Export")).to_be_disabled()
    await player.send_message("Again")
    await player.wait_for_turn()
    await player.respond("Here I am.")
    await player.wait_until_done()


async def test_stop_asks_first_and_enter_keeps_the_run(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Wait")
    await player.wait_for_turn()
    await player.call_tool("wait_for_ever")
    await page.get_by_role("banner").get_by_role("button", name="Stop", exact=True).click()
    await expect(page.get_by_role("dialog")).to_contain_text("The running tools are cancelled")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog")).to_be_hidden()
    await player.find_rows("wait_for_ever").get_by_role("button", name="Cancel").click()
    await player.wait_for_turn()


async def test_a_double_click_on_execute_executes_once_and_stops_nothing(page: Page, tmp_path: Path) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Wait")
    await player.wait_for_turn()
    await player.choose_tool("wait_for_ever")
    await player.composer.get_by_role("button", name="Execute").dblclick()
    row = player.find_rows("wait_for_ever")
    await expect(row.get_by_role("timer")).to_be_visible()
    await row.get_by_role("button", name="Cancel").click()
    await expect(player.status).to_have_text("Your turn")
    # A message is half typed for later: the second click must not send it.
    key = f"adksim:draft:{page.url.rpartition('/')[2]}"
    await page.evaluate("key => localStorage.setItem(key, JSON.stringify({message: 'Unsent'}))", key)
    await page.reload()
    await player.composer.get_by_role("radio", name="Send Final Response").click()
    await player.composer.get_by_role("textbox", name="Final response").fill("Done.")
    await player.composer.get_by_role("button", name="Send Final Response").dblclick()
    await player.wait_until_done()
    await expect(player.composer.get_by_role("textbox", name="Another message")).to_have_value("Unsent")
    await expect(player.find_rows("user")).to_have_count(1)
    await player.export_session()
    (case,) = json.loads((tmp_path / "kitchen.evalset.json").read_text())["eval_cases"]
    assert [call["name"] for call in case["conversation"][0]["intermediate_data"]["tool_uses"]] == ["wait_for_ever"]


@pytest.mark.req("001/FR-020")
async def test_the_turns_that_were_answered_before_a_stopped_run_are_exported(page: Page, tmp_path: Path) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.respond("Hello!")
    await player.wait_until_done()
    await player.send_message("Wait")
    await player.wait_for_turn()
    await player.call_tool("wait_for_ever")
    await stop_run(page)
    await expect(page.get_by_role("banner").get_by_role("button", name="Export")).to_have_attribute(
        "title", "Export the answered turns; the one that was stopped is left out"
    )
    dialog = await player.export_session()
    await expect(dialog).to_contain_text("user turn 2 ('Wait') was left out")
    (case,) = json.loads((tmp_path / "kitchen.evalset.json").read_text())["eval_cases"]
    assert [turn["user_content"]["parts"][0]["text"] for turn in case["conversation"]] == ["hello"]


@pytest.mark.req("001/FR-020")
async def test_the_turns_that_were_answered_before_a_waiting_one_are_exported(page: Page, tmp_path: Path) -> None:
    player = WorkbenchUser(page)
    export = page.get_by_role("banner").get_by_role("button", name="Export")
    await player.send_message("hello")
    await player.wait_for_turn()
    await expect(export).to_be_disabled()
    await expect(export).to_have_attribute("title", "Send the final response first")
    await player.respond("Hello!")
    await player.wait_until_done()
    await player.send_message("Wait")
    await player.wait_for_turn()
    await expect(export).to_have_attribute(
        "title", "Export the answered turns; the one that is not answered yet is left out"
    )
    await export.click()
    dialog = page.get_by_role("dialog")
    left_out = "user turn 2 ('Wait') was left out: it has no final response yet"
    await expect(dialog.get_by_role("region", name="Left out")).to_contain_text(left_out)
    await dialog.get_by_role("button", name="Write the file").click()
    await expect(dialog).to_contain_text("Written as")
    await expect(dialog.get_by_role("region", name="Left out")).to_contain_text(left_out)
    (case,) = json.loads((tmp_path / "kitchen.evalset.json").read_text())["eval_cases"]
    assert [turn["user_content"]["parts"][0]["text"] for turn in case["conversation"]] == ["hello"]
    await dialog.get_by_role("button", name="Close", exact=True).click()
    await player.respond("I wait.")
    await player.wait_until_done()
    await expect(export).to_have_attribute("title", "Export the session as a golden trace")
