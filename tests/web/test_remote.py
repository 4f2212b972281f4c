"""A person in the browser plays an agent that runs in another process, at a server in a third."""

from __future__ import annotations

import json
import os
import re
from asyncio import to_thread
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from adk_eval_command import run_adk_eval
from browser_pages import OpenPage, PageWatch
from fork_server import ForkedProcess
from playwright.async_api import Page, expect
from processes import ServerProcess, read_lines, start_python
from scripted_model import call_response, text_response
from workbench_user import WorkbenchUser

SECRET = "sk-live-Zq81mQ0vXe"  # noqa: S105 - a made-up one
TESTS = Path(__file__).parent.parent
AGENT = TESTS / "remote" / "agent_process.py"
PAUSING_AGENT = TESTS / "remote" / "pausing_agent.py"
RESTARTING_AGENT = TESTS / "remote" / "restarting_agent.py"


class _Served:
    """What the fixtures of a page want of a server."""

    def __init__(self, process: ServerProcess) -> None:
        self.process = process
        self.url = process.web_url


@pytest_asyncio.fixture(loop_scope="session")
async def server(tmp_path: Path) -> AsyncIterator[_Served]:
    process = ServerProcess(tmp_path / "simulator.db", web=True)
    await process.start()
    yield _Served(process)
    await process.stop()


async def agent(server: _Served, *options: str, script: Path = AGENT) -> ForkedProcess:
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    return await start_python(script, *options, ADK_SIM_SERVER_URL=server.process.url, PYTHONPATH=path)


async def test_a_running_agents_turns_are_in_the_queue_and_answered_here(
    page: Page, server: _Served, tmp_path: Path
) -> None:
    await expect(page.get_by_role("main", name="Queue")).to_contain_text("No turns are waiting.")
    running = await agent(server, "math")
    row = page.get_by_role("row").filter(has_text="math_agent")
    await expect(row).to_have_count(1)
    await row.get_by_role("link").click()
    player = WorkbenchUser(page)
    await player.wait_for_turn()
    await expect(player.find_rows("user")).to_contain_text("What is 2+2, and 3*3?")
    await page.get_by_role("tab", name="State").click()
    await expect(page.get_by_role("tabpanel", name="State")).to_contain_text("edit it where the agent runs")
    await expect(page.get_by_role("button", name="Edit state")).to_have_count(0)
    await player.call_tool("add", a="2", b="2")
    await player.wait_for_turn()
    await expect(player.find_rows("add", "→", "4")).to_have_count(1)
    await player.choose_tool("multiply")
    await player.find_field("a").fill("3")
    await player.find_field("b").fill("3")
    await player.execute()
    await player.wait_for_turn()
    await player.respond("2+2 is 4, and 3*3 is 9.")
    await expect(player.find_rows("And 1/0?")).to_have_count(1)
    await player.wait_for_turn()
    await player.call_tool("divide", dividend="1", divisor="0")
    await expect(player.find_rows("Tool Error", "ZeroDivisionError")).to_have_count(1)
    await player.wait_for_turn()
    await player.respond("One cannot divide by zero.")
    assert await read_lines(running) == ["One cannot divide by zero."]
    await expect(player.status).to_have_text("Done")

    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Write the file").click()
    await expect(dialog).to_contain_text("Written as")
    script = [
        call_response(("add", {"a": 2, "b": 2})),
        call_response(("multiply", {"a": 3, "b": 3})),
        text_response("2+2 is 4, and 3*3 is 9."),
        call_response(("divide", {"dividend": 1, "divisor": 0})),
        text_response("One cannot divide by zero."),
    ]
    (eval_set,) = await to_thread(lambda: list(tmp_path.glob("*.evalset.json")))
    run = await to_thread(run_adk_eval, tmp_path / "agents", "math_agent", eval_set, script)
    assert run.passed, run.output


async def test_a_turn_waits_through_a_restart_of_the_server(
    page: Page, open_page: OpenPage, server: _Served, watch: PageWatch
) -> None:
    watch.allow_fault("ERR_CONNECTION|WebSocket|Failed to load")
    running = await agent(server, "sums")
    row = page.get_by_role("row").filter(has_text="sums")
    await expect(row).to_have_count(1)
    await server.process.kill()
    await expect(page.get_by_role("alert").first).to_contain_text("Lost the connection to the server")
    await server.process.start()
    watch.allow_server(server.process.web_url)
    back = await open_page(server.process.web_url)
    player = WorkbenchUser(back)
    await back.get_by_role("row").filter(has_text="sums").get_by_role("link").click()
    await player.wait_for_turn()
    await player.respond("Nothing to sum up.")
    assert await read_lines(running) == ["Nothing to sum up."]


async def test_sessions_are_renamed_and_deleted_where_they_are_listed(page: Page, server: _Served) -> None:
    running = await agent(server, "sums")
    await expect(page.get_by_role("row").filter(has_text="sums")).to_have_count(1)
    await page.get_by_role("navigation").get_by_role("link", name="Sessions").click()
    row = page.get_by_role("row").filter(has_text="sums")
    await expect(row).to_contain_text("Your turn")
    await row.get_by_role("button").click()
    await page.get_by_role("menuitem", name="Rename").click()
    await page.get_by_role("dialog").get_by_label("Name of the session").fill("The sums")
    await page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    await page.get_by_role("link", name="The sums").click()
    player = WorkbenchUser(page)
    await player.wait_for_turn()
    await player.respond("Done.")
    assert await read_lines(running) == ["Done."]
    await page.go_back()
    row = page.get_by_role("row").filter(has_text="The sums")
    await row.get_by_role("button").click()
    await page.get_by_role("menuitem", name="Delete").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    await expect(page.get_by_text("There are no sessions yet.")).to_be_visible()


async def test_agents_side_by_side_elsewhere_are_played_in_the_order_they_asked(page: Page, server: _Served) -> None:
    running = await agent(server, "parallel")
    rows = page.get_by_role("row").filter(has_text="a")
    await expect(rows.get_by_role("link")).to_have_count(3)
    order = [await row.locator("td").nth(1).inner_text() for row in (await page.get_by_role("row").all())[1:]]
    await rows.get_by_role("link").first.click()
    player = WorkbenchUser(page)
    for name in order:
        await expect(player.composer).to_contain_text(f"Your turn as {name}")
        await player.respond(f"I am {name}.")
    await read_lines(running)
    await expect(player.status).to_have_text("Done")
    for name in order:
        await expect(player.find_rows(f"I am {name}.")).to_have_count(1)


async def test_an_agent_elsewhere_hands_over_and_answers_in_its_structure(page: Page, server: _Served) -> None:
    running = await agent(server, "shop")
    row = page.get_by_role("row").filter(has_text="shop_agent")
    await expect(row).to_have_count(1)
    await row.get_by_role("link").click()
    player = WorkbenchUser(page)
    await player.wait_for_turn()
    await player.respond("Which cables?")
    await expect(player.find_rows("Refund ORD-0001.")).to_have_count(1)
    await player.wait_for_turn()
    await player.choose_tool("transfer_to_agent")
    await player.composer.get_by_role("radio", name="refund_agent").check()
    await player.execute()
    await expect(player.composer).to_contain_text("Your turn as refund_agent")
    await player.composer.get_by_role("radio", name="Send Final Response").click()
    await player.find_field("order_id").fill("ORD-0001")
    await player.composer.get_by_role("radiogroup", name="granted").get_by_role("radio", name="false").check()
    await player.find_field("amount").fill("0")
    await player.find_field("reason").fill("No such order.")
    await player.submit_response()
    (answer,) = await read_lines(running)
    assert json.loads(answer)["reason"] == "No such order."
    await expect(player.status).to_have_text("Done")


async def test_a_response_that_only_the_agents_process_rejects_can_be_corrected(page: Page, server: _Served) -> None:
    running = await agent(server, "rater")
    row = page.get_by_role("row").filter(has_text="rater")
    await expect(row).to_have_count(1)
    await row.get_by_role("link").click()
    player = WorkbenchUser(page)
    await player.wait_for_turn()
    await player.composer.get_by_role("radio", name="Send Final Response").click()
    await player.find_field("title").fill("TODO: find one")
    await player.find_field("stars").fill("4")
    await player.submit_response()
    await player.wait_for_turn()
    await expect(player.composer.get_by_role("alert")).to_contain_text("it must not contain TODO")
    await expect(player.find_field("title")).to_have_value("TODO: find one")
    await expect(player.find_field("stars")).to_have_value("4")
    await player.find_field("title").fill("Good tea")
    await player.submit_response()
    (answer,) = await read_lines(running)
    assert json.loads(answer) == {"title": "Good tea", "stars": 4}
    await expect(player.composer.get_by_role("alert")).to_have_count(0)
    await expect(player.status).to_have_text("Done")


async def _open_actions(page: Page, player: WorkbenchUser, *texts: str) -> None:
    row = player.find_rows(*texts).first
    await row.hover()
    await row.get_by_role("button", name=re.compile("^Actions of row")).click()


async def _edit_state(page: Page, player: WorkbenchUser) -> None:
    await page.get_by_role("tab", name="State").click()
    await page.get_by_role("button", name="Edit state").click()
    await page.get_by_label("State, as JSON").fill('{"stamp": "blue"}')
    await page.get_by_role("button", name="Set state").click()
    await expect(player.find_rows("state edited", "stamp=blue")).to_have_count(1)
    await expect(page.get_by_role("tabpanel", name="State")).to_contain_text("blue")


async def test_the_past_is_changed_in_the_agents_process_or_the_reason_is_shown(page: Page, server: _Served) -> None:
    player = WorkbenchUser(page)
    plain = await agent(server, "plain", script=RESTARTING_AGENT)
    await page.get_by_role("row").filter(has_text="plain_adder").get_by_role("link").click()
    await player.wait_for_turn()
    await player.call_tool("add", a="1", b="1")
    await player.wait_for_turn()
    undo = player.timeline.get_by_role("button", name="Undo", exact=True)
    await expect(undo).to_be_disabled()
    await expect(undo).to_have_attribute("title", re.compile("runs in another process, which cannot restart it"))
    await _open_actions(page, player, "add", "a=1 b=1")
    for action in ("Go back to here", "Fork here"):
        item = page.get_by_role("menuitem", name=action)
        await expect(item).to_be_disabled()
        await expect(item).to_contain_text("Pass `restart=` to its SimulatorPlugin")
    await page.keyboard.press("Escape")
    plain.kill()
    await plain.wait()

    running = await agent(server, script=RESTARTING_AGENT)
    await page.goto(server.url.split("?")[0])
    await page.get_by_role("row").filter(has_text="adder").filter(has_not_text="plain").get_by_role("link").click()
    await player.wait_for_turn()
    await _edit_state(page, player)
    await player.call_tool("add", a="2", b="2")
    await player.wait_for_turn()
    await page.get_by_role("tab", name="Instruction").click()
    await expect(page.get_by_role("tabpanel", name="Instruction")).to_contain_text("the stamp is blue")
    await undo.click()
    await expect(player.find_rows("add", "a=2 b=2")).to_have_class(re.compile("undone"))
    await player.wait_for_turn()
    await player.call_tool("add", a="3", b="3")
    await player.wait_for_turn()
    address = page.url
    await _open_actions(page, player, "add", "a=3 b=3")
    await page.get_by_role("menuitem", name="Fork here").click()
    await expect(page).not_to_have_url(address)
    await player.wait_for_turn()
    await player.respond("In the fork.")
    await expect(player.status).to_have_text("Done")
    await expect(player.find_rows("In the fork.")).to_have_count(1)
    running.kill()
    await running.wait()
    await page.goto(address)
    await expect(undo).to_have_attribute("title", re.compile("could restart it and has ended"))


async def _open_paused(page: Page, server: _Served, kind: str, app_name: str) -> tuple[WorkbenchUser, ForkedProcess]:
    """Start an agent in another process that pauses, and open its session from the queue."""
    running = await agent(server, kind, script=PAUSING_AGENT)
    await page.get_by_role("row").filter(has_text=app_name).get_by_role("link").click()
    return WorkbenchUser(page), running


async def _stop(running: ForkedProcess) -> None:
    running.kill()
    await running.wait()


@pytest.mark.parametrize(("button", "text"), [("Approve", "refunded 5"), ("Deny", "denied")])
async def test_a_call_elsewhere_runs_when_the_user_has_confirmed_it_here(
    page: Page, server: _Served, button: str, text: str
) -> None:
    player, running = await _open_paused(page, server, "confirmation", "refunds")
    await player.call_tool("refund", amount="5")
    await expect(player.status).to_have_text("Needs consent")
    await player.composer.get_by_role("button", name=button).click()
    await player.wait_for_turn()
    await expect(player.find_rows("refund", text).first).to_be_visible()
    await player.respond("Settled.")
    await player.wait_until_done()
    await _stop(running)


async def test_a_workflow_elsewhere_goes_on_with_the_input_of_a_form(
    page: Page, server: _Served, watch: PageWatch
) -> None:
    watch.allow_fault("422")
    player, running = await _open_paused(page, server, "input", "trips")
    await expect(player.status).to_have_text("Needs input")
    await expect(player.composer).to_contain_text("Where to?")
    await player.find_field("nights").fill("2")
    await player.composer.get_by_role("button", name="Send input").click()
    await expect(player.find_field_frame("city")).to_contain_text("is missing")
    await player.find_field("city").fill("Rome")
    await player.composer.get_by_role("button", name="Send input").click()
    await expect(player.find_rows("Booked {'city': 'Rome', 'nights': 2}")).to_have_count(1)
    await player.wait_until_done()
    await _stop(running)


async def test_a_tool_elsewhere_gets_a_credential_that_nothing_here_keeps(
    page: Page, server: _Served, tmp_path: Path
) -> None:
    player, running = await _open_paused(page, server, "credential", "weather")
    await player.call_tool("get_weather", city="Rome")
    await expect(player.status).to_have_text("Needs a credential")
    await page.get_by_label("username").fill("ada")
    await page.get_by_label("password").fill(SECRET)
    await player.composer.get_by_role("button", name="Send credential").click()
    await player.wait_for_turn()
    await expect(player.find_rows("X-Weather-Key: [redacted]")).to_have_count(1)
    assert SECRET not in await page.content()
    await player.respond("Sunny")
    await player.wait_until_done()
    await _stop(running)
    files = await to_thread(lambda: [path for path in tmp_path.rglob("*") if path.is_file()])
    assert files
    assert [path for path in files if SECRET.encode() in path.read_bytes()] == []
