"""Where things are on the page: long addresses, the buttons of dialogs, and results below their calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser_pages import OpenPage
from eval_case_files import build_case, build_turn, write_eval_set
from pausing_agents import build_credential_app
from playwright.async_api import Locator, expect
from workbench_user import WorkbenchUser

from adk_agent_sim import AgentSimulator, SimulatedAgentConfig
from adk_agent_sim.adk.demo.math_agent.agent import root_agent as math_agent


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    case: dict[str, Any] = build_case("sum", build_turn("What is 2+2?", "4", ("add", {"a": 2, "b": 2}, 4)))
    del case["session_input"]
    write_eval_set(tmp_path / "math.evalset.json", case)

    def build_simulator() -> AgentSimulator:
        app = build_credential_app("m", "oauth")
        assert app.root_agent is not None
        return AgentSimulator(
            [
                SimulatedAgentConfig(
                    name="weather", agent=app.root_agent, app=app, eval_set_path=tmp_path / "weather.evalset.json"
                ),
                SimulatedAgentConfig(name="math", agent=math_agent, eval_set_path=tmp_path / "math.evalset.json"),
            ]
        )

    return build_simulator


async def _find_box(place: Locator) -> tuple[float, float]:
    """Return where an element begins and ends, from left to right."""
    box = await place.bounding_box()
    assert box is not None
    return box["x"], box["x"] + box["width"]


@pytest.mark.parametrize("width", [1280, 900])
async def test_the_address_to_sign_in_at_is_a_link_that_wraps(open_page: OpenPage, width: int) -> None:
    page = await open_page(width=width)
    player = WorkbenchUser(page)
    await player.start_session("weather")
    await player.send_message("How is Rome?")
    await player.call_tool("get_weather", city="Rome")
    link = player.composer.get_by_role("link", name="https://login.example/auth")
    await expect(link).to_have_attribute("rel", "noopener noreferrer")
    await expect(link).to_have_attribute("target", "_blank")

    assert await link.get_attribute("href") == await link.inner_text()
    assert (await _find_box(link))[1] <= (await _find_box(player.composer.locator(".composer-body")))[1]
    assert await player.composer.locator(".composer-body").evaluate("one => one.scrollWidth <= one.clientWidth")


@pytest.mark.parametrize("width", [1280, 900])
async def test_the_buttons_of_a_long_dialog_are_always_visible(open_page: OpenPage, width: int) -> None:
    page = await open_page(width=width)
    player = WorkbenchUser(page)
    await player.start_session("math")
    await player.send_message("What is 2+2?")
    await player.wait_for_turn()
    await player.respond("4")
    await player.wait_until_done()
    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Also write the criteria").check()
    await dialog.locator("details summary").first.click()
    body = dialog.locator(".dialog-body")
    await expect(dialog.get_by_role("button", name="Close the dialog")).to_be_in_viewport(ratio=1)
    for scroll_to in ("0", "one.scrollHeight"):
        await body.evaluate(f"one => {{ one.scrollTop = {scroll_to}; }}")
        for name in ("Cancel", "Write the file"):
            await expect(dialog.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)

    assert await body.evaluate("one => one.scrollHeight > one.clientHeight && one.scrollTop > 0")
    assert await dialog.evaluate("one => one.scrollHeight <= one.clientHeight")


@pytest.mark.parametrize("width", [1280, 900])
async def test_a_result_of_a_case_without_times_is_below_its_call(open_page: OpenPage, width: int) -> None:
    page = await open_page(width=width)
    await page.get_by_role("navigation", name="Pages").get_by_role("link", name="Evals").click()
    await page.get_by_role("link", name="sum").click()
    row = page.get_by_role("region", name="Timeline").get_by_role("article").filter(has_text="add")
    await expect(row.locator(".row-arrow")).to_be_visible()

    left, _ = await _find_box(row.locator(".row-text"))
    arrow, _ = await _find_box(row.locator(".row-arrow"))
    assert abs(left - arrow) < 4
    await expect(page.locator(".ev-head p")).to_have_text("1 user turn · 1 call")


@pytest.mark.parametrize("width", [1280, 900])
async def test_a_result_of_a_session_is_below_its_call(open_page: OpenPage, width: int) -> None:
    page = await open_page(width=width)
    player = WorkbenchUser(page)
    await player.start_session("math")
    await player.send_message("What is 2+2?")
    await player.call_tool("add", a="2", b="2")
    row = player.find_rows("add")
    await expect(row.locator(".row-arrow")).to_be_visible()

    left, _ = await _find_box(row.locator(".row-text"))
    arrow, _ = await _find_box(row.locator(".row-arrow"))
    assert abs(left - arrow) < 4
