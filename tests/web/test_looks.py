"""Both sizes and both themes: nothing needs sideways scrolling, and what is written can be read."""

from __future__ import annotations

import pytest
from browser_pages import OpenPage
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

CONTRASTS = """
() => {
  const parse = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const part = [r, g, b].map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.9) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || !element.checkVisibility()) continue;
    if (element.closest(":disabled, .sr-only")) continue;
    const style = getComputedStyle(element);
    const [one, other] = [light(parse(style.color)), light(behind(element))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) found.push(`${texts.currentNode.textContent.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return found;
}
"""

TOO_WIDE = """
() => [...document.querySelectorAll("*")]
  .filter((one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX))
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.className)
"""


async def played(page: Page) -> WorkbenchUser:
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await player.send_message("What is 6 / 0?")
    await player.wait_for_turn()
    await player.call_tool("divide", dividend="6", divisor="0")
    await player.wait_for_turn()
    await player.open_row(player.find_rows("divide"))
    await player.choose_tool("divide")
    return player


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_what_is_written_can_be_read(open_page: OpenPage, theme: str) -> None:
    page = await open_page(theme=theme)
    assert await page.evaluate(CONTRASTS) == []
    await played(page)
    assert await page.evaluate("document.documentElement.dataset.theme") == theme
    assert await page.evaluate(CONTRASTS) == []


@pytest.mark.parametrize("width", [1280, 900])
async def test_nothing_needs_sideways_scrolling(open_page: OpenPage, width: int) -> None:
    page = await open_page(width=width)
    player = await played(page)
    assert await page.evaluate(TOO_WIDE) == []
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    await expect(player.composer.get_by_role("button", name="Execute")).to_be_in_viewport(ratio=1)


async def test_at_900_the_briefing_is_a_drawer(open_page: OpenPage) -> None:
    page = await open_page(width=900)
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await expect(page.get_by_role("tablist")).to_be_hidden()
    await page.get_by_role("button", name="Show or hide the briefing").click()
    await expect(page.get_by_role("tablist")).to_be_visible()
    await page.get_by_role("button", name="Close the panel").click()
    await expect(page.get_by_role("tablist")).to_be_hidden()


async def test_the_theme_is_remembered(page: Page) -> None:
    await page.get_by_role("button", name="Dark theme").click()
    await page.reload()
    await expect(page.get_by_role("button", name="Light theme")).to_be_visible()
