"""The report of a bench, opened from its folder: the matrix, its runs and their pages, and texts that stay texts."""

from __future__ import annotations

import re
from pathlib import Path

import browser_pages as browsers
import pytest
from axe_audit import AXE
from bench_builders import build_result, build_runs, iter_large_bench, write_results
from browser_pages import PageWatch
from playwright.async_api import Browser, Page, expect

from adk_agent_sim.bench.bench_report import write_reports

_HOSTILE = "</script><img src=x onerror=alert(1)> & \u202e"
_SHOWN = "</script><img src=x onerror=alert(1)> & \N{REPLACEMENT CHARACTER}"
_SCENARIOS = 400
_RUN_AXE = """async (rules) => {
  const options = { resultTypes: ["violations"], ...(rules.length ? { runOnly: rules } : {}) };
  return (await axe.run(document, options)).violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.html} ${node.failureSummary}`));
}"""

_LIST_VISIBLE_AT_END = """(box) => {
  box.scrollTo(box.scrollWidth, 0);
  const { left, right } = box.getBoundingClientRect();
  const inside = [...box.querySelectorAll("thead th")].filter((each) => {
    const place = each.getBoundingClientRect();
    return place.left >= left - 1 && place.right <= right + 1;
  });
  return [inside[0], inside.at(-1)].map((each) => each.textContent);
}"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bench of three agents, one of whose scenarios has names and reasons with markup in them."""
    results = list(iter_large_bench(3, _SCENARIOS, 1))
    agents = sorted({each.agent for each in results})
    hostile = [
        build_result(
            "failed", scenario=f"! {_HOSTILE}", agent=agent, reason=_HOSTILE, tags=(_HOSTILE,), report="runs/a b#1.html"
        )
        for agent in agents
    ]
    write_reports(write_results(tmp_path / "bench", [*results, *hostile]))
    (tmp_path / "bench" / "runs").mkdir()
    (tmp_path / "bench" / "runs" / "a b#1.html").write_text("<title>One run</title>", encoding="utf-8")
    return tmp_path / "bench"


async def test_a_large_report_is_read_without_a_server(browser: Browser, folder: Path) -> None:
    watch = PageWatch("")
    context = await browsers.new_context(browser)
    try:
        page = await browsers.open_page(context, (folder / "report.html").as_uri(), watch)
        await _read_matrix(page)
        await _read_hostile_texts(page)
        await _audit(page)
        await page.get_by_role("link", name="Open the run").click()
        await expect(page).to_have_title("One run")
        assert watch.faults == []
    finally:
        await context.close()


async def test_the_table_of_attempts_is_not_cut_off(browser: Browser, tmp_path: Path) -> None:
    pages: dict[int, str] = {}
    for runs in (10, 100):
        name = "a_rather_long_name_of_an_agent"
        results = [build_runs("s1", "+-" * (runs // 2), agent=name, rules=rules) for rules in ("none", "faults.yaml")]
        write_reports(write_results(tmp_path / str(runs), [each for both in results for each in both]))
        pages[runs] = (tmp_path / str(runs) / "report.html").as_uri()
    watch = PageWatch("")
    context = await browsers.new_context(browser)
    try:
        page = await browsers.open_page(context, pages[10], watch)
        await page.set_viewport_size({"width": 900, "height": 900})
        await expect(page.get_by_text("2 variants, 1 scenario, 20 runs")).to_be_visible()
        table = page.get_by_role("region", name="pass@k and pass^k for each k")
        await expect(table.get_by_role("columnheader", name="k = 10")).to_be_visible()
        assert await table.evaluate("(box) => box.scrollWidth <= box.clientWidth")
        await _audit(page)
        await page.goto(pages[100])
        assert await table.evaluate("(box) => box.scrollWidth > box.clientWidth")
        assert await table.evaluate(_LIST_VISIBLE_AT_END) == ["Variant", "k = 100"]
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert watch.faults == []
    finally:
        await context.close()


async def _read_matrix(page: Page) -> None:
    rows = page.locator(".matrix-body .matrix-row")
    grid = page.get_by_role("grid", name="Runs that passed")
    await expect(grid).to_have_attribute("aria-rowcount", str(_SCENARIOS + 2))
    await expect(page.get_by_text(f"{_SCENARIOS + 1} scenarios", exact=True)).to_be_visible()
    assert 10 < await rows.count() < 60
    await grid.focus()
    await page.keyboard.press("End")
    last = page.get_by_role("row").filter(has_text="universe_9_scenario_0399")
    await expect(last.locator('[aria-selected="true"]')).to_be_in_viewport()
    await expect(page.get_by_role("heading", name="universe_9_scenario_0399")).to_be_visible()
    await expect(page.get_by_text("universe_0_scenario_0000").last).not_to_be_in_viewport()
    assert await rows.count() < 60
    await page.get_by_label("Find").fill("scenario_0042")
    await expect(rows).to_have_count(1)
    await page.get_by_label("Find").fill("")
    await page.get_by_label("Show").select_option("Agents differ")
    await expect(page.locator("#matrix-count")).to_have_text(re.compile(r"^\d+ of 401 scenarios$"))
    await page.get_by_label("Show").select_option("All scenarios")


async def _read_hostile_texts(page: Page) -> None:
    await page.get_by_label("Sort").select_option("By name")
    first = page.locator(".matrix-body .matrix-row").first
    await expect(first.get_by_role("rowheader")).to_have_text(f"! {_SHOWN}")
    await first.get_by_role("gridcell").first.click()
    runs = page.get_by_label("Runs of the chosen cell")
    await expect(runs.get_by_role("heading")).to_have_text(f"! {_SHOWN}")
    await expect(runs.get_by_text(_SHOWN, exact=True)).to_have_count(2)  # the tag and the reason
    assert await page.locator("img").count() == 0


async def _audit(page: Page) -> None:
    """Fail on violations that axe finds, on low contrasts in the dark, and on what is wider than the window."""
    await page.evaluate(AXE.read_text("utf-8"))
    assert await page.evaluate(_RUN_AXE, []) == []
    await page.emulate_media(color_scheme="dark")
    assert await page.evaluate(_RUN_AXE, ["color-contrast"]) == []
    await page.set_viewport_size({"width": 900, "height": 720})
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
