"""Prints how the agents of a bench did, as tables with a line for each, in colour on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from adk_agent_sim.bench.bench_report import HTML_REPORT
from adk_agent_sim.bench.bench_summary import BenchSummary
from adk_agent_sim.bench.figure_text import OUTCOME_NAMES, format_interval, format_number, format_seconds, format_share
from adk_agent_sim.bench.run_group import RunGroup
from adk_agent_sim.text.terminal_output import format_table, print_json, print_line, print_lines, shorten_cell, style

_MAX_TAGS = 40
_MAX_TAG_COLUMNS = 6
_MAX_REASONS = 5


def print_bench_summary(summary: BenchSummary, *, as_json: bool) -> None:
    """Print how a bench went, as JSON or as tables."""
    if as_json:
        print_json(summary.model_dump())
    else:
        _print_bench_table(summary)
        print_line()
        print_line(f"See {Path(summary.folder) / HTML_REPORT}")


def _print_bench_table(summary: BenchSummary) -> None:
    """Print success, attempts, tokens, calls and times per variant and tag, and the most frequent failures."""
    largest = max((each.overall.attempts[-1].k for each in summary.variants if each.overall.attempts), default=1)
    attempts = [f"pass@{largest}", f"pass^{largest}"] if largest > 1 else []
    heads = ["agent", "success", "95 % interval", "passed", *attempts, "errors"]
    print_table(heads, [[each.label, *_list_success(each.overall, largest)] for each in summary.variants])
    print_line()
    heads = ["means per run", "tokens", "model calls", "tool calls", "simulated", "wall"]
    print_table(heads, [[each.label, *_list_measures(each.overall)] for each in summary.variants])
    if summary.tags and len(summary.variants) <= _MAX_TAG_COLUMNS:
        print_line()
        _print_tags(summary)
    if summary.failures:
        print_line()
        _print_failures(summary)
    if (missing := (summary.planned or 0) - summary.overall.runs) > 0:
        print_line()
        print_line(style(f"{missing:,} of {summary.planned:,} runs have not ended yet.", fg="yellow"))


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns: the first is text, the others are aligned to the right."""
    cells = [list(map(shorten_cell, row)) for row in (heads, *rows)]
    head, *lines = format_table(cells, right=range(1, len(heads)))
    print_lines([style(head, bold=True), *lines])


def _print_tags(summary: BenchSummary) -> None:
    rows = [
        [tag, *(format_share(each.tags[tag].success.value) if tag in each.tags else "" for each in summary.variants)]
        for tag in summary.tags[:_MAX_TAGS]
    ]
    print_table(["success per tag", *(each.label for each in summary.variants)], rows)
    if len(summary.tags) > _MAX_TAGS:
        print_line(f"... and {len(summary.tags) - _MAX_TAGS} more; report.html has all")


def _print_failures(summary: BenchSummary) -> None:
    for group in summary.failures[:_MAX_REASONS]:
        print_line(style(f"{group.total:>5,} {OUTCOME_NAMES[group.outcome]:<10}", fg="red"), f" {group.shown_reason}")
    if len(summary.failures) > _MAX_REASONS:
        print_line("... and others; report.html has them")


def _list_success(group: RunGroup, largest: int) -> list[str]:
    rate = group.success
    found = next((each for each in group.attempts if each.k == largest), None)
    shares = [found.pass_at_k, found.pass_hat_k] if found else [None, None]
    return [
        format_share(rate.value),
        format_interval(rate),
        f"{rate.passed:,} of {rate.total:,}",
        *([format_share(each) for each in shares] if largest > 1 else []),
        f"{group.outcomes['error'] + group.outcomes['timeout']:,}",
    ]


def _list_measures(group: RunGroup) -> list[str]:
    return [
        *(format_number(each.mean) for each in (group.tokens, group.model_calls, group.tool_calls)),
        *(format_seconds(each.mean) for each in (group.simulated_seconds, group.wall_seconds)),
    ]
