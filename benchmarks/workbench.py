"""Measures the workbench in Chromium: how long pages and live events take as sessions grow, and the longest tasks.

    python benchmarks/workbench.py             takes minutes
    python benchmarks/workbench.py --quick     the smallest size, which measures nothing

One server on SQLite, one Chromium. Sessions of different lengths take turns in each round, so that the ratios come from
one run. A live event is timed from the call that appends it until a frame shows its row. Nothing here passes or fails.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import arguments
from websockets.asyncio.client import connect

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser_pages import launch_browser, new_context
from playwright.async_api import BrowserContext, Page

from adk_agent_sim.server.composition import RunningServices, ServeSettings, run_services
from adk_agent_sim.timeline.events import AgentEvent, AgentJoined, ToolFinished, ToolStarted, UserSpoke
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline


@dataclass(frozen=True, kw_only=True)
class _Plan:
    lengths: tuple[int, int] = (100, 20_000)
    opened: int = 7
    live_events: int = 60
    result_bytes: int = 5_000_000
    line_bytes: int = 2_000_000
    clients: tuple[int, int] = (1, 50)
    tabs: tuple[int, int] = (1, 3)


_QUICK = _Plan(
    lengths=(5, 10), opened=1, live_events=2, result_bytes=2_000, line_bytes=1_000, clients=(1, 2), tabs=(1, 2)
)
_CHUNK = 500
_JOINED = AgentJoined(app_name="shop", user_id="u", adk_session_id="a", state={})

_WATCH_LONG_TASKS = """
window.longest = 0;
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) window.longest = Math.max(window.longest, task.duration);
}).observe({ type: "longtask", buffered: true });
"""

_WAIT_FOR_TEXT = """
(text) => new Promise((resolve) => {
  const shows = () => document.querySelector(".rows")?.textContent.includes(text);
  const done = () => requestAnimationFrame(() => resolve(Date.now()));
  if (shows()) return done();
  const observer = new MutationObserver(() => { if (shows()) { observer.disconnect(); done(); } });
  observer.observe(document.body, { childList: true, subtree: true, characterData: true });
})
"""


async def _fill(timeline: Timeline, event_count: int) -> str:
    """Return the id of a new session with so many events."""
    session_id = (await timeline.create_session(description=f"{event_count} events")).session_id
    question = UserSpoke(content={"role": "user", "parts": [{"text": "What is the weather?"}]})
    await timeline.append(EventBatch(session_id, [_JOINED, question]))
    for start in range(0, event_count, _CHUNK):
        numbers = range(start, min(start + _CHUNK, event_count))
        batch = [_build_text(f"It is {number} degrees.") for number in numbers]
        await timeline.append(EventBatch(session_id, batch, agent_name="weather"))
    return session_id


async def _fill_with_result(timeline: Timeline, result: Any) -> str:
    """Return the id of a new session in which one tool returned a result."""
    session_id = await _fill(timeline, 3)
    call: dict[str, Any] = {"id": "c1", "name": "report", "args": {}}
    event = AgentEvent(
        invocation_id="i", event={"content": {"role": "model", "parts": [{"function_call": call}]}}, final=False
    )
    started = ToolStarted(call_id="c1", tool_name="report", arguments={})
    finished = ToolFinished(call_id="c1", result=result, duration_ms=1.0)
    await timeline.append(EventBatch(session_id, [event, started, finished], agent_name="weather"))
    return session_id


def _build_text(text: str) -> AgentEvent:
    content = {"role": "model", "parts": [{"text": text}]}
    return AgentEvent(invocation_id="i", event={"content": content, "author": "weather"}, final=True)


class _Workbench:
    """The server and the browser that are measured."""

    def __init__(self, services: RunningServices, context: BrowserContext) -> None:
        assert services.web  # noqa: S101 - the web server is on by default
        self.timeline = services.timeline
        self.token = services.web.token
        self._login_url = services.web.url
        self.origin = f"http://127.0.0.1:{services.web.port}"
        self.socket_url = f"ws://127.0.0.1:{services.web.port}/api/live"
        self._context = context

    async def log_in(self) -> None:
        """Use the one-time code of the printed address; all tabs share the browser's session."""
        page = await self._context.new_page()
        await page.goto(self._login_url)
        await page.get_by_role("main").wait_for()
        await page.close()

    async def open(self, session_id: str, text: str) -> tuple[Page, float]:
        """Open a session in a new tab; returns the tab and the seconds until a row with the text is on the screen."""
        page = await self._context.new_page()
        await page.add_init_script(_WATCH_LONG_TASKS)
        start = time.perf_counter()
        await page.goto(f"{self.origin}/sessions/{session_id}")
        await page.evaluate(_WAIT_FOR_TEXT, text)
        return page, time.perf_counter() - start

    async def append(self, session_id: str, text: str) -> float:
        """Append a live event and return the time of the call, in seconds since 1970."""
        start = time.time()
        await self.timeline.append(EventBatch(session_id, [_build_text(text)], agent_name="weather"))
        return start


async def _measure_pages(bench: _Workbench, session_ids: Sequence[str], plan: _Plan) -> list[float]:
    """Return the median seconds until each session is on the screen."""
    times: list[list[float]] = [[] for _ in session_ids]
    for _ in range(plan.opened):
        for place, session_id in enumerate(session_ids):
            page, seconds = await bench.open(session_id, f"It is {plan.lengths[place] - 1} degrees.")
            times[place].append(seconds)
            await page.close()
    return [statistics.median(each) for each in times]


async def _measure_live(bench: _Workbench, session_ids: Sequence[str], plan: _Plan, tab_count: int = 1) -> list[float]:
    """Return the 95th percentile of the seconds from an event to the screen, the slowest tab, for each session."""
    opened = [[(await bench.open(session_id, "degrees"))[0] for _ in range(tab_count)] for session_id in session_ids]
    times: list[list[float]] = [[] for _ in session_ids]
    for number in range(plan.live_events):
        for place, session_id in enumerate(session_ids):
            text = f"live {number} of {place} with {tab_count}"
            shown = [asyncio.ensure_future(page.evaluate(_WAIT_FOR_TEXT, text)) for page in opened[place]]
            await asyncio.sleep(0.05)  # the observers are in place before the event
            start = await bench.append(session_id, text)
            times[place].append(max(await asyncio.gather(*shown)) / 1_000 - start)
    for page in (page for pages in opened for page in pages):
        await page.close()
    return [_percentile_95(each) for each in times]


async def _measure_longest_task(bench: _Workbench, session_id: str) -> float:
    """Return the longest task, in milliseconds, while a session with a large result is opened and the result shown."""
    page, _ = await bench.open(session_id, "report")
    await page.get_by_role("article").filter(has_text="report").first.click()
    show_all = page.get_by_role("button", name="Show all")
    await page.wait_for_timeout(500)
    if await show_all.count():
        await show_all.first.click()
    await page.wait_for_timeout(1_500)
    longest = await page.evaluate("window.longest")
    await page.close()
    return float(longest)


async def _measure_clients(bench: _Workbench, session_id: str, plan: _Plan, count: int) -> float:
    """Return the 95th percentile of the seconds until the last of so many WebSocket clients has an event."""
    headers = {"Authorization": f"Bearer {bench.token}"}
    sockets = [await connect(bench.socket_url, additional_headers=headers, max_size=None) for _ in range(count)]
    times: list[float] = []
    try:
        for socket in sockets:
            await socket.send(json.dumps({"session_id": session_id}))
            await socket.recv()
        for number in range(plan.live_events):
            start = time.perf_counter()
            waits = [asyncio.ensure_future(socket.recv()) for socket in sockets]
            await bench.append(session_id, f"message {number} to {count}")
            await asyncio.gather(*waits)
            times.append(time.perf_counter() - start)
            await asyncio.sleep(0.02)
    finally:
        await asyncio.gather(*(socket.close() for socket in sockets))
    return _percentile_95(times)


def _percentile_95(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]


def _print_pair(label: str, sizes: Sequence[int], values: Sequence[float], target: str) -> None:
    small, large = values
    ratio = large / small if small else 0.0
    print(f"{label:<44}{sizes[0]:>8,}{small * 1_000:>9.1f} ms{sizes[1]:>9,}{large * 1_000:>9.1f} ms"
          f"{ratio:>7.2f}x  {target}")  # fmt: skip


async def _measure_all(plan: _Plan, folder: Path) -> None:
    settings = ServeSettings(database=folder / "workbench.db", grpc_port=0, port=0)
    async with run_services(settings) as services, launch_browser() as browser:
        context = await new_context(browser)
        bench = _Workbench(services, context)
        session_ids = [await _fill(bench.timeline, count) for count in plan.lengths]
        await bench.log_in()
        print("\nThe workbench in Chromium")
        # The first page of a browser compiles the app, and the first reader of a session loads it.
        await _measure_pages(bench, session_ids, replace(plan, opened=1))
        pages = await _measure_pages(bench, session_ids, plan)
        _print_pair("page ready, by events", plan.lengths, pages, "target 2x")
        live = await _measure_live(bench, session_ids, plan)
        _print_pair("live event to screen, p95, by events", plan.lengths, live, "target 2x")
        by_tabs = [(await _measure_live(bench, session_ids[:1], plan, count))[0] for count in plan.tabs]
        _print_pair("live event to the last tab, p95, by tabs", plan.tabs, by_tabs, "")
        by_clients = [await _measure_clients(bench, session_ids[0], plan, count) for count in plan.clients]
        _print_pair("live event to the last WebSocket, p95", plan.clients, by_clients, "")
        for label, size, result in (
            ("result of many values", plan.result_bytes, _build_rows(plan.result_bytes)),
            ("result of a single line", plan.line_bytes, "x" * plan.line_bytes),
        ):
            session_id = await _fill_with_result(bench.timeline, result)
            longest = await _measure_longest_task(bench, session_id)
            print(f"{f'longest task, {label}':<44}{size:>8,} bytes{longest:>9.0f} ms  target 200 ms")


def _build_rows(size: int) -> list[dict[str, Any]]:
    row = {"name": "A product with a name", "price": 12.5, "tags": ["one", "two"], "note": "x" * 400}
    return [{"id": number, **row} for number in range(max(1, size // 500))]


def main(plan: _Plan) -> None:
    """Measure, and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure_all(plan, Path(folder)))


if __name__ == "__main__":
    main(_QUICK if arguments.read(__doc__).quick else _Plan())
