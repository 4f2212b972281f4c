"""Both sizes and both themes: nothing needs sideways scrolling, and what is written can be read."""

from __future__ import annotations

import pytest
from browser_pages import CONTRASTS, THEMES, OpenPage, set_theme
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

TOO_WIDE = """
() => [...document.querySelectorAll("*")]
  .filter((one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX))
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.className)
"""


async def play_division(page: Page) -> WorkbenchUser:
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await player.send_message("What is 6 / 0?")
    await player.wait_for_turn()
    await player.call_tool("divide", dividend="6", divisor="0")
    await player.wait_for_turn()
    await player.open_row(player.find_rows("divide"))
    await player.choose_tool("divide")
    return player


async def test_what_is_written_can_be_read(page: Page) -> None:
    async def check_contrasts() -> None:
        for theme in THEMES:
            await set_theme(page, theme)
            assert await page.evaluate(CONTRASTS) == []

    await check_contrasts()
    await play_division(page)
    await check_contrasts()


@pytest.mark.parametrize("width", [1280, 900])
async def test_nothing_needs_sideways_scrolling(open_page: OpenPage, width: int) -> None:
    page = await open_page(width=width)
    player = await play_division(page)
    assert await page.evaluate(TOO_WIDE) == []
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    await expect(player.composer.get_by_role("button", name="Execute")).to_be_in_viewport(ratio=1)


async def test_at_900_the_briefing_is_a_drawer(open_page: OpenPage) -> None:
    page = await open_page(width=900)
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await expect(page.get_by_role("tablist")).to_be_hidden()
    await page.get_by_role("button", name="Show or hide what the model reads").click()
    await expect(page.get_by_role("tablist")).to_be_visible()
    await page.get_by_role("button", name="Close the panel").click()
    await expect(page.get_by_role("tablist")).to_be_hidden()


async def test_the_theme_is_remembered(page: Page) -> None:
    await page.get_by_role("button", name="Dark theme").click()
    await page.reload()
    await expect(page.get_by_role("button", name="Light theme")).to_be_visible()


async def test_a_form_widens_the_composer_until_the_user_sets_a_width(page: Page) -> None:
    async def read_width() -> float:
        return await player.composer.evaluate("it => it.getBoundingClientRect().width")

    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await player.send_message("What is 2+2?")
    await player.wait_for_turn()
    assert await read_width() == 360
    await player.choose_tool("add")
    await expect(player.find_field("a")).to_be_visible()
    assert await read_width() == 440
    splitter = page.get_by_role("separator", name="Width of the composer")
    await splitter.press("ArrowLeft")
    await expect(splitter).to_have_attribute("aria-valuenow", "456")
    assert await read_width() == 456
    await player.composer.get_by_role("button", name="Other tool").click()
    await expect(player.composer.get_by_role("combobox", name="Find a tool")).to_be_visible()
    assert await read_width() == 456
