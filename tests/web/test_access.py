"""Every state can be used without a mouse or without seeing it: names, headings, and buttons inside the window."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import kitchen_sink_agents
import pytest
from browser_pages import OpenPage, PageWatch
from playwright.async_api import Locator, Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator, SimulatedAgentConfig

LONG_NAME = "Customer service of the north-western region, with refunds and returns"
NAMED_ROLES = {"button", "textbox", "searchbox", "combobox", "radio", "checkbox", "link", "tab", "menuitem"}
OUTSIDE = """
() => [...document.querySelectorAll(".header button, .composer-modes button, .composer-foot button, dialog button")]
  .filter((button) => button.checkVisibility())
  .filter((button) => {
    const box = button.getBoundingClientRect();
    return box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight;
  })
  .map((button) => button.textContent)
"""


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    agent = kitchen_sink_agents.build_kitchen_agent()
    agent.name = "customer_service_of_the_north_western_region_with_refunds"
    path = tmp_path / "kitchen.evalset.json"
    return lambda: AgentSimulator([SimulatedAgentConfig(name=LONG_NAME, agent=agent, eval_set_path=path)])


async def check_page(page: Page) -> None:
    """Check the names, the heading and the place of the buttons of what the page shows."""
    session: Any = await page.context.new_cdp_session(page)
    tree: dict[str, Any] = await session.send("Accessibility.getFullAXTree")
    await session.detach()
    nodes = [node for node in tree["nodes"] if not node["ignored"]]
    found = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes]
    assert [role for role, name in found if role in NAMED_ROLES and not name.strip()] == []
    names = Counter(name for role, name in found if role == "button")
    assert [name for name, count in names.items() if count > 1] == []
    assert "heading" in {role for role, _ in found}
    assert await page.locator("h1").count() >= 1
    assert await page.evaluate(OUTSIDE) == []


@pytest.mark.parametrize("width", [1280, 900])
async def test_every_state_of_a_session_has_names_a_heading_and_its_buttons_in_the_window(
    open_page: OpenPage, watch: PageWatch, width: int
) -> None:
    watch.allow_fault("422")
    page = await open_page(width=width)
    player = WorkbenchUser(page)
    await expect(player.composer.get_by_role("textbox", name="Message")).to_be_focused()
    await expect(page.get_by_role("banner")).to_contain_text(LONG_NAME)
    await check_page(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await check_page(page)
    for _ in range(2):
        await player.choose_tool("wait_for_ever")
        await player.composer.get_by_role("button", name="Add to turn").click()
    await player.choose_tool("order")
    await player.composer.get_by_role("button", name="Say something with the call").click()
    await check_page(page)
    await player.execute()
    await expect(player.composer.get_by_role("alert")).to_contain_text("Not sent")
    await check_page(page)
    await player.composer.get_by_role("radio", name="Send Final Response").click()
    await player.composer.get_by_role("textbox", name="Final response").fill("x")
    await player.submit_response()
    await expect(page.get_by_role("dialog")).to_be_visible()
    await check_page(page)
    await page.get_by_role("dialog").get_by_role("button", name="Execute 2 calls").click()
    await expect(player.composer.get_by_role("timer")).to_have_count(2)
    await check_page(page)
    await page.get_by_role("banner").get_by_role("button", name="Stop", exact=True).click()
    await check_page(page)
    await page.get_by_role("dialog").get_by_role("button", name="Stop the run").click()
    await expect(player.status).to_have_text("Stopped")
    await player.send_message("again")
    await player.wait_for_turn()
    await player.respond("Done.")
    await player.wait_until_done()
    await player.open_row(player.find_rows("hello"))
    await player.open_row(player.find_rows("again"))
    await check_page(page)
    await player.export_session()
    await check_page(page)


HEADER_BOXES = """
() => [...document.querySelector(".header").children].map((child) => {
  const box = child.getBoundingClientRect();
  return [box.left, box.right];
})
"""
MIN_NAME_WIDTH = 96
LONG_SESSION_NAME = "A session with a name that nobody would want to read in full " + "again " * 10


async def read_width(element: Locator) -> float:
    return await element.evaluate("it => it.getBoundingClientRect().width")


@pytest.mark.parametrize("width", [1280, 900])
async def test_long_names_of_agent_and_session_leave_room_for_each_other(open_page: OpenPage, width: int) -> None:
    page = await open_page(width=width)
    player = WorkbenchUser(page)
    name = page.get_by_title("Rename the session")

    async def check_header(session_name: str) -> None:
        boxes: list[tuple[float, float]] = await page.evaluate(HEADER_BOXES)
        assert all(end <= start for (_, end), (start, _) in pairwise(boxes)), boxes
        assert boxes[-1][1] <= width
        assert await read_width(page.locator(".agent-menu")) >= MIN_NAME_WIDTH
        gap = boxes[2][0] - await page.locator(".agent-menu").evaluate("it => it.getBoundingClientRect().right")
        assert 0 <= gap < 10  # the line between the names follows the agent's name
        hidden = await name.locator("span").evaluate("it => it.scrollWidth - it.clientWidth")
        assert hidden == 0 or await read_width(name) >= MIN_NAME_WIDTH
        assert (hidden > 0) == (session_name == LONG_SESSION_NAME)

    async def rename(session_name: str) -> None:
        await name.click()
        await page.get_by_label("Name of the session").fill(session_name)
        await page.keyboard.press("Enter")
        await expect(name).to_have_text(session_name)

    await player.send_message("hello")
    await player.wait_for_turn()
    for session_name in ("Tea time", LONG_SESSION_NAME):
        await rename(session_name)
        await check_header(session_name)
    await page.get_by_role("banner").get_by_role("button", name="Rules").click()
    await page.get_by_role("region", name="Rules").get_by_role("button", name="Add fault").click()
    assert await page.locator(".timeline-bar").evaluate("it => it.scrollWidth <= it.clientWidth"), "a button is hidden"
    await expect(page.get_by_role("banner")).to_contain_text("1 fault pending")
    await player.call_tool("wait_for_ever")
    await expect(page.get_by_role("banner").get_by_role("button", name="Stop", exact=True)).to_be_visible()
    await check_header(LONG_SESSION_NAME)


async def test_lists_show_the_name_that_people_know(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await check_page(page)
    await page.locator(".agent-menu").click()
    await page.get_by_role("menuitem", name="All sessions").click()
    row = page.get_by_role("row", name="hello")
    await expect(row).to_contain_text(LONG_NAME)
    await check_page(page)
    agents = page.get_by_label("Agent")
    assert await agents.get_by_role("option").all_inner_texts() == ["All agents", LONG_NAME]
    await agents.select_option(LONG_NAME)
    await page.get_by_label("Find a session").fill("north-western")
    await expect(page).to_have_url(re.compile("q=north-western&agent="))
    await expect(row).to_contain_text(LONG_NAME)
    for name in ("Agents", "Queue"):
        await page.get_by_role("navigation").get_by_role("link", name=name).click()
        await expect(page.get_by_role("heading", level=1)).to_have_text(name)
        await check_page(page)
        if name == "Agents":
            card = page.get_by_role("article", name=LONG_NAME)
            for button in await card.get_by_role("button").all():
                assert await read_width(button) < await read_width(card)
    await expect(row).to_contain_text(LONG_NAME)


async def test_the_order_of_the_tools_does_not_depend_on_what_was_called(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    tools = player.composer.get_by_role("option").locator("b")
    await expect(tools.first).to_have_text("search")
    names = await tools.all_inner_texts()
    await player.call_tool("nested_json")
    await player.wait_for_turn()
    await expect(tools).to_have_text(names)


async def test_several_fields_are_visible_at_900(open_page: OpenPage) -> None:
    page = await open_page(width=900)
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.choose_tool("order")
    for field in ("street", "zip_code"):
        await expect(player.find_field(field)).to_be_in_viewport(ratio=1)
    await expect(player.find_field_frame("colour")).to_be_in_viewport()
