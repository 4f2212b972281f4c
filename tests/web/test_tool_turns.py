"""A person plays tools in the browser: the form of the output schema, errors, the queue, the switch in the panel."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal
from urllib.parse import urljoin

import pytest
from browser_pages import PageWatch, hold_requests
from google.adk.agents import LlmAgent
from playwright.async_api import Page, expect
from pydantic import BaseModel, Field
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator, SimulatedAgentConfig


class Weather(BaseModel):
    """The weather of a city."""

    city: str
    degrees: float = Field(ge=-90, le=60, description="In Celsius")
    sky: Literal["clear", "cloudy"]


def get_weather(city: str) -> Weather:
    """Look up the weather of a city."""
    return Weather(city=city, degrees=21, sky="clear")


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    def build_simulator() -> AgentSimulator:
        agent = LlmAgent(name="guide", model="unused", tools=[get_weather])
        return AgentSimulator(
            [SimulatedAgentConfig(name="guide", agent=agent, eval_set_path=tmp_path / "guide.evalset.json")]
        )

    return build_simulator


async def test_a_person_plays_the_model_and_then_the_tool(page: Page, watch: PageWatch) -> None:
    watch.allow_fault("422")
    player = WorkbenchUser(page)
    await player.send_message("Is it cold in Oslo?")
    await player.wait_for_turn()
    await page.get_by_role("button", name="Rules").click()
    chosen = page.get_by_role("region", name="Rules").get_by_label("Player of get_weather")
    await chosen.select_option("a person")
    await expect(player.find_rows("get_weather: a person responds, from now on")).to_have_count(1)
    await player.call_tool("get_weather", city="Oslo")

    await expect(player.status).to_have_text("Needs a result")
    await expect(player.composer).to_contain_text("Your turn as the tool get_weather")
    await expect(player.composer.get_by_role("region", name="The call")).to_contain_text("Oslo")
    await expect(player.find_field("city")).to_be_focused()
    await expect(player.find_rows("get_weather", "by a person")).to_have_count(1)
    await player.find_field("city").fill("Oslo")
    await player.find_field("degrees").fill("99")
    await page.reload()
    await expect(player.find_field("degrees")).to_have_value("99")
    await player.composer.get_by_role("button", name="Send result").click()
    await expect(player.find_field_frame("degrees")).to_contain_text("60")
    await player.composer.get_by_role("button", name="Send anyway").click()

    await player.wait_for_turn()
    row = player.find_rows("get_weather", "by a person")
    await expect(row).to_contain_text("99")
    inside = await player.open_row(row)
    await expect(inside).to_contain_text("what a person responded")
    await expect(inside).to_contain_text("sent anyway")


async def test_a_call_is_opened_from_the_queue_and_the_tool_raises(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Is it cold in Oslo?")
    await player.wait_for_turn()
    await page.get_by_role("button", name="Rules").click()
    panel = page.get_by_role("region", name="Rules")
    await panel.get_by_label("Player of get_weather").select_option("a person")
    await panel.get_by_role("button", name="Close the rules").click()
    await player.call_tool("get_weather", city="Oslo")
    await expect(player.status).to_have_text("Needs a result")
    await page.goto(urljoin(page.url, "/queue"))
    await expect(page.get_by_role("row", name=re.compile("Result of get_weather"))).to_have_count(1)
    await page.keyboard.press("Enter")

    await player.composer.get_by_role("radio", name="Exception").click()
    await expect(player.composer.get_by_label("Message")).to_be_focused()
    await page.keyboard.type("the station is closed")
    await player.composer.get_by_role("combobox", name="Exception").fill("TimeoutError")
    await page.keyboard.press("Control+Enter")
    await player.wait_for_turn()
    await expect(player.find_rows("Tool Error", "TimeoutError: the station is closed")).to_have_count(1)

    await player.call_tool("get_weather", city="Bergen")
    await player.composer.get_by_role("radio", name="Error").click()
    await page.keyboard.type("no data")
    await player.composer.get_by_role("button", name="Send error").click()
    await player.wait_for_turn()
    await expect(player.find_rows("Bergen", "by a person")).to_contain_text("no data")


async def test_what_is_typed_while_the_call_is_loaded_is_in_the_field_that_was_chosen(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Is it cold in Oslo?")
    await player.wait_for_turn()
    await page.get_by_role("button", name="Rules").click()
    panel = page.get_by_role("region", name="Rules")
    await panel.get_by_label("Player of get_weather").select_option("a person")
    await panel.get_by_role("button", name="Close the rules").click()
    loaded = await hold_requests(page, "**/tool-calls/*")
    await player.call_tool("get_weather", city="Oslo")
    await player.composer.get_by_role("radio", name="Error").click()
    await page.keyboard.type("no da")
    await expect(player.composer).to_contain_text("Loading")
    loaded.release()
    await expect(player.composer.get_by_label("Error", exact=True).and_(page.get_by_role("textbox"))).to_be_focused()
    await page.keyboard.type("ta")
    await player.composer.get_by_role("button", name="Send error").click()
    await player.wait_for_turn()
    await expect(player.find_rows("Oslo", "by a person")).to_contain_text("no data")
