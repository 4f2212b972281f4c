"""While tools run: the time they take, cancelling one, stopping all."""

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


@pytest.mark.req("001/FR-032", "001/FR-033")
@pytest.mark.parametrize("tool", ["wait_for_ever", "block_for_ever"])
async def test_a_running_call_shows_its_time_and_can_be_cancelled(page: Page, tool: str) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Wait")
    await player.wait_for_turn()
    await player.call_tool(tool)
    await expect(player.status).to_contain_text("Running")
    row = player.find_rows(tool)
    timer = row.get_by_role("timer")
    first = await timer.inner_text()
    await expect(timer).not_to_have_text(first)
    await row.get_by_role("button", name="Cancel").click()
    await player.wait_for_turn()
    await expect(row).to_contain_text("cancelled")
    await player.respond("I stopped waiting.")
    await player.wait_until_done()


async def test_calls_that_run_side_by_side_are_cancelled_one_by_one(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Wait")
    await player.wait_for_turn()
    for name in ("one", "two"):
        await player.choose_tool("wait_for_ever")
        await player.find_field("name").fill(name)
        await player.composer.get_by_role("button", name="Add to turn").click()
    await player.composer.get_by_role("button", name="Execute 2 calls").click()
    await expect(player.composer.get_by_role("timer")).to_have_count(2)
    await player.find_rows("name=one").get_by_role("button", name="Cancel").click()
    await expect(player.find_rows("name=one")).to_contain_text("cancelled")
    await expect(player.find_rows("name=two").get_by_role("timer")).to_be_visible()
    await player.composer.get_by_role("button", name="Cancel wait_for_ever").click()
    await player.wait_for_turn()


async def test_the_whole_run_can_be_stopped_and_the_session_goes_on(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.send_message("Wait")
    await player.wait_for_turn()
    await player.call_tool("wait_for_ever")
    await player.composer.get_by_role("button", name="Stop the run").click()
    await expect(player.status).to_have_text("Stopped")
    await player.send_message("Again")
    await player.wait_for_turn()
    await player.respond("Here I am.")
    await player.wait_until_done()
