"""Notes on rows: written by pointer and by key, kept while they are typed, and seen in other tabs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from axe_audit import audit_page
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser


async def test_a_note_is_written_and_nothing_typed_is_lost_or_goes_elsewhere(
    page: Page, open_page: Callable[..., Awaitable[Page]]
) -> None:
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await player.send_message("What is 2+2?")
    await player.wait_for_turn()
    other = WorkbenchUser(await open_page())
    await other.page.goto(page.url)
    await other.wait_for_turn()

    row, seen = player.find_rows("What is 2+2?"), other.find_rows("What is 2+2?")
    await row.hover()
    await row.get_by_role("button", name="Note: user, row 1").click()
    editor = row.get_by_role("textbox", name="Note on user, row 1")
    await expect(editor).to_be_focused()
    await page.keyboard.type("why not ")
    # A live update: another tab goes on with the session.
    await other.call_tool("add", a="2", b="2")
    await other.wait_for_turn()
    await expect(player.find_rows("add", "4")).to_have_count(1)
    await expect(editor).to_be_focused()
    await page.keyboard.type("by heart?")
    await audit_page(page)
    await page.keyboard.press("Control+Enter")
    await expect(editor).to_have_count(0)
    await expect(seen.locator(".row-noted")).to_have_attribute("title", "why not by heart?")
    await expect(player.find_rows("")).to_have_count(2)  # the turn was not decided

    # After a click on a row, letters are text for the composer.
    line = row.locator(".row-line")
    await line.click()
    await expect(row.locator(".row-note-text")).to_have_text("why not by heart?")
    await page.keyboard.type("nine")
    await expect(editor).to_have_count(0)
    await expect(player.composer.get_by_role("combobox", name="Find a tool")).to_have_value("nine")

    # By key, where the keyboard moved to the row; Escape puts the editor away and keeps what was typed.
    await player.find_rows("add").locator(".row-line").focus()
    await page.keyboard.press("Shift+Tab")
    while not await line.evaluate("line => line === document.activeElement"):
        await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("n")
    await expect(editor).to_have_value("why not by heart?")
    await page.keyboard.type(" Because")
    await page.keyboard.press("Escape")
    await expect(line).to_be_focused()
    await expect(row.locator(".row-noted")).to_have_text("note not saved")
    await page.reload()
    await row.hover()
    await row.get_by_role("button", name="Note: user, row 1").click()
    await expect(editor).to_have_value("why not by heart? Because")
    await row.get_by_role("button", name="Remove note").click()
    await expect(row.locator(".row-noted")).to_have_count(0)
    await expect(seen.locator(".row-noted")).to_have_count(0)
