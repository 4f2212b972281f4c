"""A paused agent in the browser: input by a form of the schema, and a credential that the browser does not keep."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from browser_pages import PageWatch
from pausing_agents import build_asking_app, build_credential_app, build_name_app, build_trip_app
from playwright.async_api import Page, expect
from workbench_server import WorkbenchServer
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator, SimulatedAgentConfig

SECRET = "sk-live-Zq81mQ0vXe"  # noqa: S105 - a made-up one


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    def build_simulator() -> AgentSimulator:
        apps = [
            build_trip_app(),
            build_name_app(),
            build_asking_app("m"),
            build_credential_app("m", "basic", echoes=True),
        ]
        return AgentSimulator(
            [
                SimulatedAgentConfig(
                    name=app.name,
                    agent=app.root_agent,  # pyright: ignore[reportArgumentType]
                    app=app,
                    eval_set_path=tmp_path / f"{app.name}.evalset.json",
                )
                for app in apps
            ]
        )

    return build_simulator


async def test_a_person_gives_the_input_that_a_workflow_asks_for(page: Page, watch: PageWatch) -> None:
    watch.allow_fault("422")
    player = WorkbenchUser(page)
    await player.start_session("trips")
    await player.send_message("hello")
    await expect(player.status).to_have_text("Needs input")
    await expect(player.composer).to_contain_text("Where to?")
    await expect(player.find_rows("asks user", "Where to?")).to_have_count(1)
    await expect(player.find_field("city")).to_be_focused()
    await player.find_field("nights").fill("2")
    await page.reload()
    await expect(player.find_field("nights")).to_have_value("2")
    await player.composer.get_by_role("button", name="Send input").click()
    await expect(player.find_field_frame("city")).to_contain_text("is missing")
    await player.find_field("city").fill("Rome")
    await player.composer.get_by_role("button", name="Send input").click()
    await expect(player.status).to_have_text("Done")
    await expect(player.find_rows("Booked {'city': 'Rome', 'nights': 2}")).to_have_count(1)


async def test_input_without_a_schema_is_text_or_json(page: Page, server: WorkbenchServer) -> None:
    player = WorkbenchUser(page)
    await player.start_session("names")
    await player.send_message("hello")
    await expect(player.composer).to_contain_text("Name?")
    await expect(player.find_field("Input")).to_be_focused()
    send = player.composer.get_by_role("button", name="Send input")
    await expect(send).to_be_disabled()
    await player.find_field("Input").fill("Ada")
    await page.reload()
    await expect(player.find_field("Input")).to_have_value("Ada")
    await expect(player.composer).to_contain_text("Sent as text.")
    await send.click()
    await expect(player.find_rows("Booked 'Ada'")).to_have_count(1)

    await page.goto(server.url)
    await player.start_session("clerk")
    await player.send_message("hello")
    await player.call_tool("adk_request_input", message="How many?")
    await player.find_field("Input").fill('{"nights": 2}')
    await expect(player.composer).to_contain_text("Sent as JSON.")
    await player.find_field("Input").press("Control+Enter")
    await player.wait_for_turn()
    await expect(player.find_rows("How many?", "nights")).to_have_count(1)


async def test_a_person_gives_a_credential_that_the_browser_does_not_keep(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.start_session("weather")
    await player.send_message("How is Rome?")
    await player.call_tool("get_weather", city="Rome")
    await expect(player.status).to_have_text("Needs a credential")
    await expect(player.composer).to_contain_text("User name and password")
    await expect(page.get_by_label("username")).to_be_focused()
    send = player.composer.get_by_role("button", name="Send credential")
    await page.get_by_label("username").fill("ada")
    await expect(send).to_be_disabled()
    await page.get_by_label("password").fill(SECRET)
    assert await page.get_by_label("password").get_attribute("type") == "password"
    assert SECRET not in await _read_storage(page)
    await send.click()
    await player.wait_for_turn()
    await expect(player.find_rows("X-Weather-Key: [redacted]")).to_have_count(1)
    assert SECRET not in await _read_storage(page)
    assert SECRET not in await page.content()

    await player.respond("Sunny")
    await player.send_message("And Oslo?")
    await player.call_tool("get_weather", city="Oslo")
    await player.composer.get_by_role("button", name="Simulate a signed-in user").click()
    await player.wait_for_turn()
    await expect(player.find_rows("asked", "simulated")).to_have_count(1)


async def _read_storage(page: Page) -> str:
    """Return everything that the browser stores for the page."""
    stored = await page.evaluate("() => [Object.entries(localStorage), Object.entries(sessionStorage)]")
    return json.dumps(stored)
