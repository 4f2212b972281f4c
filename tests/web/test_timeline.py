"""The timeline: rows that open, long results, pictures, errors, filters, and its end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import kitchen_sink_agents
import pytest
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator


def order_report(city: str) -> dict[str, str]:
    """Report on the orders of a city."""
    if city == "nowhere":
        return {"error": f"{city} is not a city"}
    return {"city": city, "report": "first line\nsecond line\nthird line"}


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    agent = kitchen_sink_agents.build_kitchen_agent()
    agent.tools = [*kitchen_sink_agents.TOOLS, order_report]
    return lambda: AgentSimulator([kitchen_sink_agents.build_agent_config(agent, tmp_path)])


async def start_turn(page: Page) -> WorkbenchUser:
    player = WorkbenchUser(page)
    await player.send_message("Do something")
    await player.wait_for_turn()
    return player


@pytest.mark.req("001/edge-large-output")
async def test_a_long_result_is_shortened_on_the_screen_and_whole_on_demand(page: Page) -> None:
    player = await start_turn(page)
    await player.call_tool("big", lines="1000")
    await player.wait_for_turn()
    inside = await player.open_row(player.find_rows("big"))
    await expect(inside).to_contain_text("shortened")
    await inside.get_by_role("button", name="Show all").first.click()
    await expect(inside).not_to_contain_text("shortened")


@pytest.mark.req("001/US5.1", "001/SC-004")
async def test_a_tool_error_has_its_kind_its_message_and_a_folded_traceback(page: Page) -> None:
    player = await start_turn(page)
    await player.call_tool("fetch", url="http://nowhere")
    await player.wait_for_turn()
    row = player.find_rows("Tool Error", "fetch", "ConnectionError")
    await expect(row).to_have_count(1)
    inside = await player.open_row(row)
    await expect(inside).to_contain_text("cannot reach http://nowhere")
    await expect(inside.get_by_text("Traceback (most recent call last)")).to_be_hidden()
    await inside.locator("summary").click()
    await expect(inside.get_by_text("Traceback (most recent call last)")).to_be_visible()


async def test_a_saved_picture_is_shown(page: Page) -> None:
    player = await start_turn(page)
    await player.call_tool("paint")
    await player.wait_for_turn()
    inside = await player.open_row(player.find_rows("file", "picture.png"))
    picture = inside.get_by_role("img", name="picture.png")
    await expect(picture).to_be_visible()
    await expect(picture).to_have_js_property("naturalWidth", 1)  # 0 until it is loaded


async def test_json_in_a_text_opens_as_json(page: Page) -> None:
    player = await start_turn(page)
    await player.call_tool("nested_json")
    await player.wait_for_turn()
    inside = await player.open_row(player.find_rows("nested_json"))
    await inside.get_by_role("button", name=re.compile("JSON")).first.click()
    await expect(inside).to_contain_text("deep")


async def test_rows_are_found_by_kind_and_by_text(page: Page) -> None:
    player = await start_turn(page)
    await player.call_tool("search", query="tea")
    await player.wait_for_turn()
    await player.call_tool("fetch", url="http://nowhere")
    await player.wait_for_turn()
    rows = player.timeline.get_by_role("article")
    await expect(rows).to_have_count(3)
    for kind, count in (("calls", 2), ("messages", 1), ("errors", 1), ("all", 3)):
        await player.timeline.get_by_role("radio", name=kind, exact=True).click()
        await expect(rows).to_have_count(count)
    await player.timeline.get_by_role("searchbox").fill("tea")
    await expect(rows).to_have_count(1)
    await player.timeline.get_by_role("searchbox").fill("nothing like it")
    await expect(player.timeline).to_contain_text("No rows match.")
    await player.timeline.get_by_role("button", name="Show all").click()
    await expect(rows).to_have_count(3)


async def test_all_rows_open_and_close_at_once(page: Page) -> None:
    player = await start_turn(page)
    await player.call_tool("search", query="tea")
    await player.wait_for_turn()
    await player.timeline.get_by_role("button", name="Expand all").click()
    await expect(player.timeline.locator(".row-foot")).to_have_count(2)
    await player.timeline.get_by_role("button", name="Collapse all").click()
    await expect(player.timeline.locator(".row-foot")).to_have_count(0)


async def test_every_result_is_readable_and_the_newest_one_whole(page: Page) -> None:
    player = await start_turn(page)
    await player.call_tool("order_report", city="Rome")
    await player.wait_for_turn()
    newest = player.find_rows("order_report").locator(".row-preview")
    await expect(newest.get_by_text("third line")).to_be_in_viewport()
    await player.call_tool("search", query="tea")
    await player.wait_for_turn()
    await expect(newest).to_contain_text("third line")
    await expect(player.find_rows("search").locator(".row-preview")).to_have_text("→tea:10:int")
    await page.keyboard.press("Control+d")
    await expect(player.timeline.locator(".row-preview")).to_have_count(0)
    for row in await player.timeline.get_by_role("article").all():
        box = await row.bounding_box()
        assert box is not None
        assert box["height"] <= 28
    await page.reload()
    await expect(player.timeline.get_by_role("button", name="Compact")).to_have_attribute("aria-pressed", "true")
    await expect(player.find_rows("search", "tea:10:int")).to_have_count(1)


async def test_a_result_that_reports_a_failure_is_found_among_the_errors(page: Page) -> None:
    player = await start_turn(page)
    for city in ("Rome", "nowhere"):
        await player.call_tool("order_report", city=city)
        await player.wait_for_turn()
    await player.timeline.get_by_role("radio", name="errors", exact=True).click()
    rows = player.timeline.get_by_role("article")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("Tool Error")
    await expect(rows).to_contain_text("nowhere is not a city")


async def test_a_call_is_copied_and_made_again_with_its_arguments(page: Page) -> None:
    player = await start_turn(page)
    await player.call_tool("order_report", city="Berlin")
    await player.wait_for_turn()
    row = player.find_rows("order_report")
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await row.hover()
    copy = row.get_by_role("button", name="Copy: order_report, row 2")
    await copy.click()
    await expect(copy).to_have_text("copied")
    copied: str = await page.evaluate("navigator.clipboard.readText()")
    assert json.loads(copied)["city"] == "Berlin"

    again = row.get_by_role("button", name="Call again: order_report, row 2")
    await again.click()
    await expect(player.find_field("city")).to_be_focused()
    await expect(player.find_field("city")).to_have_value("Berlin")
    await page.keyboard.type(" Mitte")
    await again.click()
    collected = player.composer.get_by_role("list", name="Calls of this turn")
    await expect(collected.get_by_role("listitem")).to_have_text(re.compile('Berlin"}'))
    await expect(player.find_field("city")).to_have_value("Berlin Mitte")
    await player.execute("Execute 2 calls")
    await expect(player.find_rows("order_report")).to_have_count(3)


async def test_the_end_is_followed_unless_one_has_scrolled_up(page: Page) -> None:
    await page.set_viewport_size({"width": 1280, "height": 400})
    player = await start_turn(page)
    for number in range(7):
        await player.call_tool("search", query=f"number {number}")
        await player.wait_for_turn()
    await expect(player.find_rows("number 6:")).to_be_in_viewport()
    await player.timeline.locator(".rows").evaluate("box => box.scrollTo(0, 0)")
    await expect(player.find_rows("Do something")).to_be_in_viewport()
    await player.call_tool("search", query="one more")
    await player.wait_for_turn()
    await expect(player.find_rows("Do something")).to_be_in_viewport()
    await player.timeline.get_by_role("button", name="1 new").click()
    await expect(player.find_rows("one more:")).to_be_in_viewport()


async def test_an_older_result_shows_six_lines_as_text_or_as_a_tree_and_the_rest_on_request(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.choose_tool("search")
    await player.composer.get_by_role("button", name="Edit as JSON").click()
    lines = [f"This is line {number}." for number in range(1, 10)]
    await player.composer.get_by_label("JSON", exact=True).fill(json.dumps({"query": "\n".join(lines)}))
    await player.execute()
    await player.wait_for_turn()
    await player.call_tool("big", lines="5")
    await player.wait_for_turn()
    await player.call_tool("search", query="tea")
    await player.wait_for_turn()
    text, tree = (player.timeline.get_by_role("article").nth(index).locator(".row-short") for index in (1, 2))
    await expect(text.locator("pre")).to_have_text(re.compile(r"This is line 1\.\nThis is line 2\."))
    await expect(tree.locator(".jt")).to_be_visible()
    for short in (text, tree):
        assert await short.evaluate("it => it.clientHeight") <= 6 * 20
    more = player.timeline.get_by_role("button", name="Show all of big, row 3")
    await expect(more).to_be_hidden()
    await tree.locator(".jt-fold").nth(1).click()
    await expect(more).to_be_visible()
    await player.timeline.get_by_role("button", name="Show all of search, row 2").click()
    await expect(player.timeline.get_by_role("article").nth(1).locator(".row-body")).to_contain_text("This is line 9.")
