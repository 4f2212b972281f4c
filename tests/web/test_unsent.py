"""Nothing that was collected or typed is dropped without a question."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import kitchen_sink_agents
import pytest
from browser_pages import PageWatch, hold_requests
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    return lambda: AgentSimulator(
        [kitchen_sink_agents.build_agent_config(kitchen_sink_agents.build_kitchen_agent(), tmp_path)]
    )


async def collect_call(page: Page) -> WorkbenchUser:
    """Collect a call for a turn, and then type a response to send it instead."""
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.choose_tool("search")
    await player.find_field("query").fill("tea")
    await player.composer.get_by_role("button", name="Add to turn").click()
    await expect(player.composer.get_by_role("list", name="Calls of this turn")).to_contain_text("tea")
    await player.composer.get_by_role("radio", name="Send Final Response").click()
    await player.composer.get_by_role("textbox", name="Final response").fill("Let me look for tea.")
    await player.submit_response()
    await expect(page.get_by_role("dialog")).to_contain_text('search {"query":"tea"}')
    return player


async def test_a_response_instead_of_collected_calls_asks_and_both_can_be_sent(page: Page) -> None:
    player = await collect_call(page)
    await page.get_by_role("dialog").get_by_role("button", name="Execute 1 call and say this").click()
    await player.wait_for_turn()
    await expect(player.find_rows("says", "Let me look for tea.")).to_have_count(1)
    await expect(player.find_rows("call", "tea:10:int")).to_have_count(1)


async def test_a_response_instead_of_collected_calls_can_leave_them_out(page: Page) -> None:
    player = await collect_call(page)
    await page.get_by_role("dialog").get_by_role("button", name="Send the response without the call").click()
    await player.wait_until_done()
    await expect(player.find_rows("answer", "Let me look for tea.")).to_have_count(1)
    await expect(player.find_rows("call")).to_have_count(0)


async def test_going_back_from_the_question_keeps_the_calls_and_the_response(page: Page) -> None:
    player = await collect_call(page)
    await page.get_by_role("dialog").get_by_role("button", name="Back").click()
    await expect(player.composer.get_by_role("list", name="Calls of this turn")).to_contain_text("tea")
    await expect(player.composer.get_by_role("textbox", name="Final response")).to_have_value("Let me look for tea.")
    await player.composer.get_by_role("button", name="Edit search").click()
    await expect(player.find_field("query")).to_have_value("tea")


async def test_a_response_that_is_half_written_stays_when_a_call_is_executed(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.composer.get_by_role("radio", name="Send Final Response").click()
    await player.composer.get_by_role("textbox", name="Final response").fill("So far: ")
    await player.call_tool("search", query="tea")
    await player.wait_for_turn()
    await page.keyboard.press("Control+.")
    await expect(player.composer.get_by_role("textbox", name="Final response")).to_have_value("So far: ")


async def test_text_of_several_lines_goes_with_a_call(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.choose_tool("search")
    await player.find_field("query").fill("tea")
    await player.composer.get_by_role("button", name="Say something with the call").click()
    await player.composer.get_by_role("textbox", name="Say with the call").fill("First tea,\nthen milk.")
    await player.execute()
    await player.wait_for_turn()
    inside = await player.open_row(player.find_rows("says"))
    await expect(inside).to_contain_text("First tea,\nthen milk.")


async def test_a_duplicate_key_is_an_error_at_once_and_is_never_sent(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.choose_tool("order")
    notes = player.find_field_frame("notes")
    await notes.get_by_role("button", name="set: Set notes").click()
    for _ in range(2):
        await notes.get_by_role("button", name="+ key").click()
        await page.keyboard.press("Control+a")
        await page.keyboard.type("tea")
    await expect(notes).to_contain_text("is a duplicate key: choose another one")
    await page.keyboard.type("s")
    await expect(notes).not_to_contain_text("duplicate")
    await player.composer.get_by_role("button", name="Edit as JSON").click()
    await player.composer.get_by_label("JSON", exact=True).fill('{"notes": {"tea": 1, "tea": 2}}')
    await player.execute()
    await expect(player.composer).to_contain_text('duplicate key "tea"')
    await expect(player.find_rows("call")).to_have_count(0)


async def test_a_large_file_that_is_attached_survives_a_reload(page: Page) -> None:
    player = WorkbenchUser(page)
    file = {"name": "large.bin", "mimeType": "application/octet-stream", "buffer": bytes(3_000_000)}
    await player.composer.get_by_label("Files to attach").set_input_files(file)  # pyright: ignore[reportArgumentType]
    await expect(player.composer).to_contain_text("large.bin")
    await page.wait_for_function(
        """async () => {
          const open = await new Promise((resolve) => {
            const request = indexedDB.open("adksim");
            request.onsuccess = () => resolve(request.result);
          });
          const keys = await new Promise((resolve) => {
            const request = open.transaction("files").objectStore("files").getAllKeys();
            request.onsuccess = () => resolve(request.result);
          });
          open.close();
          return keys.length === 1;
        }"""
    )
    await page.reload()
    await expect(player.composer).to_contain_text("large.bin")
    await expect(player.composer).to_contain_text("3.0 MB")
    await player.send_message("What is in it?")
    await player.wait_for_turn()
    inside = await player.open_row(player.find_rows("What is in it?"))
    await expect(inside).to_contain_text("application/octet-stream, 3.0 MB")


async def test_problems_are_counted_beside_execute_also_with_collected_calls(page: Page, watch: PageWatch) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.choose_tool("search")
    await player.find_field("query").fill("tea")
    await player.composer.get_by_role("button", name="Add to turn").click()
    await expect(player.composer.get_by_role("list", name="Calls of this turn")).to_contain_text("tea")
    await player.choose_tool("search")
    await player.find_field("limit").fill("3")
    watch.allow_fault("422")
    for button in ("Add to turn", "Execute 2 calls"):
        await player.composer.get_by_role("button", name=button).click()
        await expect(player.composer.get_by_role("button", name="1 problem")).to_be_visible()
        await expect(player.find_field_frame("query")).to_contain_text("is missing")


async def test_a_response_asks_about_a_form_that_was_filled_in_but_not_added(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.choose_tool("search")
    await player.find_field("query").fill("tea")
    await player.respond("Let me look for tea.")
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text('search {"query":"tea"}')
    await dialog.get_by_role("button", name="Back").click()
    await player.submit_response()
    await dialog.get_by_role("button", name="Execute 1 call and say this").click()
    await player.wait_for_turn()
    await expect(player.find_rows("call", "tea:10:int")).to_have_count(1)
    await player.respond("Done.")
    await player.wait_until_done()


async def test_a_filled_form_stays_when_another_call_is_executed(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.choose_tool("search")
    await player.find_field("query").fill("tea")
    await player.call_tool("count_bits", number="3")
    await player.wait_for_turn()
    await player.choose_tool("search")
    await expect(player.find_field("query")).to_have_value("tea")


async def test_a_call_that_is_added_while_the_person_goes_on_closes_nothing(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.choose_tool("search")
    await player.find_field("query").fill("tea")
    held = await hold_requests(page, "**/check?*")
    await player.composer.get_by_role("button", name="Add to turn").click()
    await player.choose_tool("search")
    await player.find_field("query").fill("coffee")
    held.release()
    await expect(player.composer.get_by_role("list", name="Calls of this turn")).to_contain_text("tea")
    await expect(player.find_field("query")).to_have_value("coffee")
    await expect(player.composer.get_by_role("button", name="Add to turn")).to_be_enabled()
