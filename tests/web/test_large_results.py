"""Large results and long sessions: little of them is in the page at a time, and all of them can be reached."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import pytest_asyncio
from browser_pages import OpenPage, PageWatch, route_requests
from playwright.async_api import Locator, Page, expect
from polling import MAX_WAIT_SECONDS, pause
from workbench_server import WorkbenchServer
from workbench_user import WorkbenchUser

from adk_agent_sim.server.composition import RunningServices, ServeSettings, run_services
from adk_agent_sim.timeline.events import AgentEvent, AgentJoined, ToolFinished, ToolStarted
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline

_JOINED = AgentJoined(app_name="shop", user_id="u", adk_session_id="a", state={})
_ROWS = [
    {"id": number, "name": "A product", "price": 12.5, "tags": ["one", "two"], "note": "x" * 400}
    for number in range(10_000)
]
_LINE = "x" * 2_000_000 + "END"
_LINES = [f"This is line {number}." for number in range(100_000)]

_COUNT = """
(root) => {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let [total, longest] = [0, 0];
  while (texts.nextNode()) {
    total += texts.currentNode.length;
    longest = Math.max(longest, texts.currentNode.length);
  }
  return [root.getElementsByTagName("*").length, total, longest];
}
"""
"""A script that returns how many elements and characters are in an element, and the length of its longest text node."""

_HOLD_SLICES = """
() => {
  const Channel = window.MessageChannel;
  window.held = [];
  window.MessageChannel = class {
    constructor() {
      const { port1, port2 } = new Channel();
      return { port1, port2: { postMessage: (value) => window.held.push(() => port2.postMessage(value)) } };
    }
  };
}
"""
"""A script after which each slice of work of the page waits until `_RELEASE_SLICE` runs."""

_RELEASE_SLICE = """
async () => {
  window.held.shift()();
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setTimeout(resolve, 0));
}
"""


@pytest_asyncio.fixture(loop_scope="session")
async def services(tmp_path: Path) -> AsyncIterator[RunningServices]:
    async with run_services(ServeSettings(database=tmp_path / "sessions.db", grpc_port=0, port=0)) as running:
        yield running


@pytest.fixture
def server(services: RunningServices) -> WorkbenchServer:
    assert services.web
    return services.web


@pytest.fixture
def watch(server: WorkbenchServer) -> PageWatch:
    watch = PageWatch(server.url)
    watch.allow_fault("409.*/briefing")  # no model was asked in these sessions
    return watch


@pytest.fixture
def timeline(services: RunningServices) -> Timeline:
    return services.timeline


async def record_result(timeline: Timeline, result: Any) -> str:
    """Return the id of a new session in which a tool returned the result."""
    session_id = (await timeline.create_session(description="large")).session_id
    call: dict[str, Any] = {"id": "c1", "name": "report", "args": {}}
    content: dict[str, Any] = {"role": "model", "parts": [{"function_call": call}]}
    event = AgentEvent(invocation_id="i", event={"content": content}, final=False)
    started = ToolStarted(call_id="c1", tool_name="report", arguments={})
    finished = ToolFinished(call_id="c1", result=result, duration_ms=1.0)
    await timeline.append(EventBatch(session_id, [_JOINED, event, started, finished], agent_name="shop"))
    return session_id


async def open_session(page: Page, session_id: str) -> WorkbenchUser:
    await page.goto(urljoin(page.url, f"/sessions/{session_id}"))
    return WorkbenchUser(page)


async def show_result(page: Page, session_id: str) -> Locator:
    """Open the row of the result and show all of it; returns the details of the row."""
    player = await open_session(page, session_id)
    inside = await player.open_row(player.find_rows("report"))
    await inside.get_by_role("button", name="Show all of result").click()
    await expect(inside.get_by_role("button", name="Raw result")).to_be_visible()
    await expect(inside.get_by_role("status")).to_have_count(0)
    return inside


async def assert_is_small(inside: Locator) -> None:
    elements, characters, longest = await inside.evaluate(_COUNT)
    assert elements < 3_000
    assert characters < 200_000
    assert longest <= 20_000


async def scroll_to_end(text: Locator, end: str) -> None:
    """Scroll a text in a window until its end is shown; heights that were estimated change on the way."""
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        while end not in await text.inner_text():
            await text.evaluate("box => box.scrollTo(0, box.scrollHeight)")
            await pause()


async def read_copied(page: Page, button: Locator) -> str:
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await button.click()
    await expect(button).to_have_text("copied")
    copied: str = await page.evaluate("navigator.clipboard.readText()")
    return copied


async def test_a_result_of_5_mb_is_a_tree_that_opens_to_its_end(page: Page, timeline: Timeline) -> None:
    inside = await show_result(page, await record_result(timeline, _ROWS))
    await assert_is_small(inside)
    await inside.get_by_role("button", name="9900 … 9999").click()
    await inside.get_by_role("button", name=re.compile(r"^9999")).click()
    await expect(inside.locator(".jt-number", has_text="9999")).to_be_visible()
    await assert_is_small(inside)
    copied = await read_copied(page, inside.get_by_role("button", name="Copy result"))
    assert json.loads(copied) == _ROWS


@pytest.mark.long
async def test_a_raw_result_of_5_mb_is_read_to_its_end_in_a_window(page: Page, timeline: Timeline) -> None:
    inside = await show_result(page, await record_result(timeline, _ROWS))
    await inside.get_by_role("button", name="Raw result").click()
    text = inside.get_by_role("region", name="Text of")
    await expect(text).to_contain_text('"id": 0,')
    await assert_is_small(inside)
    await scroll_to_end(text, '"id": 9999,')
    await assert_is_small(inside)


async def test_a_line_of_2_mb_is_read_to_its_end_and_copied(page: Page, timeline: Timeline) -> None:
    inside = await show_result(page, await record_result(timeline, _LINE))
    await assert_is_small(inside)
    await inside.get_by_role("button", name="show all 2,000,003 characters").click()
    await scroll_to_end(inside.get_by_role("region", name="Text of 2,000,003 characters"), "END")
    await assert_is_small(inside)
    copied = await read_copied(page, inside.get_by_role("button", name="Copy all of it"))
    assert copied == _LINE


@pytest.mark.long
async def test_a_text_of_100_000_lines_is_read_to_its_end(page: Page, timeline: Timeline) -> None:
    inside = await show_result(page, await record_result(timeline, "\n".join(_LINES)))
    await inside.get_by_role("button", name=re.compile(r"^show all [\d,]+ characters")).click()
    text = inside.get_by_role("region", name="Text of")
    await expect(text).to_contain_text("This is line 0.")
    await text.press("End")
    await scroll_to_end(text, "This is line 99999.")
    await assert_is_small(inside)


@pytest.mark.long
async def test_a_long_text_that_contains_json_opens_as_json(page: Page, timeline: Timeline) -> None:
    inside = await show_result(page, await record_result(timeline, {"text": json.dumps(_ROWS[:500])}))
    await inside.get_by_role("button", name="JSON", exact=True).click()
    await inside.get_by_role("button", name="400 … 499").click()
    await expect(inside.locator(".jt-number", has_text="400")).to_be_visible()
    await assert_is_small(inside)


async def test_a_row_that_is_closed_while_its_result_is_read_stops_the_work(page: Page, timeline: Timeline) -> None:
    player = await open_session(page, await record_result(timeline, _ROWS))
    row = player.find_rows("report")
    inside = await player.open_row(row)
    await page.evaluate(_HOLD_SLICES)
    await inside.get_by_role("button", name="Show all of result").click()
    await expect(inside.get_by_role("status")).to_have_text(re.compile(r"^Reading \d\.\d MB…$"))
    for _ in range(3):
        await page.evaluate(_RELEASE_SLICE)
        assert await page.evaluate("window.held.length") == 1
    await row.get_by_role("button").first.click()
    await expect(inside).to_have_count(0)
    await page.evaluate(_RELEASE_SLICE)
    assert await page.evaluate("window.held.length") == 0


async def test_long_markdown_is_formatted_to_its_end_in_slices(page: Page, timeline: Timeline) -> None:
    text = "\n\n".join(f"## Part {number}\n\nA **bold** word.\n\n- one\n- two" for number in range(600))
    session_id = (await timeline.create_session(description="long Markdown")).session_id
    content: dict[str, Any] = {"role": "model", "parts": [{"text": text}]}
    event = AgentEvent(invocation_id="i", event={"content": content}, final=True)
    await timeline.append(EventBatch(session_id, [_JOINED, event], agent_name="shop"))
    player = await open_session(page, session_id)
    inside = await player.open_row(player.find_rows("answer"))
    await inside.get_by_role("button", name="Show all of text").click()
    await expect(inside.get_by_role("button", name="Format it")).to_be_visible()
    await page.evaluate(_HOLD_SLICES)
    await inside.get_by_role("button", name="Format it").click()
    headings = inside.get_by_role("heading", level=2)
    await expect(headings.first).to_have_text("Part 0")
    first_count = await headings.count()
    assert first_count < 100
    await page.evaluate(_RELEASE_SLICE)
    await expect(headings).not_to_have_count(first_count)
    assert await headings.count() < 200
    await page.evaluate("() => { setInterval(() => window.held.shift()?.(), 0); }")
    await expect(headings.last).to_have_text("Part 599")
    await expect(inside.locator("strong").last).to_have_text("bold")


async def test_a_result_that_cannot_be_loaded_says_so_and_can_be_loaded_later(
    page: Page, timeline: Timeline, watch: PageWatch
) -> None:
    watch.allow_fault("ERR_FAILED")
    player = await open_session(page, await record_result(timeline, _LINE))
    inside = await player.open_row(player.find_rows("report"))
    await route_requests(page, "**/rows/*?full=true", lambda route: route.abort())
    await inside.get_by_role("button", name="Show all of result").click()
    await expect(inside.get_by_role("alert")).to_contain_text("The server does not respond.")
    await page.unroute("**/rows/*?full=true")
    await inside.get_by_role("button", name="Show all of result").click()
    await expect(inside).to_contain_text("show all 2,000,003 characters")
    await expect(inside.get_by_role("alert")).to_have_count(0)


async def test_of_a_session_with_2_000_rows_few_are_in_the_page(open_page: OpenPage, timeline: Timeline) -> None:
    session_id = (await timeline.create_session(description="long")).session_id
    contents = [{"role": "model", "parts": [{"text": f"It is {number} degrees."}]} for number in range(2_000)]
    answers = [AgentEvent(invocation_id="i", event={"content": content}, final=True) for content in contents]
    await timeline.append(EventBatch(session_id, [_JOINED], agent_name="shop"))
    for start in range(0, len(answers), 500):
        await timeline.append(EventBatch(session_id, answers[start : start + 500], agent_name="shop"))
    page = await open_page()
    player = await open_session(page, session_id)
    rows = player.timeline.locator(".rows")
    items = player.timeline.locator(".rows-item")
    await expect(player.find_rows("It is 1999 degrees.")).to_be_in_viewport()
    assert 5 < await items.count() < 120
    # What follows the end sees the scroll before its event, which comes with the next frame.
    await rows.evaluate("box => { box.scrollTo(0, box.scrollHeight / 2); window.dispatchEvent(new Event('resize')); }")
    await expect(player.find_rows("It is 1999 degrees.")).to_have_count(0)
    assert 5 < await items.count() < 120
    await rows.evaluate("box => box.scrollTo(0, 0)")
    await expect(player.find_rows("It is 0 degrees.")).to_be_in_viewport()
    assert 5 < await items.count() < 120
