"""The data of the report's matrix: every run as a short list, for the script that renders the visible rows."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.bench_summary import BenchSummary
from adk_agent_sim.bench.run_group import OUTCOMES
from adk_agent_sim.text.page_templates import replace_invisible
from adk_agent_sim.text.surrogates import replace_lone_surrogates

_MAX_REASON = 1_000
"""The most characters of a reason in the matrix; the page of the run has all."""


def build_matrix(summary: BenchSummary) -> dict[str, Any]:
    """Return the data as values of JSON."""
    reasons: dict[str, int] = {}
    tags: dict[str, int] = {}
    runs = [
        [_render_run(run, reasons) for run in summary.cells.get((scenario, each.variant), ())]
        for scenario in summary.scenarios
        for each in summary.variants
    ]
    scenario_tags = [_list_tags(summary, scenario, tags) for scenario in summary.scenarios]
    return {
        "outcomes": OUTCOMES,
        "variants": [replace_invisible(each.label) for each in summary.variants],
        "scenarios": [replace_invisible(each) for each in summary.scenarios],
        "scenarioTags": scenario_tags,
        "tags": [replace_invisible(each) for each in tags],
        "reasons": list(reasons),
        "runs": runs,
    }


def make_report_link(result: BenchResult) -> str:
    """Return the address of the run's own page relative to the report; empty if it has none within the folder."""
    parts = result.report.replace("\\", "/").split("/")
    if not result.report or result.report.startswith(("/", "\\")) or ".." in parts:
        return ""
    # Quoted, nothing in it can be the scheme of an address.
    return f"./{quote(replace_lone_surrogates('/'.join(parts)), safe='/')}"


def _render_run(run: BenchResult, reasons: dict[str, int]) -> list[Any]:
    reason = replace_invisible(run.reason)
    if len(reason) > _MAX_REASON:
        reason = f"{reason[:_MAX_REASON]}…"
    return [
        OUTCOMES.index(run.outcome),
        run.seed,
        run.run,
        run.input_tokens,
        run.output_tokens,
        run.model_calls,
        run.tool_calls,
        round(run.simulated_seconds, 3),
        round(run.wall_seconds, 3),
        reasons.setdefault(reason, len(reasons)),
        make_report_link(run),
    ]


def _list_tags(summary: BenchSummary, scenario: str, tags: dict[str, int]) -> list[int]:
    # All runs of a scenario have the same tags, so those of the first run will do.
    for each in summary.variants:
        for run in summary.cells.get((scenario, each.variant), ()):
            return [tags.setdefault(tag, len(tags)) for tag in run.tags]
    return []
