"""Renders the summary of a bench as Markdown for a pull request: short, and within the size of a comment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adk_agent_sim.bench.bench_summary import BenchSummary, FailureGroup
from adk_agent_sim.bench.figure_text import (
    OUTCOME_NAMES,
    format_count,
    format_interval,
    format_number,
    format_outcomes,
    format_seconds,
    format_share,
)
from adk_agent_sim.bench.run_group import PassAtK, RunGroup
from adk_agent_sim.golden.markdown_blocks import render_collapsible, render_inline_code
from adk_agent_sim.text.escaping import escape_line

_MAX_VARIANTS = 30
_MAX_TAG_ROWS = 60
_MAX_FAILURES = 10
_MAX_NAME = 120
"""The limits keep the text below the 65,536 characters that a comment on a pull request may have."""


def render_markdown_summary(summary: BenchSummary) -> str:
    """Return the Markdown; texts of scenarios and agents are rendered as code."""
    return "\n".join(_iter_blocks(summary)).rstrip() + "\n"


def _iter_blocks(summary: BenchSummary) -> Iterator[str]:
    overall = summary.overall
    yield f"## Bench: {format_share(summary.success_rate)} of {overall.success.total:,} judged runs passed\n"
    yield (
        f"{format_count(len(summary.variants), 'variant')}, {format_count(overall.scenarios, 'scenario')}, "
        f"{format_count(overall.runs, 'run')}: {format_outcomes(overall.outcomes)}. "
        f"{format_number(overall.tokens.total)} tokens, {format_seconds(overall.wall_seconds.total)} of run time.\n"
    )
    if (missing := (summary.planned or 0) - overall.runs) > 0:
        yield f"**The bench is not finished: {missing:,} of {summary.planned:,} runs are missing.**\n"
    yield from _iter_variants(summary)
    if summary.tags:
        yield render_collapsible("Success per capability tag", "\n".join(_iter_tags(summary))) + "\n"
    if summary.failures:
        yield from _iter_failures(summary.failures)
    yield (
        "Intervals are 95 % Wilson intervals, which treat runs as independent of each other, also those in the same "
        "scenario. Errors and timeouts count as not passed; runs that nobody could judge do not count. "
        "pass@k: at least one of k runs passes; pass^k: all k do (unbiased, mean over scenarios)."
    )


def _iter_variants(summary: BenchSummary) -> Iterator[str]:
    shown = summary.variants[:_MAX_VARIANTS]
    k = max((each.overall.attempts[-1].k for each in shown if each.overall.attempts), default=1)
    names = ["Agent", "Success", "95 % interval", "Passed", *([f"pass@{k}", f"pass^{k}"] if k > 1 else [])]
    yield from _iter_head([*names, "Tokens", "Model calls", "Tool calls", "Simulated", "Wall"])
    for each in shown:
        group, attempts = each.overall, _find_attempts(each.overall, k)
        passes = [format_share(attempts.pass_at_k), format_share(attempts.pass_hat_k)] if attempts else ["-", "-"]
        cells = [_code(each.label), format_share(group.success.value), format_interval(group.success)]
        cells += [f"{group.success.passed:,} of {group.success.total:,}", *(passes if k > 1 else [])]
        cells += [format_number(measure.mean) for measure in (group.tokens, group.model_calls, group.tool_calls)]
        cells += [format_seconds(measure.mean) for measure in (group.simulated_seconds, group.wall_seconds)]
        yield _row(cells)
    yield from _iter_rest(len(summary.variants) - len(shown), "variant")
    yield "\nTokens, calls and times are means per run.\n"


def _iter_tags(summary: BenchSummary) -> Iterator[str]:
    yield from _iter_head(["Tag", "Agent", "Success", "95 % interval", "Passed"])
    rows = [(tag, each) for tag in summary.tags for each in summary.variants if tag in each.tags]
    for tag, each in rows[:_MAX_TAG_ROWS]:
        rate = each.tags[tag].success
        cells = [_code(tag), _code(each.label), format_share(rate.value), format_interval(rate)]
        yield _row([*cells, f"{rate.passed:,} of {rate.total:,}"])
    yield from _iter_rest(len(rows) - _MAX_TAG_ROWS, "row")


def _iter_failures(failures: Sequence[FailureGroup]) -> Iterator[str]:
    yield "### Why runs did not pass\n"
    yield from _iter_head(["Runs", "Outcome", "Reason", "For example"])
    for each in failures[:_MAX_FAILURES]:
        example = _code(each.examples[0].scenario)
        yield _row([f"{each.total:,}", OUTCOME_NAMES[each.outcome], _code(each.reason, 2 * _MAX_NAME), example])
    yield from _iter_rest(len(failures) - _MAX_FAILURES, "group")
    yield ""


def _iter_head(names: Sequence[str]) -> Iterator[str]:
    yield _row(names)
    yield "|" + "---|" * len(names)


def _iter_rest(count: int, noun: str) -> Iterator[str]:
    if count > 0:
        yield f"\n... and {format_count(count, f'more {noun}')} in report.html."


def _find_attempts(group: RunGroup, k: int) -> PassAtK | None:
    return next((each for each in group.attempts if each.k == k), None)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str, limit: int = _MAX_NAME) -> str:
    return render_inline_code(escape_line(text if len(text) <= limit else f"{text[:limit]}…"))
