"""Runs in a scenario's world in the browser: played, its clock moved, and judged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin

import pytest
from browser_pages import CONTRASTS, THEMES, OpenPage, PageWatch, set_theme
from playwright.async_api import Page, expect
from workbench_server import Simulator
from workbench_user import WorkbenchUser
from world_timelines import SCENARIO, RecordedWorldRun

from adk_agent_sim import AgentSimulator
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.scenario import Judge
from adk_agent_sim.scenario.format.exporter import serialize_trace
from adk_agent_sim.server.scenarios.scenario_catalog import ScenarioCatalog
from adk_agent_sim.timeline.timeline import Timeline


@pytest.fixture
def session_id(tmp_path: Path) -> str:
    """A stored run in the scenario's world, whose second email goes to the wrong person."""

    async def store_run() -> str:
        async with open_store(tmp_path / "sessions.db") as store:
            return await RecordedWorldRun(Judge(SCENARIO), second="c@example.org").write(Timeline(store))

    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(store_run())
    finally:
        loop.close()


@pytest.fixture
def simulator(tmp_path: Path, session_id: str) -> Callable[[], Simulator]:
    scenario = json.loads(serialize_trace(SCENARIO.trace))
    scenario["metadata"]["definition"]["hints"] = [
        {"hint_type": "TASK_HINT", "content": "Be **polite**.", "associated_event_id": ""},
        {"hint_type": "ENVIRONMENT_HINT", "content": "The mail names c.", "associated_event_id": "mail"},
    ]
    file = tmp_path / "small.json"
    file.write_text(json.dumps(scenario), encoding="utf-8")
    return lambda: AgentSimulator([], database=tmp_path / "sessions.db", scenarios=ScenarioCatalog([file]))


async def test_a_verdict_on_the_timeline_leads_to_the_rows_of_its_events(
    page: Page, session_id: str, watch: PageWatch
) -> None:
    watch.allow_fault("409")  # there is no briefing of an agent that does not run here
    await page.goto(urljoin(page.url, f"/sessions/{session_id}"))
    timeline = page.get_by_role("region", name="Timeline")
    await timeline.get_by_role("radio", name="world").click()
    rows = timeline.locator(".row")
    await expect(rows).to_have_count(4)
    await expect(rows.nth(1)).to_contain_text("t+5 s")
    await expect(rows.nth(3)).to_contain_text("the run failed")

    await rows.nth(3).locator(".row-line").click()
    turn = timeline.get_by_role("region", name="Turn 2")
    await expect(turn.get_by_role("row", name="recipients")).to_contain_text('["c@example.org"]')
    wrong = turn.get_by_role("button", name="wrong: send_email")
    await wrong.click()
    await expect(wrong).to_have_attribute("aria-pressed", "true")
    await turn.get_by_role("button", name="send_email").nth(1).click()
    # The filter is left, because the row is a call.
    await expect(timeline.get_by_role("radio", name="all", exact=True)).to_be_checked()
    target = timeline.locator(".is-target .row")
    await expect(target).to_have_attribute("data-kind", "call")
    await expect(target).to_contain_text("c@example.org")


@pytest.mark.req("004/hint-task", "004/hint-environment")
async def test_a_person_plays_the_agent_in_the_world_and_is_judged(page: Page) -> None:
    await page.get_by_role("button", name="Play the agent").click()
    player = WorkbenchUser(page)
    await player.wait_for_turn()
    timeline = page.get_by_role("region", name="Timeline")
    await expect(timeline.locator(".row").last).to_contain_text("Please help.")
    await page.get_by_role("tab", name="World").click()
    await expect(page.get_by_role("status", name="World time")).to_contain_text("t+")
    world = page.get_by_role("tabpanel", name="World")
    await world.get_by_text("Hints").click()
    await expect(world.get_by_role("group")).to_have_text("HintsBe polite.")
    # The graph shows what has happened and what is due, and nothing of what is expected.
    await page.get_by_role("tab", name="Graph").click()
    events = page.get_by_role("status", name="Events")
    await expect(events).to_have_text("1 happened, 1 due")
    graph = page.get_by_role("region", name="Graph")
    await expect(graph.get_by_role("button", name="env due +5 s Emails.create_and_add_email")).to_be_visible()
    await expect(page.get_by_role("tabpanel", name="Graph")).to_contain_text("is shown when the run is over")
    scenario = await page.context.new_page()
    await scenario.goto(urljoin(page.url, "/scenarios/small"))
    boxes = scenario.get_by_role("region", name="Graph").get_by_role("button", name="oracle")
    await expect(scenario.get_by_text("3 events")).to_be_visible()
    await expect(boxes).to_have_count(0)
    await scenario.get_by_role("button", name="Show the answer").click()
    await expect(boxes).to_have_count(4)
    await scenario.close()

    await player.call_tool("SystemApp__wait_for_notification", timeout="60")
    await player.wait_for_turn()
    await expect(timeline).to_contain_text("Emails__create_and_add_email")
    await expect(events).to_have_text("2 happened")
    await page.get_by_role("tab", name="World").click()
    await world.get_by_text("Hints").click()
    await expect(world.get_by_text("The mail names c.")).to_be_visible()
    await page.get_by_role("combobox", name="App").select_option("Emails")
    await expect(world).to_contain_text("c@example.org")
    # The email that is expected is not sent, so the first turn is rejected, which ends the run.
    await player.respond("Done.")
    verdicts = timeline.locator(".row", has_text="verdict")
    await expect(verdicts.last).to_contain_text("the run failed")
    await verdicts.last.locator(".row-line").click()
    await expect(timeline.get_by_role("button", name="missing: send_email").first).to_be_visible()
    await expect(page.get_by_role("status", name="World time")).to_contain_text("stopped")
    await page.get_by_role("tab", name="Graph").click()
    await expect(events).to_have_text("3 happened, 1 failed, 4 missed")
    await page.reload()
    await expect(events).to_have_text("3 happened, 1 failed, 4 missed")
    # The graph shows what happened last, so that in a narrow panel other events are beside it.
    await graph.get_by_role("button", name="oracle failed Emails.send_email").dispatch_event("click")
    await expect(page.get_by_role("region", name="Event")).to_contain_text("it was not done")
    await page.get_by_role("button", name="Enlarge").click()
    large = page.get_by_role("dialog").get_by_role("region", name="Graph")
    await expect(large.get_by_role("button", name="oracle missed")).to_have_count(3)


async def test_a_person_moves_the_clock_and_takes_that_back(page: Page, watch: PageWatch) -> None:
    watch.allow_fault("409")  # time is asked to go back, and to pass where nothing happens
    await page.get_by_role("button", name="Play the agent").click()
    player = WorkbenchUser(page)
    await player.wait_for_turn()
    await page.get_by_role("tab", name="World").click()
    clock = page.get_by_role("status", name="World time")
    control = page.get_by_role("region", name="Time control")
    timeline = page.get_by_role("region", name="Timeline")
    await control.get_by_role("button", name="Next event").click()
    await expect(clock).to_contain_text("t+5 s")
    await expect(timeline.locator(".row").last).to_contain_text("Emails__create_and_add_email")
    await control.get_by_role("button", name="Advance").click()
    await expect(clock).to_contain_text("t+65 s")
    await page.get_by_role("button", name="Undo", exact=True).click()
    await expect(clock).to_contain_text("t+5 s")
    await control.get_by_label("Seconds").fill("4")
    await control.get_by_role("button", name="Jump to").click()
    await expect(page.get_by_role("alert")).to_contain_text("time only passes. To go back, undo.")
    await control.get_by_role("button", name="Next event").click()
    await expect(page.get_by_role("alert")).to_contain_text("before the user gets a message")
    await page.get_by_role("button", name="Undo", exact=True).click()
    await expect(clock).to_contain_text("t+0 s")
    await page.get_by_role("button", name="Redo", exact=True).click()
    await expect(clock).to_contain_text("t+5 s")
    # The agent is notified of what happened meanwhile, and the clock stops only while a turn waits.
    await player.call_tool("SystemApp__get_current_time")
    await player.wait_for_turn()
    await expect(timeline).to_contain_text("notification")
    await player.respond("Done.")
    await expect(timeline.locator(".row", has_text="the run failed")).to_be_visible()
    await expect(control).to_have_count(0)


async def test_a_verdict_is_readable_and_fits_a_narrow_window(open_page: OpenPage) -> None:
    page = await open_page(width=900)
    await page.get_by_role("button", name="Play the agent").click()
    player = WorkbenchUser(page)
    await player.wait_for_turn()
    await player.respond("Done.")
    await page.locator(".row", has_text="the run failed").locator(".row-line").click()
    await expect(page.get_by_role("region", name="Verdict")).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for theme in THEMES:
        await set_theme(page, theme)
        assert await page.evaluate(CONTRASTS) == []
