"""A person in the browser plays an agent that runs in another process, at a server in a third."""

from __future__ import annotations

import json
import os
from asyncio import to_thread
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from adk_eval import evaluate
from browser import OpenPage, Watch
from playing import Player
from playwright.async_api import Page, expect
from processes import ServerProcess, lines_of, start_python
from scripted import calls, says

TESTS = Path(__file__).parent.parent
AGENT = TESTS / "remote" / "agent_process.py"


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


async def agent(server: _Served, kind: str) -> Process:
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    return await start_python(AGENT, kind, ADK_SIM_SERVER_URL=server.process.url, PYTHONPATH=path)


async def test_a_running_agents_turns_are_in_the_queue_and_answered_here(
    page: Page, server: _Served, tmp_path: Path
) -> None:
    await expect(page.get_by_role("main", name="Queue")).to_contain_text("No turn waits for you.")
    running = await agent(server, "math")
    row = page.get_by_role("row").filter(has_text="math_agent")
    await expect(row).to_have_count(1)
    await row.get_by_role("link").click()
    player = Player(page)
    await player.my_turn()
    await expect(player.row("user")).to_contain_text("What is 2+2, and 3*3?")
    await player.call("add", a="2", b="2")
    await player.my_turn()
    await expect(player.row("add", "→", "4")).to_have_count(1)
    await player.pick("multiply")
    await player.field("a").fill("3")
    await player.field("b").fill("3")
    await player.execute()
    await player.my_turn()
    await player.answer("2+2 is 4, and 3*3 is 9.")
    await expect(player.row("And 1/0?")).to_have_count(1)
    await player.my_turn()
    await player.call("divide", dividend="1", divisor="0")
    await expect(player.row("Tool Error", "ZeroDivisionError")).to_have_count(1)
    await player.my_turn()
    await player.answer("One cannot divide by zero.")
    assert await lines_of(running) == ["One cannot divide by zero."]
    await expect(player.status).to_have_text("Done")

    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Write the case").click()
    await expect(dialog).to_contain_text("Written as")
    script = [
        calls(("add", {"a": 2, "b": 2})),
        calls(("multiply", {"a": 3, "b": 3})),
        says("2+2 is 4, and 3*3 is 9."),
        calls(("divide", {"dividend": 1, "divisor": 0})),
        says("One cannot divide by zero."),
    ]
    (eval_set,) = await to_thread(lambda: list(tmp_path.glob("*.evalset.json")))
    run = await to_thread(evaluate, tmp_path / "agents", "math_agent", eval_set, script)
    assert run.passed, run.output


async def test_a_turn_waits_through_a_restart_of_the_server(
    page: Page, open_page: OpenPage, server: _Served, watch: Watch
) -> None:
    watch.allow("ERR_CONNECTION|WebSocket|Failed to load")
    running = await agent(server, "sums")
    row = page.get_by_role("row").filter(has_text="sums")
    await expect(row).to_have_count(1)
    await server.process.kill()
    await expect(page.get_by_role("alert").first).to_contain_text("The server is gone")
    await server.process.start()
    watch.also(server.process.web_url)
    back = await open_page(server.process.web_url)
    player = Player(back)
    await back.get_by_role("row").filter(has_text="sums").get_by_role("link").click()
    await player.my_turn()
    await player.answer("Nothing to sum up.")
    assert await lines_of(running) == ["Nothing to sum up."]


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
    player = Player(page)
    await player.my_turn()
    await player.answer("Done.")
    assert await lines_of(running) == ["Done."]
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
    player = Player(page)
    for name in order:
        await expect(player.composer).to_contain_text(f"Your turn as {name}")
        await player.answer(f"I am {name}.")
    await lines_of(running)
    await expect(player.status).to_have_text("Done")
    for name in order:
        await expect(player.row(f"I am {name}.")).to_have_count(1)


async def test_an_agent_elsewhere_hands_over_and_answers_in_its_structure(page: Page, server: _Served) -> None:
    running = await agent(server, "shop")
    row = page.get_by_role("row").filter(has_text="shop_agent")
    await expect(row).to_have_count(1)
    await row.get_by_role("link").click()
    player = Player(page)
    await player.my_turn()
    await player.answer("Which cables?")
    await expect(player.row("Refund ORD-0001.")).to_have_count(1)
    await player.my_turn()
    await player.pick("transfer_to_agent")
    await player.composer.get_by_role("radio", name="refund_agent").check()
    await player.execute()
    await expect(player.composer).to_contain_text("Your turn as refund_agent")
    await player.composer.get_by_role("radio", name="Send Final Response").click()
    await player.field("order_id").fill("ORD-0001")
    await player.composer.get_by_role("radiogroup", name="granted").get_by_role("radio", name="false").check()
    await player.field("amount").fill("0")
    await player.field("reason").fill("No such order.")
    await player.send_answer()
    (answer,) = await lines_of(running)
    assert json.loads(answer)["reason"] == "No such order."
    await expect(player.status).to_have_text("Done")
