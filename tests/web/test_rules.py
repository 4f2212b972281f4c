"""The simulated environment in the browser: which rule answered and why, rules and profiles switched, faults added."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import kitchen_sink_agents
import pytest
from google.adk.apps import App
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator, EnvironmentSimulationFactory, SimulatedAgentConfig

RULES = """
profiles: {outage: [closed]}
rules:
  - name: only for milk
    match: {tool: search, args: {query: milk}}
    do: {respond: {found: milk}}
  - name: no network
    match: {tool: search}
    do: {error: {code: 503, message: out of order}}
  - name: closed
    match: {tool: convert}
    do: {error: {code: 503, message: closed until tomorrow}}
"""


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    file = tmp_path / "rules.yaml"
    file.write_text(RULES)

    def build_simulator() -> AgentSimulator:
        agent = kitchen_sink_agents.build_kitchen_agent()
        app = App(name=agent.name, root_agent=agent, plugins=[EnvironmentSimulationFactory.create_plugin(str(file))])
        path = tmp_path / "kitchen.evalset.json"
        return AgentSimulator([SimulatedAgentConfig(name="kitchen", agent=agent, eval_set_path=path, app=app)])

    return build_simulator


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


async def test_a_rule_is_switched_off_beside_the_timeline_and_the_tool_answers_again(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Tea please")
    await player.wait_for_turn()
    await page.get_by_role("button", name="Rules").click()
    panel = page.get_by_role("region", name="Rules")
    rule = panel.get_by_role("listitem", name="only for milk")
    await expect(rule).to_contain_text("search is called")
    await expect(rule).to_contain_text("query is 'milk'")
    await expect(rule).to_contain_text('respond: {"found":"milk"}')
    await expect(panel.get_by_role("listitem", name="no network")).to_contain_text('error: {"code":503')
    await panel.get_by_label("Rule no network").uncheck()
    await expect(panel.get_by_label("Rule no network")).not_to_be_checked()
    await player.call_tool("search", query="tea")
    await player.wait_for_turn()
    await expect(player.find_rows("tea:10:int")).to_have_count(1)
    await expect(player.find_rows("simulated by")).to_have_count(0)
    await expect(rule).to_contain_text("tried 1 time")
    ends = [await one.evaluate("it => it.getBoundingClientRect().right") for one in (panel, player.timeline)]
    starts = [await one.evaluate("it => it.getBoundingClientRect().left") for one in (player.timeline, player.composer)]
    assert all(end <= start for end, start in zip(ends, starts, strict=True))
    await panel.get_by_role("button", name="Close the rules").click()
    await expect(panel).to_have_count(0)


async def test_a_fault_meets_the_next_call_and_only_that(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Tea please")
    await player.wait_for_turn()
    rules = page.get_by_role("banner").get_by_role("button", name="Rules")
    await rules.click()
    panel = page.get_by_role("region", name="Rules")
    await panel.get_by_label("The next call of").select_option("convert")
    await panel.get_by_label("What happens").select_option("raise")
    await panel.get_by_role("combobox", name="Exception").select_option("KeyError")
    await panel.get_by_label("Message").fill("the line is dead")
    await panel.get_by_role("button", name="Add fault").click()
    pending = panel.get_by_role("list", name="Pending faults")
    await expect(pending).to_contain_text("raise KeyError")
    await expect(rules).to_contain_text("1 fault pending")
    await pending.get_by_role("button", name="Edit the fault of convert").click()
    await expect(panel.get_by_label("Message")).to_have_value("the line is dead")
    await panel.get_by_role("combobox", name="Exception").select_option("ConnectionError")
    await panel.get_by_role("button", name="Save fault").click()
    await expect(pending.get_by_role("listitem")).to_have_text("convert raise ConnectionError")
    await panel.get_by_label("The next call of").select_option("convert")
    await panel.get_by_label("Code").fill("4x")
    await expect(panel.get_by_role("alert")).to_contain_text("whole number")
    await expect(panel.get_by_role("button", name="Add fault")).to_be_disabled()
    await panel.get_by_label("Code").fill("418")
    await panel.get_by_role("button", name="Add fault").click()
    await expect(rules).to_contain_text("2 faults pending")
    await pending.get_by_role("button", name="Remove the fault of convert, fault 2").click()
    await expect(pending.get_by_role("listitem")).to_have_count(1)
    await panel.get_by_label("What happens").select_option("timeout")
    await panel.get_by_label("Seconds").fill("-1")
    await page.reload()
    await rules.click()
    await expect(panel.get_by_label("Seconds")).to_have_value("-1")
    for failed in (True, False):
        await player.choose_tool("convert")
        await player.find_field("text").fill("a")
        await player.composer.get_by_role("radio", name="xml").check()
        await player.execute()
        await player.wait_for_turn()
        words = ("Tool Error", "the line is dead") if failed else ("xml:a",)
        await expect(player.find_rows("convert", *words)).to_have_count(1)
    await expect(rules).to_have_text("Rules")


async def test_a_profile_is_switched_and_a_fault_meets_the_model_but_not_the_person(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Tea please")
    await player.wait_for_turn()
    rules = page.get_by_role("banner").get_by_role("button", name="Rules")
    await rules.click()
    panel = page.get_by_role("region", name="Rules")
    profile = panel.get_by_role("combobox", name="Profile")
    closed = panel.get_by_role("listitem", name="closed")
    await expect(profile).to_have_value("")
    await expect(closed).to_contain_text("only in the profile outage")
    await expect(closed.get_by_role("checkbox")).not_to_be_checked()
    await profile.select_option("outage")
    await expect(closed.get_by_role("checkbox")).to_be_checked()
    await expect(player.find_rows("outage is active")).to_have_count(1)

    await panel.get_by_label("The next call of").select_option("the model")
    await expect(panel).to_contain_text("your decisions are never changed")
    await panel.get_by_label("Code").fill("200")
    await expect(panel.get_by_role("alert")).to_contain_text("from 400 to 599")
    await panel.get_by_label("Code").fill("429")
    await panel.get_by_role("button", name="Add fault").click()
    pending = panel.get_by_role("list", name="Pending faults")
    await expect(pending).to_contain_text("the model api_error 429")
    await pending.get_by_role("button", name="Edit the fault of the model").click()
    await panel.get_by_label("Message").fill("the quota is used up")
    await panel.get_by_role("button", name="Save fault").click()

    await player.choose_tool("convert")
    await player.find_field("text").fill("a")
    await player.composer.get_by_role("radio", name="xml").check()
    await player.execute()
    await player.wait_for_turn()
    await expect(player.find_rows("convert", "simulated by closed")).to_have_count(1)
    await expect(pending.get_by_role("listitem")).to_have_count(1)
    await page.reload()
    await rules.click()
    await expect(profile).to_have_value("outage")
    await player.composer.get_by_role("button", name="Ask the agent's own model").click()
    await page.get_by_role("menuitem", name="Let the model answer").click()
    await expect(player.find_rows("429 RESOURCE_EXHAUSTED", "the quota is used up")).to_have_count(1)
    await expect(player.find_rows("model fault", "fault for the model: api_error 429")).to_have_count(1)
    await expect(pending).to_have_count(0)
    await expect(rules).to_have_text("Rules")
