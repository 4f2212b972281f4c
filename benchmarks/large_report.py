"""Measures the report of a large bench: how its build grows with the runs, and how soon Chromium shows its matrix.

    python benchmarks/large_report.py            1,000 and 10,000 runs; about a minute
    python benchmarks/large_report.py build      some of it: build, open
    python benchmarks/large_report.py --quick    the smallest size, which measures nothing

The two sizes take turns in each round, so that the ratios come from one run. The figures are medians, with the interval
that contains the middle half of the rounds. Nothing here passes or fails.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import arguments

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from bench_builders import iter_large_bench, write_results
from browser_pages import launch_browser, new_context
from playwright.async_api import BrowserContext

from adk_agent_sim.bench.bench_report import HTML_REPORT, write_reports

_AGENTS = 5
_RUNS = 2
_WAIT_FOR_CELLS = """
() => new Promise((resolve) => {
  const shows = () => document.querySelector(".matrix-body .matrix-row");
  const done = () => requestAnimationFrame(() => resolve(performance.now()));
  if (shows()) return done();
  const observer = new MutationObserver(() => { if (shows()) { observer.disconnect(); done(); } });
  observer.observe(document.documentElement, { childList: true, subtree: true });
})
"""


@dataclass(frozen=True, kw_only=True)
class Size:
    """The numbers of runs that are compared, and how often each is measured."""

    runs: tuple[int, int] = (1_000, 10_000)
    rounds: int = 7


QUICK = Size(runs=(20, 40), rounds=1)


def build(size: Size, folders: Mapping[int, Path]) -> None:
    """Read the results and write all reports."""
    measured: dict[int, list[float]] = {runs: [] for runs in size.runs}
    for _ in range(size.rounds):
        for runs, folder in folders.items():
            start = time.perf_counter()
            write_reports(folder)
            measured[runs].append(time.perf_counter() - start)
    print("\nBuild: the reports, from the results")
    for runs, seconds in measured.items():
        megabytes = (folders[runs] / HTML_REPORT).stat().st_size / 1e6
        per_run = [each / runs for each in seconds]
        print(f"  {runs:>6,} runs {_format(seconds, 1e3)} ms {_format(per_run, 1e6)} us a run   {megabytes:.1f} MB")
    _print_ratio("time per run", [[each / runs for each in measured[runs]] for runs in size.runs])


def open_pages(size: Size, folders: Mapping[int, Path]) -> None:
    """Open the page until its matrix has rows."""
    measured, rows = asyncio.run(_open_in_turns(size, folders))
    print("\nOpen: the page from its address to the frame that shows the matrix")
    for runs, seconds in measured.items():
        scenarios = runs // _AGENTS // _RUNS
        print(f"  {runs:>6,} runs {_format(seconds, 1)} ms, {rows[runs]} of {scenarios:,} rows in the document")
    _print_ratio("time", [measured[runs] for runs in size.runs])


async def _open_in_turns(size: Size, folders: Mapping[int, Path]) -> tuple[dict[int, list[float]], dict[int, int]]:
    measured: dict[int, list[float]] = {runs: [] for runs in size.runs}
    rows: dict[int, int] = {}
    async with launch_browser() as browser:
        context = await new_context(browser)
        for folder in folders.values():  # the first page also starts the browser's processes
            await _open_page(context, folder)
        for _ in range(size.rounds):
            for runs, folder in folders.items():
                milliseconds, rows[runs] = await _open_page(context, folder)
                measured[runs].append(milliseconds)
        await context.close()
    return measured, rows


async def _open_page(context: BrowserContext, folder: Path) -> tuple[float, int]:
    """Return the milliseconds from the navigation to the matrix, and its rows in the document."""
    page = await context.new_page()
    await page.goto((folder / HTML_REPORT).as_uri())
    milliseconds: float = await page.evaluate(_WAIT_FOR_CELLS)
    rows = await page.locator(".matrix-body .matrix-row").count()
    await page.close()
    return milliseconds, rows


def _print_ratio(what: str, measured: Sequence[Sequence[float]]) -> None:
    ratios = [large / small for small, large in zip(*measured, strict=True)]
    print(f"  {what}, large against small: {_format(ratios, 1)}x")


def _format(values: Sequence[float], factor: float) -> str:
    scaled = sorted(value * factor for value in values)
    low, high = scaled[len(scaled) // 4], scaled[-1 - len(scaled) // 4]
    return f"{statistics.median(scaled):8.2f} ({low:.2f} to {high:.2f})"


BENCHMARKS: Mapping[str, Callable[[Size, Mapping[int, Path]], None]] = {"build": build, "open": open_pages}


def main() -> None:
    """Write the results of both sizes, and measure."""
    given = arguments.read(__doc__, list(BENCHMARKS))
    size = QUICK if given.quick else Size()
    print(f"Reports of benches of {_AGENTS} agents")
    with tempfile.TemporaryDirectory() as name:
        folders: dict[int, Path] = {}
        for runs in size.runs:
            results = iter_large_bench(_AGENTS, runs // _AGENTS // _RUNS, _RUNS)
            folders[runs] = write_results(Path(name) / str(runs), results)
            write_reports(folders[runs])
        for each in given.benchmarks or BENCHMARKS:
            BENCHMARKS[each](size, folders)


if __name__ == "__main__":
    main()
