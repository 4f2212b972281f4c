"""Whatever changes in the composer, its first field has the focus: a sentence that is typed is recorded as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import kitchen_sink_agents
import pytest
from google.adk.agents import LlmAgent
from google.adk.tools.agent_tool import AgentTool
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator

SENTENCE = "No, we never refund: call Rob, find 35 (b, c, f, n, r), N?"
"""Every letter that a shortcut might be, in lower and upper case."""


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    helper = LlmAgent(name="helper", model="gemini-2.5-flash", description="Helps.")
    desk = LlmAgent(
        name="desk",
        model="gemini-2.5-flash",
        tools=[kitchen_sink_agents.search, kitchen_sink_agents.nested_json, AgentTool(agent=helper)],
    )
    return lambda: AgentSimulator([kitchen_sink_agents.build_agent_config(desk, tmp_path)])


class Typist:
    """A person who uses only the keyboard."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.player = WorkbenchUser(page)

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.page.keyboard.press(key)

    async def type(self, text: str = SENTENCE) -> None:
        await self.page.keyboard.type(text)

    async def wait_for_focus(self, field: str) -> None:
        """Wait until the field with this name has the focus."""
        await expect(self.player.composer.locator(":focus")).to_have_accessible_name(field)

    async def send(self) -> None:
        self.player.note_turn(await self.player.composer.get_attribute("data-turn"))
        await self.press("Control+Enter")

    async def start_turn(self, text: str = "hello") -> None:
        """Send a message as the user, and wait for the turn."""
        await self.wait_for_focus("Message")
        await self.type(text)
        await self.send()
        await self.player.wait_for_turn()
        await self.wait_for_focus("Find a tool")

    async def pick_tool(self, name: str) -> None:
        await self.wait_for_focus("Find a tool")
        await self.type(name)
        await self.press("Enter")

    async def read_rows(self) -> list[dict[str, Any]]:
        session_id = self.page.url.rpartition("/")[2]
        response = await self.page.request.get(
            f"{self.page.url.partition('/sessions')[0]}/api/sessions/{session_id}/rows?start=0&count=100"
        )
        return cast("list[dict[str, Any]]", await response.json())

    async def read_summaries(self, kind: str) -> list[str]:
        return [row["summary"] for row in await self.read_rows() if row["kind"] == kind]


async def test_a_sentence_is_recorded_as_typed_from_the_message_to_the_answer(page: Page) -> None:
    typist = Typist(page)
    await typist.start_turn(SENTENCE)
    await typist.pick_tool("search")
    await typist.wait_for_focus("query")
    await typist.type()
    await typist.send()
    await typist.player.wait_for_turn()
    await typist.wait_for_focus("Find a tool")
    await typist.press("Control+.")
    await typist.wait_for_focus("Final response")
    await typist.type()
    await typist.send()
    await typist.player.wait_until_done()
    await typist.wait_for_focus("Another message")
    await typist.type()
    await typist.send()
    await typist.player.wait_for_turn()
    assert await typist.read_summaries("user") == [SENTENCE, SENTENCE]
    assert await typist.read_summaries("answer") == [SENTENCE]
    (call,) = [row for row in await typist.read_rows() if row["kind"] == "call"]
    assert call["result"] == f"{SENTENCE}:10:int"


@pytest.mark.parametrize("way", ["click", "arrows", "command", "command from the timeline"])
async def test_however_the_mode_is_switched_the_answer_gets_what_is_typed(page: Page, way: str) -> None:
    typist = Typist(page)
    await typist.start_turn()
    answer = typist.player.composer.get_by_role("radio", name="Send Final Response")
    if way == "click":
        await answer.click()
    elif way == "arrows":
        await typist.player.composer.get_by_role("radio", name="Call a Tool").focus()
        await typist.press("ArrowRight")
    else:
        if way == "command from the timeline":
            await page.get_by_role("searchbox", name="Find in the timeline").focus()
        await typist.press("Control+.")
    await expect(answer).to_be_checked()
    await typist.wait_for_focus("Final response")
    await typist.type()
    await typist.send()
    await typist.player.wait_until_done()
    assert await typist.read_summaries("answer") == [SENTENCE]


async def test_in_the_turn_of_an_agent_that_is_a_tool_its_answer_has_the_focus(page: Page) -> None:
    typist = Typist(page)
    await typist.start_turn()
    await typist.pick_tool("helper")
    await typist.wait_for_focus("request")
    await typist.type()
    await typist.send()
    await expect(typist.player.composer).to_contain_text("Your turn as helper")
    await typist.wait_for_focus("Final response")
    await typist.type()
    await typist.send()
    await expect(typist.player.composer).to_contain_text("Your turn as desk")
    await typist.wait_for_focus("Find a tool")
    (call,) = [row for row in await typist.read_rows() if row["subject"] == "helper"]
    assert call["summary"] == f'request="{SENTENCE}"'
    assert call["result"] == SENTENCE


async def test_escape_goes_back_step_by_step_and_loses_nothing(page: Page) -> None:
    typist = Typist(page)
    await typist.start_turn()
    await typist.pick_tool("search")
    await typist.wait_for_focus("query")
    await typist.type("te")
    await typist.press("Control+.")
    await typist.wait_for_focus("Final response")
    await typist.type(SENTENCE[:10])
    await typist.press("Escape")
    await typist.wait_for_focus("query")
    await typist.type("a")
    await typist.press("Escape")
    await typist.wait_for_focus("Find a tool")
    await typist.press("Control+.")
    await typist.wait_for_focus("Final response")
    await typist.type(SENTENCE[10:])
    await typist.press("Escape")
    await typist.pick_tool("search")
    await expect(typist.player.find_field("query")).to_have_value("tea")
    await typist.press("Control+.")
    await typist.wait_for_focus("Final response")
    await typist.send()
    await page.get_by_role("dialog").get_by_role("button", name="Send the response without the call").click()
    await typist.player.wait_until_done()
    assert await typist.read_summaries("answer") == [SENTENCE]


async def test_a_slash_in_an_empty_field_opens_the_finder_and_a_second_one_is_a_slash(page: Page) -> None:
    typist = Typist(page)
    await typist.start_turn()
    await typist.press("Control+.")
    await typist.wait_for_focus("Final response")
    await typist.press("/")
    await typist.wait_for_focus("Find a tool")
    await typist.press("/")
    await typist.wait_for_focus("Final response")
    await typist.type("etc/hosts")
    await typist.send()
    await typist.player.wait_until_done()
    assert await typist.read_summaries("answer") == ["/etc/hosts"]


async def test_text_typed_with_a_tool_without_parameters_is_said_with_the_call(page: Page) -> None:
    typist = Typist(page)
    await typist.start_turn()
    await typist.pick_tool("nested_json")
    await typist.wait_for_focus("Say with the call")
    await typist.type()
    await typist.send()
    await typist.player.wait_for_turn()
    assert await typist.read_summaries("commentary") == [SENTENCE]


async def test_after_a_call_is_collected_or_edited_its_first_field_is_next(page: Page) -> None:
    typist = Typist(page)
    await typist.start_turn()
    for text in ("one", "two"):
        await typist.pick_tool("search")
        await typist.wait_for_focus("query")
        await typist.type(text)
        await typist.player.composer.get_by_role("button", name="Add to turn").click()
    await typist.wait_for_focus("Find a tool")
    await typist.player.composer.get_by_role("button", name="Edit search").first.click()
    await typist.wait_for_focus("query")
    await typist.type(f" {SENTENCE}")
    await typist.send()
    await typist.player.wait_for_turn()
    results = {row["result"] for row in await typist.read_rows() if row["kind"] == "call"}
    assert results == {f"one {SENTENCE}:10:int", "two:10:int"}


@pytest.mark.parametrize("way", ["nothing", "row", "dialog", "rename", "theme"])
async def test_where_no_field_has_the_focus_typed_text_goes_to_the_composer(page: Page, way: str) -> None:
    typist = Typist(page)
    await typist.start_turn()
    await typist.press("Control+.")
    await typist.wait_for_focus("Final response")
    if way == "nothing":
        await page.evaluate("document.activeElement.blur()")
    elif way == "row":
        await typist.player.find_rows("hello").get_by_role("button").first.focus()
    elif way == "dialog":
        await typist.press("Control+/")
        await expect(page.get_by_role("dialog")).to_be_visible()
        await typist.press("Escape")
        await expect(page.get_by_role("dialog")).to_be_hidden()
    elif way == "rename":
        await page.get_by_title("Rename the session").click()
        await typist.type("Another name")
        await typist.press("Enter")
    else:
        await page.get_by_role("button", name="Dark theme").focus()
    await typist.type()
    await expect(typist.player.composer.get_by_role("textbox", name="Final response")).to_have_value(SENTENCE)


async def test_a_name_that_is_being_typed_is_not_interrupted_by_a_turn(page: Page) -> None:
    typist = Typist(page)
    await typist.wait_for_focus("Message")
    await page.get_by_title("Rename the session").click()
    name = page.get_by_label("Name of the session")
    await name.fill("Half a ")
    await page.evaluate(
        """() => fetch(`/api${location.pathname}/messages`, {
          method: "POST", headers: {"Content-Type": "application/json"},
          body: JSON.stringify({text: "hello", json_text: null, files: [], force: false}),
        })"""
    )
    await typist.player.wait_for_turn()
    await typist.type("name")
    await expect(name).to_have_value("Half a name")
    await typist.press("Enter")
    await typist.wait_for_focus("Find a tool")
