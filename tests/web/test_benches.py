"""A bench in the browser while it runs: the matrix fills in, the bench is paused, and a run is repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from axe_audit import audit_page
from bench_builders import build_result
from bench_folders import build_test_plan, write_scenarios
from browser_pages import OpenPage
from playwright.async_api import expect

from adk_agent_sim import AgentSimulator
from adk_agent_sim.bench.bench_control import BenchControl
from adk_agent_sim.bench.bench_plan import BenchPlan
from adk_agent_sim.bench.results_file import ResultsFile, open_results
from adk_agent_sim.server.benches.bench_catalog import BenchCatalog


@pytest.fixture
def plan(tmp_path: Path) -> BenchPlan:
    return build_test_plan(write_scenarios(tmp_path, 200), models=("m1", "m2"))


@pytest.fixture
def bench(tmp_path: Path, plan: BenchPlan) -> Iterator[tuple[ResultsFile, BenchControl]]:
    """A bench that this process runs."""
    with ExitStack() as stack:
        saved = stack.enter_context(open_results(tmp_path / "nightly", plan))
        yield saved, stack.enter_context(closing(BenchControl(tmp_path / "nightly", plan)))


@pytest.fixture
def simulator(tmp_path: Path, bench: object) -> Callable[[], AgentSimulator]:
    return lambda: AgentSimulator([], benches=BenchCatalog([tmp_path / "nightly"]))


async def test_a_bench_is_watched_paused_and_extended(
    open_page: OpenPage, bench: tuple[ResultsFile, BenchControl], plan: BenchPlan, tmp_path: Path
) -> None:
    saved, control = bench
    page = await open_page()
    grid = page.get_by_role("grid", name="Runs that passed")
    rows = grid.get_by_role("row")
    await expect(page.get_by_role("heading", name="nightly")).to_be_visible()
    await expect(grid).to_have_attribute("aria-rowcount", "201")
    assert await rows.count() < 60

    control.note_running(plan.runs[:2])
    first = rows.filter(has=page.get_by_role("rowheader", name="mail_0", exact=True))
    await expect(first.get_by_role("img", name="running")).to_have_count(2)
    key = plan.runs[0].key.model_dump()
    (tmp_path / "nightly" / "runs" / "00001.html").write_text("<title>A run</title>", encoding="utf-8")
    saved.append([build_result("failed", **key, reason="<b>not</b> sent", report="runs/00001.html")])
    control.note_running(())
    await expect(first.get_by_role("gridcell").first).to_have_text("0/1")
    await expect(page.get_by_text("1 of 400 runs")).to_be_visible()

    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_text("paused", exact=True)).to_be_visible()
    assert control.is_paused
    await page.get_by_role("button", name="Continue").click()
    await expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert not control.is_paused

    await first.get_by_role("gridcell").first.click()
    await expect(page.get_by_text("<b>not</b> sent")).to_be_visible()
    await page.get_by_role("button", name="Run again").click()
    await expect(page.get_by_text("will run again")).to_be_visible()
    assert control.take_requests() == [plan.runs[0]]
    await audit_page(page)
    saved.append([build_result("passed", **key, report="runs/00001.html")])
    await expect(first.get_by_role("gridcell").first).to_have_text("1/1")

    async with page.expect_popup() as opened:
        await page.get_by_role("link", name="Open the run").click()
    await expect(await opened.value).to_have_title("A run")
    await grid.focus()
    await page.keyboard.press("End")
    await expect(page.get_by_role("heading", name="mail_199")).to_be_visible()
    assert await rows.count() < 60
