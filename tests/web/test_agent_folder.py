"""A folder of agents in the browser: cards, one that is broken, changed code, and sessions after a restart."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import workbench_server
from agent_folders import forget_imports, write_agent
from browser_pages import PageWatch, new_context, open_page
from eval_case_files import build_case, build_turn, write_eval_set
from playwright.async_api import Browser, Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator
from adk_agent_sim.server.web.web_server import RunningServer


@dataclass(frozen=True, kw_only=True)
class _FolderServer:
    """A server of a folder, which can be started again at the same address."""

    folder: Path
    port: int = 0

    async def start(self, *, port: int) -> RunningServer:
        simulator = AgentSimulator(folder=self.folder, reload=not self.port, database=self.folder.parent / "kept.db")
        return await simulator.start(port=self.port or port)


async def test_cards_a_broken_agent_changed_code_and_a_fork_after_a_restart(browser: Browser, tmp_path: Path) -> None:
    agents = tmp_path / "agents"
    write_agent(agents, "walk_agent", description="Walks.")
    write_agent(agents, "ruined_agent", "raise ValueError('<img src=x onerror=alert(1)>')")
    context = await new_context(browser)
    with forget_imports():
        async with workbench_server.run_workbench(lambda: _FolderServer(folder=agents)) as server:
            port = urlsplit(server.url).port or 0
            watch = PageWatch(server.url)
            watch.allow_fault("404")  # the attempt to load the broken agent
            page = await open_page(context, server.url, watch)
            await _repair_agent(page, agents)
            await _change_code(page, agents)
            player = WorkbenchUser(page)
            await player.composer.get_by_role("radio", name="Send Final Response").click()
            await player.composer.get_by_role("textbox", name="Final response").fill("Half an answ")
            assert watch.faults == []
    async with workbench_server.run_workbench(lambda: _FolderServer(folder=agents, port=port)):
        await page.reload()
        await _continue_in_fork(page)
        await _check_list(page)
    await context.close()


async def test_the_page_of_a_folder_whose_only_agent_does_not_load_says_why(browser: Browser, tmp_path: Path) -> None:
    agents = tmp_path / "agents"
    write_agent(agents, "lonely_agent", "raise ValueError('not today')")
    context = await new_context(browser)
    with forget_imports():
        async with workbench_server.run_workbench(lambda: _FolderServer(folder=agents)) as server:
            watch = PageWatch(server.url)
            watch.allow_fault("404")  # the attempts to load it
            page = await open_page(context, server.url, watch)
            card = page.get_by_role("article", name="lonely_agent")
            await expect(card).to_contain_text("It cannot be loaded: ValueError: not today.")
            await card.get_by_role("button", name="Try again").click()
            await expect(card).to_contain_text("It cannot be loaded: ValueError: not today.")
            write_agent(agents, "lonely_agent", description="Repaired.")
            await expect(card).to_contain_text("Repaired.")
            await WorkbenchUser(page).start_session("lonely_agent")
            assert watch.faults == []
    await context.close()


async def test_an_exported_session_is_opened_and_replayed_on_the_evals_page(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents = tmp_path / "agents"
    turn = build_turn("Greet Ada", "Done", ("greet", {"name": "Ada"}, "Hello Ada"))
    write_eval_set(write_agent(agents, "walk_agent") / "golden.evalset.json", build_case("hello", turn))
    monkeypatch.chdir(tmp_path)
    context = await new_context(browser)
    with forget_imports():
        async with workbench_server.run_workbench(lambda: _FolderServer(folder=agents)) as server:
            watch = PageWatch(server.url)
            page = await open_page(context, server.url, watch)
            player = WorkbenchUser(page)
            await expect(player.status).to_have_text("Waiting for a message")  # the only agent is played at once
            await player.send_message("hi")
            await player.call_tool("greet", name="Bob")
            await player.wait_for_turn()
            await player.respond("Greeted")
            await player.wait_until_done()
            dialog = await player.export_session()
            await dialog.get_by_role("link", name="Open the case").click()
            await expect(page.get_by_role("heading", level=1)).to_contain_text("walk_agent.evalset.json")
            timeline = page.get_by_role("region", name="Timeline")
            await expect(timeline.get_by_role("article").filter(has_text="Hello Bob")).to_have_count(1)
            await page.get_by_role("button", name="Replay", exact=True).click()
            await expect(page.get_by_role("region", name="Check")).to_contain_text("equal")
            await page.get_by_role("navigation", name="Pages").get_by_role("link", name="Evals").click()
            await expect(page.get_by_role("row").filter(has_text="golden.evalset.json")).to_have_count(1)
            await page.get_by_role("link", name="agents/walk_agent/golden.evalset.json").click()
            await expect(page.get_by_role("row", name="hello")).to_contain_text("not replayed")
            assert watch.faults == []
    await context.close()


async def _check_list(page: Page) -> None:
    """The list says of the source, not of its fork, that it was interrupted, and the filter finds it."""
    await page.get_by_role("banner").get_by_role("button", name="walk_agent").click()
    await page.get_by_role("menuitem", name="All sessions").click()
    rows = page.get_by_role("table", name="Sessions").get_by_role("row")
    await expect(rows.filter(has_text="Interrupted")).to_have_count(1)
    await expect(rows.filter(has_text="Your turn")).to_have_count(1)
    await page.get_by_role("combobox", name="Status").select_option("Interrupted")
    await expect(rows.filter(has_text="Your turn")).to_have_count(0)
    await expect(rows.filter(has_text="Interrupted")).to_have_count(1)


async def _repair_agent(page: Page, agents: Path) -> None:
    sound, ruined = (page.get_by_role("article", name=name) for name in ("walk_agent", "ruined_agent"))
    await expect(sound).to_contain_text("Its code is loaded when you open it.")
    await page.get_by_role("button", name="Play ruined_agent").click()
    await expect(ruined).to_contain_text("It cannot be loaded: ValueError: <img src=x onerror=alert(1)>.")
    await expect(ruined).to_contain_text("ruined_agent/agent.py, line 1")
    write_agent(agents, "ruined_agent", description="Repaired.")
    await expect(ruined).to_contain_text("Repaired.")


async def _change_code(page: Page, agents: Path) -> None:
    player = WorkbenchUser(page)
    await player.start_session("walk_agent")
    await player.send_message("hi")
    await player.wait_for_turn()
    await player.call_tool("greet", name="Ada")
    await expect(player.find_rows("Hello Ada")).to_have_count(1)
    write_agent(agents, "walk_agent", greeting="Howdy", description="Walks.")
    notice = page.locator(".change-notice")
    await expect(notice).to_contain_text("The code of walk_agent has changed. This session continues with the code")
    await player.call_tool("greet", name="Bob")
    await expect(player.find_rows("Hello Bob")).to_have_count(1)
    write_agent(agents, "walk_agent", "x = (")
    await expect(notice).to_contain_text("New sessions cannot begin")
    write_agent(agents, "walk_agent", greeting="Ahoy", description="Walks.")
    await expect(notice).to_contain_text("New sessions and forks use the changed code.")


async def _continue_in_fork(page: Page) -> None:
    player = WorkbenchUser(page)
    await expect(player.status).to_have_text("Interrupted")
    await expect(player.composer).to_contain_text("This session was interrupted")
    await expect(player.composer).to_contain_text("To continue, fork it.")
    await expect(player.find_rows("Hello Bob")).to_have_count(1)
    await player.composer.get_by_role("button", name="Continue in a fork").click()
    await player.wait_for_turn()
    await expect(player.composer.get_by_role("textbox", name="Final response")).to_have_value("Half an answ")
    await player.call_tool("greet", name="Cyd")
    await expect(player.find_rows("Ahoy Cyd")).to_have_count(1)
    await expect(player.find_rows("Hello Bob")).to_have_count(1)
