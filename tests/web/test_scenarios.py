"""Scenarios in the browser: looked at, and annotated."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser_pages import OpenPage, set_width
from playwright.async_api import Page, expect
from scenario_corpus import load_scenarios
from workbench_server import Simulator

from adk_agent_sim import AgentSimulator
from adk_agent_sim.scenario import Story, load_scenario
from adk_agent_sim.server.scenarios.scenario_catalog import ScenarioCatalog

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


async def open_tab(page: Page, tab: str = "Graph") -> None:
    await page.get_by_role("link", name=KEY).click()
    await page.get_by_role("tab", name=tab).click()


async def test_the_list_is_where_a_server_without_agents_begins(page: Page) -> None:
    await expect(page).to_have_url(re.compile("/scenarios$"))
    await expect(page.get_by_role("row", name=KEY)).to_contain_text("13")
    await expect(page.get_by_role("row", name=OTHER)).to_contain_text("none yet")
    await expect(page.get_by_role("navigation").get_by_role("link", name="Scenarios")).to_be_visible()


class TestGraph:
    async def test_events_are_drawn_with_their_kinds_and_one_shows_its_arguments(self, page: Page) -> None:
        await open_tab(page)
        graph = page.get_by_role("region", name="Graph")
        event = page.get_by_role("region", name="Event", exact=True)

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

        await page.get_by_role("tab", name="Events").click()
        await expect(page.get_by_text("900 events", exact=True)).to_be_visible()
        await page.get_by_role("tab", name="Graph").click()
        await expect(page.get_by_role("region", name="Graph").get_by_role("button", name="env").first).to_be_visible()

    async def test_more_events_than_can_be_drawn_are_listed(self, page: Page) -> None:
        await page.get_by_role("link", name="very_long_chain").click()

        await expect(page.get_by_role("region", name="Graph")).to_contain_text("5,000 events are too many to draw")
        await page.get_by_role("region", name="Graph").get_by_role("button", name="Events").click()
        await page.get_by_label("Find an event").fill("e4999")
        await page.get_by_role("button", name="Calendar.get_calendar_events").click()
        await expect(page.get_by_role("region", name="Event", exact=True)).to_contain_text("e4999")

    @pytest.fixture
    def simulator(self, folder: Path, request: pytest.FixtureRequest) -> Callable[[], Simulator]:
        if "more_events" in request.node.name:
            _chain(folder, "very_long_chain", 5_000)
        elif "long_chain" in request.node.name:
            _chain(folder, "long_chain", 900)
        return lambda: AgentSimulator([], scenarios=ScenarioCatalog([folder]))


async def test_the_events_are_in_order_and_can_be_searched(page: Page) -> None:
    await open_tab(page, "Events")
    rows = page.get_by_role("region", name="Events").get_by_role("button")

    await expect(rows).to_have_count(13)
    await expect(rows.nth(1)).to_contain_text("+30 s")
    await page.get_by_label("Find an event").fill("tier mail")
    await expect(rows).to_have_count(1)
    await rows.click()
    await expect(page.get_by_role("region", name="Event", exact=True)).to_contain_text("gus.tate3@example.org")


async def test_one_search_covers_the_state_of_all_apps(page: Page) -> None:
    await open_tab(page, "State")
    state = page.get_by_role("region", name="State")
    await page.get_by_label("Find in the state").fill("gus")

    await expect(state.get_by_role("status")).to_have_text("49 matches in 5 apps")
    contacts = state.get_by_role("region", name="Contacts")
    await expect(contacts.get_by_text('"gus.tate3@example.org"')).to_be_visible()
    await expect(state.get_by_role("region", name="Emails").get_by_text("sender").first).to_be_visible()
    await page.get_by_label("Find in the state").fill("nowhere to be found")
    await expect(state.get_by_role("status")).to_have_text("No matches.")


async def test_what_a_reviewer_says_is_in_the_file(page: Page, folder: Path) -> None:
    await open_tab(page)
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


class TestStory:
    """A scenario with everything that the page shows."""

    @pytest.fixture
    def simulator(self, tmp_path: Path) -> Callable[[], Simulator]:
        story = Story("lunch", start_time=1728975600, duration=600, seed=7)
        story.app("Emails", "EmailClientV2", {"user_email": "me@example.org", "view_limit": 5, "folders": {}})
        story.user("Ask Gus whether he comes.")
        mail = story.oracle("Emails", "send_email", recipients=["gus@example.org"], subject="Lunch")
        asked = story.answer("I asked him.")
        reply = {"sender": "gus@example.org", "email_id": mail}
        story.after(asked, seconds=60).env("Emails", "reply_to_email_from_user", **reply)
        story.hint("He reads his mail.", step=mail)
        scenario = json.loads(story.json()) | {"context": "It is **Tuesday**."}
        scenario["events"][1]["action"]["args"].append({"name": "bcc", "value": "x", "value_type": "str"})
        file = tmp_path / "lunch.json"
        file.write_text(json.dumps(scenario), encoding="utf-8")
        return lambda: AgentSimulator([], scenarios=ScenarioCatalog([file]))

    async def test_the_only_scenario_opens_and_the_page_shows_what_the_file_says(self, page: Page) -> None:
        await expect(page.get_by_text("from 15 Oct 2024, 07:00:00 UTC")).to_be_visible()
        await page.get_by_role("button", name="Check lunch").click()
        await expect(page.get_by_title("lint: 1 error")).to_be_visible()
        await page.get_by_role("button", name="1 error").click()
        about = page.get_by_role("region", name="About")
        await expect(about.get_by_role("region", name="Context").get_by_text("Tuesday")).to_be_visible()
        await expect(about.get_by_role("region", name="Hints")).to_contain_text("He reads his mail.")
        findings = about.get_by_role("region", name="Lint findings")
        await expect(findings).to_contain_text("send_email has no argument 'bcc'")
        await findings.get_by_role("button", name="Emails.send_email").click()

        event = page.get_by_role("region", name="Event", exact=True)
        await expect(event).to_contain_text("15 Oct 2024, 07:00:01 UTC")
        await expect(event.get_by_role("button", name="recipients:[1]")).to_be_visible()
        await page.get_by_role("tab", name="Graph").click()
        box = page.get_by_role("region", name="Graph").get_by_role("button", name="send_message_to_agent")
        await expect(box).to_contain_text("AgentUserInter…sage_to_agent")


async def test_nothing_is_wider_than_the_window(open_page: OpenPage) -> None:
    page = await open_page(theme="dark")
    await page.get_by_role("link", name=KEY).click()
    for tab in ("Graph", "Events", "State", "About"):
        await page.get_by_role("tab", name=tab).click()
        await expect(page.get_by_role("region", name=tab)).to_be_visible()
        for width in (900, 1280):
            await set_width(page, width)
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


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
