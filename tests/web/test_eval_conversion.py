"""Files of eval cases that can only be read, converted in the browser to EvalSets whose cases can be edited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_audit import audit_page
from eval_case_files import write_adk_session, write_legacy_eval_set
from playwright.async_api import Page, expect
from workbench_server import Simulator

from adk_agent_sim import AgentSimulator
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.golden.eval_file import EvalFile
from adk_agent_sim.server.evals.eval_catalog import EvalCatalog


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    return [write_legacy_eval_set(tmp_path / "old.evalset.json", "sum"), tmp_path / "session.json"]


@pytest.fixture
def simulator(files: list[Path]) -> Callable[[], Simulator]:
    asyncio.run(write_adk_session(files[1]))
    return lambda: AgentSimulator([], evals=EvalCatalog([EvalFile(path) for path in files], math_app))


async def test_an_older_eval_set_and_a_session_are_converted_and_edited(page: Page, files: list[Path]) -> None:
    before = await asyncio.to_thread(lambda: [path.read_bytes() for path in files])
    await page.get_by_role("link", name="old.evalset.json").click()
    await expect(page.get_by_text("read-only")).to_be_visible()
    await page.get_by_role("button", name="Convert to an EvalSet").click()
    await expect(page.get_by_role("status")).to_contain_text("Wrote 1 case.")
    await audit_page(page)
    await page.get_by_role("link", name="Open the new file").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("old_converted.evalset.json")
    await expect(page.get_by_role("button", name="Convert to an EvalSet")).to_have_count(0)
    await page.get_by_role("button", name="Actions for sum").click()
    await page.get_by_role("menuitem", name="Duplicate").click()
    await expect(page.get_by_role("table", name="Cases").get_by_role("link")).to_have_count(2)

    await page.get_by_role("navigation", name="Pages").get_by_role("link", name="Evals").click()
    await expect(page.get_by_role("row").filter(has_text="old_converted.evalset.json")).to_contain_text("2")
    await page.get_by_role("link", name="session.json").click()
    await page.get_by_role("button", name="Convert to an EvalSet").click()
    await expect(page.get_by_role("status")).to_contain_text("left out 1 user turn without a final response")
    await page.get_by_role("link", name="Open the new file").click()
    await page.get_by_role("button", name="Replay all").click()
    await expect(page.get_by_role("row", name="s1")).to_contain_text("equal")
    assert await asyncio.to_thread(lambda: [path.read_bytes() for path in files]) == before
