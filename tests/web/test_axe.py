"""No state of the workbench has a violation that axe finds: names, roles, landmarks, contrasts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin

import kitchen_sink_agents
import pytest
from axe_audit import audit_page
from browser_pages import OpenPage, PageWatch
from google.adk.apps import App
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator, EnvironmentSimulationFactory, SimulatedAgentConfig

RULES = """
rules:
  - name: no milk
    match: {tool: search, args: {query: milk}}
    do: {error: {code: 503, message: out of milk}}
"""
WIDTHS = pytest.mark.parametrize("width", [1280, pytest.param(900, marks=pytest.mark.long)])


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    file = tmp_path / "rules.yaml"
    file.write_text(RULES)

    def build_simulator() -> AgentSimulator:
        kitchen = kitchen_sink_agents.build_kitchen_agent()
        rules = EnvironmentSimulationFactory.create_plugin(str(file))
        app = App(name=kitchen.name, root_agent=kitchen, plugins=[rules])
        path = tmp_path / "kitchen.evalset.json"
        others = [
            kitchen_sink_agents.build_structured_agent(),
            kitchen_sink_agents.build_twins_agent(),
            kitchen_sink_agents.build_broken_agent(),
        ]
        return AgentSimulator(
            [
                SimulatedAgentConfig(name="kitchen", agent=kitchen, eval_set_path=path, app=app),
                *(kitchen_sink_agents.build_agent_config(agent, tmp_path) for agent in others),
            ]
        )

    return build_simulator


async def go_to(page: Page, name: str) -> None:
    """Go to a page of the app by its tab, so that neither the app nor axe is loaded again."""
    await page.get_by_role("navigation").get_by_role("link", name=re.compile(f"^{name}")).click()
    await expect(page.get_by_role("main", name=name)).to_be_visible()


@WIDTHS
async def test_the_lists_empty_and_filled(open_page: OpenPage, width: int) -> None:
    page = await open_page(width=width)
    await expect(page.get_by_role("article", name="broken").get_by_role("alert")).to_be_visible()
    await audit_page(page)
    for name, text in (("Queue", "No turns are waiting."), ("Sessions", "There are no sessions yet.")):
        await go_to(page, name)
        await expect(page.get_by_text(text)).to_be_visible()
        await audit_page(page)
    for agent, message in (("kitchen", "Tea please"), ("broken", "hello"), ("twins", "hello")):
        await page.goto(urljoin(page.url, "/agents"))
        player = WorkbenchUser(page)
        await player.start_session(agent)
        await player.send_message(message)
        await expect(player.status).to_have_text("Failed" if agent == "broken" else "Your turn")
        if agent != "kitchen":
            await audit_page(page)
    await page.goto(urljoin(page.url, "/queue"))
    await expect(page.get_by_role("table").get_by_role("link")).to_have_count(3)
    await audit_page(page)
    await go_to(page, "Sessions")
    await expect(page.get_by_role("table").get_by_role("link")).to_have_count(3)
    await audit_page(page)
    for item in ("", "Rename", "Delete"):
        await page.get_by_role("button", name="Actions for Tea please").click()
        if item:
            await page.get_by_role("menuitem", name=item).click()
            await expect(page.get_by_role("dialog")).to_be_visible()
        await audit_page(page)
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog").or_(page.get_by_role("menu"))).to_have_count(0)
    await page.get_by_label("Find a session").fill("nothing like this")
    await expect(page.get_by_role("button", name="Show all sessions")).to_be_visible()
    await audit_page(page)
    await page.goto(urljoin(page.url, "/sessions/nowhere"))
    await expect(page.get_by_role("button", name="Choose an agent")).to_be_visible()
    await audit_page(page)


@WIDTHS
async def test_a_session_from_its_first_message_to_its_export(
    open_page: OpenPage, watch: PageWatch, width: int
) -> None:
    watch.allow_fault("422")
    page = await open_page(width=width)
    player = WorkbenchUser(page)
    await player.start_session("kitchen")
    await audit_page(page)
    await player.send_message("Tea please")
    await player.wait_for_turn()
    await expect(player.composer.get_by_role("option").first).to_be_visible()
    await audit_page(page)  # the finder
    await player.composer.get_by_role("combobox", name="Find a tool").fill("make_tea")
    await expect(player.composer.get_by_role("option", name="although it is not offered")).to_be_visible()
    await audit_page(page)
    await player.choose_tool("order")
    await audit_page(page)  # a form with a field of every kind
    await player.execute()
    await expect(player.composer.get_by_role("alert")).to_contain_text("Not sent")
    await audit_page(page)  # the same with its problems
    await player.choose_tool("nested_json")
    await player.composer.get_by_role("button", name="Add to turn").click()
    await expect(player.composer.get_by_role("list", name="Calls of this turn")).to_be_visible()
    await player.respond("Let me look.")
    await expect(page.get_by_role("dialog")).to_be_visible()
    await audit_page(page)  # the question about the calls that were not sent
    await page.get_by_role("dialog").get_by_role("button", name="Execute").click()
    await player.wait_for_turn()
    for query in ("milk", "tea"):
        await player.call_tool("search", query=query)
        await player.wait_for_turn()
    await player.call_tool("fetch", url="http://localhost")
    await player.wait_for_turn()
    for words in (("out of milk", "simulated by no milk"), ("tea:10:int",), ("Tool Error", "cannot reach")):
        await expect(player.find_rows(*words)).to_have_count(1)
    await audit_page(page)  # rows with results, errors, and one that a rule answered
    await player.call_tool("wait_for_ever")
    await expect(player.composer.get_by_role("timer")).to_have_count(1)
    await audit_page(page)
    await page.get_by_role("banner").get_by_role("button", name="Stop", exact=True).click()
    await audit_page(page)
    await page.get_by_role("dialog").get_by_role("button", name="Stop the run").click()
    await expect(player.status).to_have_text("Stopped")
    await player.send_message("Refund me")
    await player.wait_for_turn()
    await player.call_tool("refund", amount="5")
    await expect(player.status).to_have_text("Needs consent")
    await audit_page(page)


@WIDTHS
async def test_the_panels_and_dialogs_of_a_session(open_page: OpenPage, width: int) -> None:
    page = await open_page(width=width)
    player = WorkbenchUser(page)
    await player.start_session("kitchen")
    await player.send_message("Tea please")
    await player.wait_for_turn()
    await player.call_tool("paint")
    await player.wait_for_turn()
    await player.call_tool("big", lines="40")
    await player.wait_for_turn()
    await page.get_by_role("button", name="Expand all").click()
    await expect(player.timeline.locator(".row-foot")).to_have_count(4)
    await audit_page(page)
    await page.get_by_role("button", name="Collapse all").click()
    await page.get_by_role("button", name="Compact").click()
    await audit_page(page)
    await page.get_by_role("banner").get_by_role("button", name="Rules").click()
    panel = page.get_by_role("region", name="Rules")
    await panel.get_by_role("button", name="Add fault").click()
    await expect(panel.get_by_role("list", name="Pending faults")).to_be_visible()
    await audit_page(page)
    await panel.get_by_role("button", name="Close the rules").click()
    if width == 900:
        await page.get_by_role("button", name="Show or hide what the model reads").click()
    for tab in ("Tools", "State", "Request", "Instruction"):
        await page.get_by_role("tab", name=tab).click()
        await expect(page.get_by_role("tabpanel")).not_to_contain_text("Loading")
        await audit_page(page)
    if width == 900:
        await page.get_by_role("button", name="Close the panel").click()
    await page.locator(".agent-menu").click()
    await audit_page(page)
    await page.keyboard.press("Escape")
    await page.get_by_title("Rename the session").click()
    await audit_page(page)
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Help").click()
    await audit_page(page)
    await page.keyboard.press("Escape")
    await player.respond("Here is **tea**.")
    await player.wait_until_done()
    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    await expect(page.get_by_role("dialog").get_by_label("File, in")).to_be_visible()
    await audit_page(page)
    await page.get_by_role("dialog").get_by_role("button", name="Write the file").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Written as")
    await audit_page(page)
    await page.get_by_role("dialog").get_by_role("button", name="Close", exact=True).click()
    await player.composer.get_by_role("button", name="Close session").click()
    await expect(player.status).to_have_text("Closed")
    await audit_page(page)


@WIDTHS
async def test_the_forms_of_a_structured_agent(open_page: OpenPage, watch: PageWatch, width: int) -> None:
    watch.allow_fault("422")
    page = await open_page(width=width)
    player = WorkbenchUser(page)
    await player.start_session("structured")
    await audit_page(page)
    await player.find_field("query").fill("tea")
    await player.composer.get_by_role("button", name="Send message").click()
    await player.wait_for_turn()
    await expect(player.find_field("answer")).to_be_visible()
    await audit_page(page)
    await player.submit_response()
    await expect(player.composer.get_by_role("button", name="2 problems")).to_be_visible()
    await audit_page(page)
    await player.composer.get_by_role("button", name="Edit as JSON").click()
    await audit_page(page)
