"""Scenarios in the browser: looked at, annotated, and played."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser_pages import OpenPage, PageWatch
from playwright.async_api import Page, expect
from scenario_corpus import load_scenarios
from workbench_server import Simulator

from adk_agent_sim import AgentSimulator
from adk_agent_sim.scenario import load_scenario
from adk_agent_sim.server.scenario_catalog import ScenarioCatalog

KEY = "scenario_wait_w01_tiers"
OTHER = "scenario_synth_s04_shopping"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "scenarios"
    found.mkdir()
    for key in (KEY, OTHER):
        (found / f"{key}.json").write_text(json.dumps(load_scenarios()[key]), encoding="utf-8")
    return found


@pytest.fixture
def simulator(folder: Path) -> Callable[[], Simulator]:
    return lambda: AgentSimulator([], scenarios=ScenarioCatalog([folder]))


async def opened(page: Page, tab: str = "Graph") -> None:
    await page.get_by_role("link", name=KEY).click()
    await page.get_by_role("tab", name=tab).click()


async def test_the_list_is_where_a_server_without_agents_begins(page: Page) -> None:
    await expect(page).to_have_url(re.compile("/scenarios$"))
    await expect(page.get_by_role("row", name=KEY)).to_contain_text("13")
    await expect(page.get_by_role("row", name=OTHER)).to_contain_text("none yet")
    await expect(page.get_by_role("navigation").get_by_role("link", name="Scenarios")).to_be_visible()


class TestGraph:
    async def test_events_are_drawn_with_their_kinds_and_one_shows_its_arguments(self, page: Page) -> None:
        await opened(page)
        graph = page.get_by_role("region", name="Graph")
        event = page.get_by_role("region", name="Event")

        await expect(graph.get_by_role("button", name=re.compile("^(user|env|oracle)"))).to_have_count(13)
        for word in ("user", "env", "oracle"):
            await expect(graph.get_by_role("list", name="Kinds").get_by_text(word, exact=True)).to_be_visible()
        await graph.get_by_role("button", name="Emails.create_and_add_email").click()

        await expect(event).to_contain_text("+45 s, turn 1")
        await expect(event).to_contain_text("Tier mail")
        await event.get_by_role("button", name="AgentUserInterface.send_message_to_agent").click()
        await expect(event).to_contain_text("Watch what happens.")

    async def test_a_long_chain_is_laid_out_without_blocking_the_page(self, page: Page) -> None:
        await page.get_by_role("link", name="long_chain").click()

        await page.get_by_role("tab", name="Time line").click()
        await expect(page.get_by_text("900 events", exact=True)).to_be_visible()
        await page.get_by_role("tab", name="Graph").click()
        await expect(page.get_by_role("region", name="Graph").get_by_role("button", name="env").first).to_be_visible()

    async def test_more_events_than_can_be_drawn_are_listed(self, page: Page) -> None:
        await page.get_by_role("link", name="very_long_chain").click()

        await expect(page.get_by_role("region", name="Graph")).to_contain_text("5,000 events are too many to draw")
        await page.get_by_role("region", name="Graph").get_by_role("button", name="Time line").click()
        await page.get_by_label("Find an event").fill("e4999")
        await page.get_by_role("button", name="Calendar.get_calendar_events").click()
        await expect(page.get_by_role("region", name="Event")).to_contain_text("e4999")

    @pytest.fixture
    def simulator(self, folder: Path, request: pytest.FixtureRequest) -> Callable[[], Simulator]:
        if "more_events" in request.node.name:
            _chain(folder, "very_long_chain", 5_000)
        elif "long_chain" in request.node.name:
            _chain(folder, "long_chain", 900)
        return lambda: AgentSimulator([], scenarios=ScenarioCatalog([folder]))


async def test_the_time_line_is_in_order_and_can_be_searched(page: Page) -> None:
    await opened(page, "Time line")
    rows = page.get_by_role("region", name="Time line").get_by_role("button")

    await expect(rows).to_have_count(13)
    await expect(rows.nth(1)).to_contain_text("+30 s")
    await page.get_by_label("Find an event").fill("tier mail")
    await expect(rows).to_have_count(1)
    await rows.click()
    await expect(page.get_by_role("region", name="Event")).to_contain_text("gus.tate3@example.org")


async def test_the_state_of_an_app_can_be_searched(page: Page) -> None:
    await opened(page, "State")
    state = page.get_by_role("region", name="State")
    await state.get_by_role("button", name="Contacts", exact=True).click()
    await page.get_by_label("Find in the state").fill("gus")

    await expect(state.get_by_role("status")).to_contain_text("match")
    await expect(state.get_by_text('"gus.tate3@example.org"')).to_be_visible()
    await page.get_by_label("Find in the state").fill("nowhere to be found")
    await expect(state.get_by_role("status")).to_have_text("No matches.")


async def test_what_a_reviewer_says_is_in_the_file(page: Page, folder: Path) -> None:
    await opened(page)
    await page.get_by_role("button", name="Annotation").click()
    await page.get_by_label("Decision").select_option("invalid")
    await page.get_by_label("Comment").fill("The mail comes too late.\n<b>Really</b>")
    await page.get_by_label("Annotator").fill("kim")
    await page.get_by_role("button", name="Save to the file").click()

    await expect(page.get_by_text("by kim")).to_be_visible()
    written = load_scenario(folder / f"{KEY}.json").annotation
    assert (written.validation_decision, written.annotator) == ("invalid", "kim")
    assert written.comment == "The mail comes too late.\n<b>Really</b>"
    await page.reload()
    await page.get_by_role("button", name="Annotation").click()
    await expect(page.get_by_label("Comment")).to_have_value("The mail comes too late.\n<b>Really</b>")


class TestPlaying:
    async def test_a_tool_is_called_by_its_form_and_what_changed_is_shown(self, page: Page) -> None:
        await opened(page, "Play")
        await pick(page, "Emails__send_email")
        await page.get_by_role("textbox", name="subject").fill("Lunch?")
        await page.keyboard.press("Control+Enter")
        last = page.get_by_role("list", name="What happened").get_by_role("listitem").filter(has_text="as agent")

        await expect(last).to_contain_text("1 change")
        await expect(last).to_contain_text("added Emails.folders.SENT.emails[0]")
        await expect(last).to_contain_text('"Lunch?"')
        await page.get_by_role("tab", name="State").click()
        await page.get_by_role("region", name="State").get_by_role("button", name="Emails").click()
        await page.get_by_label("Find in the state").fill("Lunch?")
        await expect(page.get_by_role("region", name="State").get_by_role("status")).to_have_text("1 match")

    async def test_time_jumps_and_the_agent_is_told(self, page: Page) -> None:
        await opened(page, "Play")
        happened = page.get_by_role("list", name="What happened")
        await expect(happened).to_contain_text("Watch what happens.")
        await page.get_by_label("Seconds").fill("50")
        await page.get_by_role("button", name="Jump to").click()

        await expect(page.get_by_role("status", name="Time")).to_have_text("50 s")
        await expect(happened).to_contain_text("New email received from gus.tate3@example.org")
        await page.get_by_role("button", name="Next event").click()
        await expect(page.get_by_role("status", name="Time")).to_have_text("60 s")
        await page.get_by_role("button", name="Undo").click()
        await expect(page.get_by_role("status", name="Time")).to_have_text("50 s")

    async def test_what_the_scenario_does_can_be_done_by_hand(self, page: Page) -> None:
        await opened(page, "Play")
        await page.get_by_role("radio", name="env").click()
        await pick(page, "Shopping__add_product")
        await page.get_by_role("textbox", name="name").fill("By hand")
        await page.get_by_role("button", name="Call", exact=False).last.click()

        await expect(page.get_by_role("list", name="What happened")).to_contain_text("added Shopping.products.")

    async def test_what_is_missing_stands_at_its_field(self, page: Page, watch: PageWatch) -> None:
        watch.allow_fault("422")
        await opened(page, "Play")
        await pick(page, "Emails__get_email_by_id")
        await page.keyboard.press("Control+Enter")

        form = page.get_by_role("region", name="Call a tool")
        await expect(form.get_by_text("is missing").first).to_be_visible()
        await page.get_by_role("textbox", name="email_id").fill("nope")
        await page.keyboard.press("Control+Enter")
        await expect(page.get_by_role("list", name="What happened")).to_contain_text(
            "ValueError: Email with id nope does not exist"
        )

    async def test_a_reload_finds_the_world_as_it_was(self, page: Page) -> None:
        await opened(page, "Play")
        await page.get_by_role("button", name="Advance").click()
        await expect(page.get_by_role("status", name="Time")).to_have_text("60 s")
        await page.reload()

        await expect(page.get_by_role("status", name="Time")).to_have_text("60 s")
        await expect(page.get_by_role("list", name="What happened")).to_contain_text("Advance 60 s")


@pytest.mark.parametrize("width", [900, 1280])
async def test_nothing_is_wider_than_the_window(open_page: OpenPage, width: int) -> None:
    page = await open_page(width=width, theme="dark")
    await page.get_by_role("link", name=KEY).click()
    for tab in ("Graph", "Time line", "State", "Play"):
        await page.get_by_role("tab", name=tab).click()
        await expect(page.get_by_role("region", name=tab)).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def pick(page: Page, tool: str) -> None:
    await page.get_by_label("Find a tool").fill(tool)
    await page.get_by_label("Find a tool").press("Enter")


def _chain(folder: Path, name: str, length: int) -> None:
    """A scenario in which each event waits for the one before it."""
    scenario: dict[str, Any] = load_scenarios()[OTHER]
    scenario["metadata"]["definition"]["scenario_id"] = name
    scenario["events"] = [
        {
            "class_name": "Event",
            "event_type": "ENV",
            "event_time": None,
            "event_id": f"e{number}",
            "dependencies": [f"e{number - 1}"] if number else [],
            "event_relative_time": 1,
            "action": {"action_id": f"a{number}", "app": "Calendar", "function": "get_calendar_events", "args": []},
        }
        for number in range(length)
    ]
    (folder / f"{name}.json").write_text(json.dumps(scenario), encoding="utf-8")
