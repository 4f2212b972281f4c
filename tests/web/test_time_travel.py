"""A person corrects a session: undo, redo, go back, call again, fork, edit, and let somebody else play on."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from api_client import build_config
from browser_pages import OpenPage, PageWatch
from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from playwright.async_api import Locator, Page, expect
from scripted_model import ScriptedModel, text_response
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def greet(callback_context: CallbackContext) -> None:
    """A callback without a condition that could differ; it waits if that is wanted."""
    await RELEASED.wait()


def count_runs(callback_context: CallbackContext) -> None:
    """A callback that does something else each time."""
    RUNS.append("run")
    callback_context.state["runs"] = len(RUNS)


RUNS: list[str] = []
RELEASED = asyncio.Event()


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    model = ScriptedModel(script=[text_response("The model says four.")])
    adder = LlmAgent(name="adder", model=model, tools=[add])
    watched = LlmAgent(
        name="watched",
        model=model,
        instruction="Run {runs?}",
        tools=[add],
        before_agent_callback=[greet, count_runs],
    )
    return lambda: AgentSimulator([build_config(agent, tmp_path) for agent in (adder, watched)])


async def choose_action(page: Page, row: Locator, action: str) -> None:
    """Choose an action of a row's menu."""
    await row.hover()
    await row.get_by_role("button", name=re.compile("^Actions of row")).click()
    await page.get_by_role("menuitem", name=action).click()


async def play(player: WorkbenchUser, agent: str) -> None:
    """Play a call and a wrong answer."""
    await player.start_session(agent)
    await player.send_message("2+2?")
    await player.wait_for_turn()
    await player.call_tool("add", a="2", b="2")
    await player.wait_for_turn()
    await player.respond("five")
    await player.wait_until_done()


async def test_a_person_corrects_a_session_and_lets_others_play_on(open_page: OpenPage) -> None:
    page = await open_page()
    player = WorkbenchUser(page)
    await play(player, "adder")
    header = page.get_by_role("banner")
    undo, redo = (player.timeline.get_by_role("button", name=name, exact=True) for name in ("Undo", "Redo"))
    wrong = player.find_rows("five").first

    await undo.click()
    await player.wait_for_turn()
    await expect(wrong).to_have_class(re.compile("undone"))
    await page.get_by_role("button", name="Compact").focus()
    await page.keyboard.press("Control+Shift+Z")
    await player.wait_until_done()
    await expect(wrong).not_to_have_class(re.compile("undone"))
    await expect(redo).to_be_disabled()
    await page.get_by_role("button", name="Compact").focus()
    await page.keyboard.press("Control+Z")
    await player.wait_for_turn()

    # The call before it, with its arguments in the form.
    call = player.find_rows("add", "a=2 b=2").first
    await call.hover()
    await call.get_by_role("button", name=re.compile("^Call again")).click()
    await expect(player.find_field("a")).to_have_value("2")
    await player.find_field("a").fill("3")
    await player.execute()
    await player.wait_for_turn()
    await expect(player.find_rows("a=3 b=2")).to_have_count(1)
    await choose_action(page, call, "Go back to here")
    await expect(player.find_rows("a=3 b=2")).to_have_class(re.compile("undone"))
    await expect(call).to_have_class(re.compile("undone"))
    await player.respond("four")
    await player.wait_until_done()

    # A fork with another message, which the agent's own model answers.
    address = page.url
    await choose_action(page, player.find_rows("user", "2+2?"), "Edit in a fork")
    message = player.composer.get_by_role("textbox", name="Message")
    await expect(message).to_have_value("2+2?")
    assert page.url != address
    await header.get_by_role("button", name="You play").click()
    await page.get_by_role("menuitem", name="The agent's own model").click()
    await expect(header.get_by_role("button", name="Model plays")).to_be_visible()
    await player.send_message("1+3?")
    await player.wait_until_done()
    await expect(player.find_rows("The model says four.")).to_contain_text("model")
    await header.get_by_role("button", name="Fork", exact=True).click()
    await page.get_by_role("menuitem", name="2+2?").click()
    await expect(page).to_have_url(address)
    await expect(header.get_by_role("button", name="1 fork")).to_be_visible()

    # A recording plays the corrected session again.
    await header.get_by_role("button", name="New").click()
    await expect(player.status).to_have_text("Waiting for a message")
    await player.send_message("2+2?")
    await player.wait_for_turn()
    await header.get_by_role("button", name="You play").click()
    await page.get_by_role("menuitem", name=re.compile("^2\\+2")).click()
    await player.wait_until_done()
    await expect(player.find_rows("answer", "four")).to_contain_text("replay")


async def test_callbacks_are_named_before_and_a_difference_is_accepted_or_not(
    open_page: OpenPage, watch: PageWatch
) -> None:
    watch.allow_fault("409")
    RELEASED.set()
    page = await open_page()
    player = WorkbenchUser(page)
    await play(player, "watched")
    await choose_action(page, player.find_rows("answer", "five"), "Edit and continue")
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("before_agent_callback greet")
    await expect(dialog).to_contain_text("before_agent_callback count_runs")
    await dialog.get_by_role("button", name="Go back").click()
    await expect(dialog).to_contain_text("is different")
    await dialog.get_by_role("button", name="Leave it as it is").click()
    await expect(player.status).to_have_text("Done")
    await choose_action(page, player.find_rows("answer", "five"), "Edit and continue")
    RELEASED.clear()
    await dialog.get_by_role("button", name="Go back").click()
    await expect(dialog.get_by_role("status")).to_contain_text("is replayed, and waits for an event of agent 'watched'")
    RELEASED.set()
    await dialog.get_by_role("button", name="Continue anyway").click()
    await player.wait_for_turn()
    response = player.composer.get_by_role("textbox", name="Final response")
    await expect(response).to_have_value("five")
    await response.fill("four")
    await player.submit_response()
    await player.wait_until_done()
