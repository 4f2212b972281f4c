"""What the model would read stands in the workbench: instruction, tools, state, request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import kitchen_sink_agents
import pytest
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    return lambda: AgentSimulator(
        [kitchen_sink_agents.build_agent_config(kitchen_sink_agents.build_kitchen_agent(), tmp_path)]
    )


@pytest.mark.req("001/FR-008")
async def test_the_instruction_is_open_rendered_and_collapsible(page: Page) -> None:
    panel = page.get_by_role("tabpanel", name="Instruction")
    await expect(panel.get_by_role("heading", name="Kitchen")).to_be_visible()
    await expect(panel.locator("strong")).to_have_text("tools")
    await panel.locator("summary").click()
    await expect(panel.get_by_role("heading", name="Kitchen")).to_be_hidden()
    await page.reload()
    await expect(panel.locator("summary")).to_be_visible()
    await expect(panel.get_by_role("heading", name="Kitchen")).to_be_hidden()


async def test_a_single_agent_is_opened_at_once(page: Page) -> None:
    await expect(WorkbenchUser(page).status).to_have_text("Waiting for a message")
    await expect(page.get_by_role("banner")).to_contain_text("kitchen")


@pytest.mark.req("001/FR-001", "001/FR-002")
async def test_the_tools_are_there_before_the_first_turn_with_their_schemas(page: Page) -> None:
    await page.get_by_role("tab", name="Tools").click()
    panel = page.get_by_role("tabpanel", name="Tools")
    await panel.get_by_text("search", exact=True).click()
    entry = panel.locator("details").filter(has_text="Search for something").first
    await expect(entry.get_by_role("row", name="query *")).to_contain_text("string")
    await expect(entry.get_by_role("row", name="limit")).to_contain_text("integer")
    await entry.get_by_text("Schema of the parameters").click()
    await expect(entry).to_contain_text("properties")


async def test_the_request_and_the_state_follow_the_session(page: Page) -> None:
    player = WorkbenchUser(page)
    await page.get_by_role("tab", name="State").click()
    await expect(page.get_by_role("tabpanel")).to_contain_text("The session state is empty.")
    await player.send_message("Paint something")
    await player.wait_for_turn()
    await player.call_tool("paint")
    await player.wait_for_turn()
    await expect(page.get_by_role("tabpanel")).to_contain_text("painted")
    await page.get_by_role("tab", name="Request").click()
    panel = page.get_by_role("tabpanel", name="Request")
    await expect(panel).to_contain_text("tokens")
    await expect(panel).to_contain_text("system_instruction")
    await expect(panel).to_contain_text("gemini-2.5-flash")


async def test_panes_fold_and_remember_their_widths(page: Page) -> None:
    briefing = page.locator(".pane-left")
    splitter = page.get_by_label("Width of what the model reads")
    await expect(page.get_by_role("textbox", name="Message")).to_be_focused()  # it takes the focus once it is there
    await splitter.focus()
    for _ in range(4):
        await page.keyboard.press("ArrowRight")
    await expect(splitter).to_have_attribute("aria-valuenow", "344")
    await page.get_by_role("button", name="Show or hide what the model reads").click()
    await expect(briefing).to_be_hidden()
    await page.reload()
    await expect(page.get_by_label("Composer", exact=True)).to_be_visible()
    await expect(briefing).to_be_hidden()
    await page.get_by_role("button", name="Show or hide what the model reads").click()
    await expect(splitter).to_have_attribute("aria-valuenow", "344")
