"""Writes the reports of a bench from the results in its folder: HTML, Markdown and JUnit XML."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from adk_agent_sim.bench.bench_page import render_bench_page
from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.bench_summary import BenchSummary, summarize_bench
from adk_agent_sim.bench.failure_reasons import ReasonMask
from adk_agent_sim.bench.markdown_summary import render_markdown_summary
from adk_agent_sim.bench.results_file import PLAN_NAME, RESULTS_NAME, read_results
from adk_agent_sim.errors import BenchFolderRefused
from adk_agent_sim.text.page_templates import load_template
from adk_agent_sim.timeline.atomic_files import atomic_write_text
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json_object

HTML_REPORT: Final = "report.html"
MARKDOWN_REPORT: Final = "summary.md"
JUNIT_REPORT: Final = "junit.xml"


def write_reports(folder: Path) -> BenchSummary:
    """Write all reports of the bench in a folder, and return its summary.

    Args:
        folder: The folder with the results; reports that are there are replaced.

    Raises:
        BenchFolderRefused: The folder has no results, or they are damaged.
    """
    summary = read_summary(folder)
    atomic_write_text(folder / HTML_REPORT, render_bench_page(summary, folder.resolve().name))
    atomic_write_text(folder / JUNIT_REPORT, load_template("bench", "junit.xml.j2").render(summary=summary))
    atomic_write_text(folder / MARKDOWN_REPORT, render_markdown_summary(summary))
    return summary


def read_summary(folder: Path) -> BenchSummary:
    """Return the summary of the bench in a folder. Secrets are masked in the reasons of failures."""
    return summarize_bench(map(ReasonMask().mask, read_last_results(folder)), _read_planned(folder), str(folder))


def read_last_results(folder: Path) -> Iterable[BenchResult]:
    """Return the last result of each run."""
    try:
        lines = read_results(folder / RESULTS_NAME)
    except FileNotFoundError:
        raise BenchFolderRefused(
            str(folder), f"it has no {RESULTS_NAME}", "Give the folder that was --out of a bench."
        ) from None
    return {each.key: each for each in lines}.values()


def _read_planned(folder: Path) -> int | None:
    """Return how many runs the plan has; None for results that were put together without one."""
    try:
        count = parse_json_object((folder / PLAN_NAME).read_bytes()).get("run_count")
    except (FileNotFoundError, InvalidJson):
        return None
    return count if isinstance(count, int) else None
