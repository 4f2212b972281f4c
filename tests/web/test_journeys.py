"""The whole way with the demo agents, as a new user takes it: choose, ask, call, fail, answer, export, evaluate."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest
from adk_eval_command import run_adk_eval
from browser_pages import PageWatch
from playwright.async_api import Page, expect
from scripted_model import call_response, text_response
from workbench_user import WorkbenchUser


@pytest.mark.req("001/FR-007a")
async def test_the_agents_are_cards_that_say_what_they_can_do(page: Page, tmp_path: Path) -> None:
    card = page.get_by_role("article", name="math_agent")
    await expect(card).to_contain_text("Calculates with tools, step by step.")
    await expect(card).to_contain_text("add, multiply, divide, count_slowly")
    await expect(card).to_contain_text(str(tmp_path / "math_agent.evalset.json"))
    await expect(card).to_contain_text("no file yet")
    await expect(page.get_by_role("article")).to_have_count(2)
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await expect(page).to_have_url(re.compile(r"/sessions/[0-9a-f-]+$"))


FIVE_MINUTES = 300


async def wait_for_choices(player: WorkbenchUser) -> None:
    """Wait for a turn in which both choices are offered."""
    await player.wait_for_turn()
    for choice in ("Call a Tool", "Send Final Response"):
        await expect(player.composer.get_by_role("radio", name=choice)).to_be_visible()


@pytest.mark.req("001/FR-011", "001/FR-012", "001/FR-014", "001/FR-018", "001/FR-019", "001/FR-020", "001/FR-029e")
@pytest.mark.req("001/SC-001", "001/US2.1", "001/US2.2", "001/US2.3")
async def test_a_session_from_the_first_message_to_the_golden_trace(page: Page, tmp_path: Path) -> None:
    player = WorkbenchUser(page)
    async with asyncio.timeout(FIVE_MINUTES):
        await player.start_session("math_agent")
        await player.send_message("What is 6 / 0, 2 + 2 and 3 * 4?")
        await wait_for_choices(player)
        await expect(player.composer).to_contain_text("Your turn as math_agent")
        await player.call_tool("divide", dividend="6", divisor="0")
        await wait_for_choices(player)
        failed = player.find_rows("Tool Error", "divide", "ZeroDivisionError")
        await expect(failed).to_have_count(1)
        await player.call_tool("add", a="2", b="2")
        await wait_for_choices(player)
        await expect(player.find_rows("call", "add", "a=2 b=2", "→", "4")).to_have_count(1)
        await player.call_tool("multiply", a="3", b="4")
        await wait_for_choices(player)
        await expect(player.find_rows("call", "multiply", "a=3 b=4", "→", "12")).to_have_count(1)
        await expect(page.get_by_role("banner").get_by_role("button", name="Export")).to_be_disabled()
        await player.respond("6 / 0 has no result; 2 + 2 is **4**.")
        await player.wait_until_done()
    await expect(player.timeline.get_by_role("article")).to_have_count(5)
    rows = await player.timeline.get_by_role("article").all()
    assert [await row.get_attribute("data-kind") for row in rows] == ["user", "call", "call", "call", "answer"]
    words = [await row.locator(".row-kind").inner_text() for row in rows]
    assert words == ["user", "Tool Error", "call", "call", "answer"]
    colours = [await row.evaluate("row => getComputedStyle(row).borderLeftColor") for row in rows]
    assert len(set(zip(words, colours, strict=True))) == len(set(colours)) == 4
    icons = [await row.locator(".row-kind svg").inner_html() for row in rows]
    assert len(set(zip(words, icons, strict=True))) == len(set(icons)) == 4
    await expect(player.timeline.get_by_role("article").first).to_contain_text("What is 6 / 0, 2 + 2 and 3 * 4?")

    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Write the file").click()
    await expect(dialog).to_contain_text("Written as")
    await expect(dialog).to_contain_text("adk eval")
    path = tmp_path / "math_agent.evalset.json"
    await expect(dialog).to_contain_text(str(path))
    written = json.loads(path.read_text())
    (case,) = written["eval_cases"]
    await expect(dialog).to_contain_text(case["eval_id"])
    assert case["conversation"][0]["final_response"]["parts"][0]["text"] == "6 / 0 has no result; 2 + 2 is **4**."
    await dialog.get_by_role("button", name="Close", exact=True).click()

    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    await expect(dialog).to_contain_text("Exported just now")


async def test_a_second_export_asks_first(page: Page, tmp_path: Path, watch: PageWatch) -> None:
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.respond("Hello!")
    await player.wait_until_done()
    path = tmp_path / "math_agent.evalset.json"
    for cases in (1, 2):
        await player.composer.get_by_role("button", name="Export").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_role("button", name="Write the file").click()
        if cases == 2:
            watch.allow_fault("409")
            await expect(dialog.get_by_role("alert")).to_be_visible()
            assert len(json.loads(path.read_text())["eval_cases"]) == 1
            await dialog.get_by_role("button", name="Export again").click()
        await expect(dialog).to_contain_text("Written as")
        assert len(json.loads(path.read_text())["eval_cases"]) == cases
        await dialog.get_by_role("button", name="Close", exact=True).click()


@pytest.mark.req("001/US3.4", "001/SC-002")
async def test_what_was_played_in_the_browser_passes_adk_eval(page: Page, tmp_path: Path) -> None:
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await player.send_message("What is 2+2?")
    await player.wait_for_turn()
    await player.call_tool("add", a="2", b="2")
    await player.wait_for_turn()
    await player.respond("The answer is 4.")
    await player.wait_until_done()
    await player.composer.get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Write the file").click()
    await expect(dialog).to_contain_text("Written as")
    script = [call_response(("add", {"a": 2, "b": 2})), text_response("The answer is 4.")]
    eval_set = tmp_path / "math_agent.evalset.json"
    run = await asyncio.to_thread(run_adk_eval, tmp_path / "agents", "math_agent", eval_set, script)
    assert run.passed, run.output


async def test_a_session_is_exported_as_a_fixture_for_adk_test(page: Page, tmp_path: Path) -> None:
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.respond("Hello!")
    await player.wait_until_done()
    await player.composer.get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("radio", name="Fixture for adk test").click()
    await dialog.get_by_role("button", name="Write the file").click()
    await expect(dialog).to_contain_text("Written as")
    (fixture,) = (tmp_path / "tests").glob("*.json")
    await expect(dialog).to_contain_text(str(fixture))
    assert "Hello!" in fixture.read_text()


@pytest.mark.parametrize("way", ["leave the field", "press at once", "Enter"])
async def test_another_file_is_chosen_and_written(page: Page, tmp_path: Path, way: str) -> None:
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.respond("Hello!")
    await player.wait_until_done()
    await player.composer.get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog")
    field = dialog.get_by_label(f"File, in {tmp_path}")
    await expect(field).to_have_value(str(tmp_path / "math_agent.evalset.json"))
    await field.fill("greetings/hello.evalset.json")
    path = tmp_path / "greetings" / "hello.evalset.json"
    if way == "leave the field":
        await field.press("Tab")
        await expect(field).to_have_value(str(path))
    if way == "Enter":
        await field.press("Enter")
        await expect(field).to_have_value(str(path))
        await expect(dialog).not_to_contain_text("Written as")
    await dialog.get_by_role("button", name="Write the file").click()
    await expect(dialog).to_contain_text("Written as")
    await expect(dialog).to_contain_text(str(path))
    (case,) = json.loads(path.read_text())["eval_cases"]
    assert case["conversation"][0]["final_response"]["parts"][0]["text"] == "Hello!"
    assert not (tmp_path / "math_agent.evalset.json").exists()


async def test_a_file_outside_of_the_allowed_folder_is_refused_and_can_be_corrected(
    page: Page, tmp_path: Path, watch: PageWatch
) -> None:
    watch.allow_fault(r"4\d\d")
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.respond("Hello!")
    await player.wait_until_done()
    await player.composer.get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog")
    field = dialog.get_by_label(f"File, in {tmp_path}")
    await field.fill("../elsewhere.evalset.json")
    await dialog.get_by_role("button", name="Write the file").click()
    await expect(dialog.get_by_role("alert")).to_contain_text(f"../elsewhere.evalset.json is outside of {tmp_path}")
    await expect(field).to_have_value("../elsewhere.evalset.json")
    await field.fill("here.evalset.json")
    await dialog.get_by_role("button", name="Write the file").click()
    await expect(dialog).to_contain_text("Written as")
    assert (tmp_path / "here.evalset.json").exists()
    assert not (tmp_path.parent / "elsewhere.evalset.json").exists()


async def test_a_second_user_message_goes_on_and_finishing_closes(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.start_session("shop_agent")
    await player.send_message("hello")
    await player.wait_for_turn()
    await player.respond("Hello, how can I help?")
    await player.wait_until_done()
    await player.send_message("bye")
    await player.wait_for_turn()
    await player.respond("Good bye.")
    await player.wait_until_done()
    await expect(player.find_rows("user")).to_have_count(2)
    await player.composer.get_by_role("button", name="Close session").click()
    await expect(player.status).to_have_text("Closed")
    await expect(player.composer).to_contain_text("This session is closed")
