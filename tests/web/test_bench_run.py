"""A run of a bench in the browser while another process executes it: its rows so far, what follows, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from axe_audit import audit_page
from bench_folders import (
    count_lines,
    keep_bench_running,
    let_agent_continue,
    read_outcomes,
    run_bench_command,
    write_agent,
    write_scenarios,
)
from browser_pages import OpenPage
from fork_server import OpenProcess
from playwright.async_api import expect

from adk_agent_sim import AgentSimulator
from adk_agent_sim.server.benches.bench_catalog import BenchCatalog


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """An agent that blocks its process between the mail and its answer."""
    return write_agent(tmp_path / "patient", [0, 1], "wait")


@pytest.fixture
def process(tmp_path: Path, agent: Path) -> Iterator[OpenProcess]:
    """A bench of two runs, one after the other, whose first one waits."""
    options: list[str | Path] = [write_scenarios(tmp_path, 2), "--agent", agent, "--workers", "1"]
    with keep_bench_running(*options, "--out", tmp_path / "nightly") as running:
        yield running


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], AgentSimulator]:
    (tmp_path / "nightly").mkdir()
    return lambda: AgentSimulator([], benches=BenchCatalog([tmp_path / "nightly"]))


@pytest.mark.parametrize("keeps", [True, False])
async def test_a_run_that_ended_before_shows_its_rows_or_says_how_to_keep_them(
    open_page: OpenPage, tmp_path: Path, keeps: bool
) -> None:
    options: list[str | Path] = [write_scenarios(tmp_path, 1), "--agent", write_agent(tmp_path / "quick", [0])]
    done = run_bench_command(*options, "--out", tmp_path / "nightly", *(["--timeline"] if keeps else []))
    assert done.returncode == 0, done.stderr
    page = await open_page()
    await page.get_by_role("gridcell").click()
    runs = page.get_by_label("Runs of the chosen cell")
    await expect(runs.get_by_role("link", name="Open the run")).to_be_visible()
    if keeps:
        await runs.get_by_role("link", name="Timeline").click()
        timeline = page.get_by_label("Timeline", exact=True)
        await expect(timeline.get_by_role("article").filter(has_text="Emails__send_email")).to_be_visible()
        await expect(page.get_by_text("passed", exact=True)).to_be_visible()
        await audit_page(page)
    else:
        await expect(runs.get_by_role("link", name="Timeline")).to_have_count(0)
        run_id = read_outcomes(tmp_path / "nightly")[0].key.run_id
        await page.goto(urljoin(page.url, f"/benches/nightly/{run_id}"))
        await expect(page.get_by_text("a bench keeps them with --timeline or --db.")).to_be_visible()


async def test_a_run_is_watched_until_it_has_ended(
    open_page: OpenPage, process: OpenProcess, agent: Path, tmp_path: Path
) -> None:
    page = await open_page()
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="mail_0", exact=True))
    await expect(row.get_by_role("img", name="running")).to_be_visible()
    await expect(page.get_by_text("mail_0 · patient")).to_be_visible()
    await row.get_by_role("gridcell").click()
    runs = page.get_by_label("Runs of the chosen cell")
    await expect(runs.get_by_role("timer")).to_be_visible()
    await runs.get_by_role("link", name="Watch the run").click()

    await expect(page.get_by_role("heading", name="nightly / mail_0")).to_be_visible()
    timeline = page.get_by_label("Timeline", exact=True)
    call = timeline.get_by_role("article").filter(has_text="Emails__send_email")
    await expect(call).to_be_visible()
    await expect(page.get_by_text("running", exact=True)).to_be_visible()
    await expect(timeline.get_by_text("Sent.")).to_have_count(0)
    assert count_lines(tmp_path / "nightly") == 0
    await audit_page(page)
    await call.locator(".row-line").click()
    await expect(call.get_by_role("heading", name="arguments")).to_be_visible()

    let_agent_continue(agent)
    await expect(timeline.get_by_text("Sent.").first).to_be_visible()
    await expect(page.get_by_text("passed", exact=True)).to_be_visible()
    await timeline.get_by_role("article").filter(has_text="verdict").last.locator(".row-line").click()
    await expect(timeline.get_by_text("Everything that is expected was done")).to_be_visible()
    async with page.expect_popup() as opened:
        await page.get_by_role("link", name="Open the report").click()
    await expect((await opened.value).get_by_text("mail_0").first).to_be_visible()

    _, errors = await asyncio.to_thread(process.communicate)
    assert process.returncode == 0, errors
    await page.get_by_role("link", name="nightly").click()
    await expect(page.get_by_text("2 of 2 runs")).to_be_visible()
    await expect(row.get_by_role("gridcell")).to_have_text("1/1")
