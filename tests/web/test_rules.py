"""The simulated environment in the browser: which rule answered and why, rules switched by hand, faults added."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import kitchen_sink_agents
import pytest
from browser_pages import PageWatch
from google.adk.apps import App
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator, EnvironmentSimulationFactory, SimulatedAgentConfig

RULES = """
rules:
  - name: only for milk
    match: {tool: search, args: {query: milk}}
    do: {respond: {found: milk}}
  - name: no network
    match: {tool: search}
    do: {error: {code: 503, message: out of order}}
"""


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    file = tmp_path / "rules.yaml"
    file.write_text(RULES)

    def made() -> AgentSimulator:
        agent = kitchen_sink_agents.build_kitchen_agent()
        app = App(name=agent.name, root_agent=agent, plugins=[EnvironmentSimulationFactory.create_plugin(str(file))])
        path = tmp_path / "kitchen.evalset.json"
        return AgentSimulator([SimulatedAgentConfig(name="kitchen", agent=agent, eval_set_path=path, app=app)])

    return made


async def test_a_row_says_which_rule_answered_and_why_others_did_not(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Tea please")
    await player.wait_for_turn()
    await player.call_tool("search", query="tea")
    await player.wait_for_turn()
    row = player.find_rows("search", "simulated by no network")
    await expect(row).to_contain_text("out of order")
    inside = await player.open_row(row)
    await expect(inside).to_contain_text("only for milk")


async def test_a_rule_is_switched_off_and_the_tool_answers_again(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Tea please")
    await player.wait_for_turn()
    await page.get_by_role("button", name="Rules").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("row", name="no network")).to_contain_text("0")
    await dialog.get_by_label("Rule no network").uncheck()
    await expect(dialog.get_by_label("Rule no network")).not_to_be_checked()
    await dialog.get_by_role("button", name="Close").click()
    await player.call_tool("search", query="tea")
    await player.wait_for_turn()
    await expect(player.find_rows("tea:10:int")).to_have_count(1)
    await expect(player.find_rows("simulated by")).to_have_count(0)


async def test_a_fault_meets_the_next_call_and_only_that(page: Page, watch: PageWatch) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Tea please")
    await player.wait_for_turn()
    await page.get_by_role("button", name="Rules").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("The next call of").select_option("convert")
    await dialog.get_by_label("What happens").select_option("raise")
    await dialog.get_by_role("textbox", name="Exception").fill("ConnectionError: the line is dead")
    await dialog.get_by_role("button", name="Add fault").click()
    await expect(dialog).to_contain_text("1 fault pending for convert")
    watch.allow_fault("422")
    await dialog.get_by_label("What happens").select_option("timeout")
    await dialog.get_by_role("textbox", name="Seconds").fill("-1")
    await dialog.get_by_role("button", name="Add fault").click()
    await expect(dialog.get_by_role("alert")).to_be_visible()
    await dialog.get_by_role("button", name="Close").click()
    rules = page.get_by_role("banner").get_by_role("button", name="Rules")
    await expect(rules).to_contain_text("1 fault pending")
    await page.reload()
    await rules.click()
    await expect(dialog.get_by_role("textbox", name="Seconds")).to_have_value("-1")
    await dialog.get_by_role("button", name="Close").click()
    for failed in (True, False):
        await player.choose_tool("convert")
        await player.find_field("text").fill("a")
        await player.composer.get_by_role("radio", name="xml").check()
        await player.execute()
        await player.wait_for_turn()
        words = ("Tool Error", "the line is dead") if failed else ("xml:a",)
        await expect(player.find_rows("convert", *words)).to_have_count(1)
    await expect(rules).to_have_text("Rules")
