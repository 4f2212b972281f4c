"""The sections of a bench's page that need no script: success, tags, attempts, measures and failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from adk_agent_sim.bench.bench_plots import draw_attempts, draw_counts, draw_measure, draw_rate, get_series_class
from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.bench_summary import BenchSummary, FailureGroup, VariantSummary
from adk_agent_sim.bench.figure_text import (
    OUTCOME_NAMES,
    format_interval,
    format_number,
    format_seconds,
    format_share,
)
from adk_agent_sim.bench.matrix_data import make_report_link
from adk_agent_sim.bench.run_group import PassAtK, RunGroup, RunMeasure
from adk_agent_sim.text.html_escaping import escape_html

_MAX_FAILURES = 50
_MAX_TAGS = 100
_MAX_NAME = 80

_MEASURES: Sequence[tuple[str, Callable[[RunGroup], RunMeasure], Callable[[float], str]]] = (
    ("Tokens", lambda group: group.tokens, format_number),
    ("Model calls", lambda group: group.model_calls, format_number),
    ("Tool calls", lambda group: group.tool_calls, format_number),
    ("Simulated time", lambda group: group.simulated_seconds, format_seconds),
    ("Wall time", lambda group: group.wall_seconds, format_seconds),
)


_ATTEMPT_KINDS: Sequence[tuple[str, str, Callable[[PassAtK], float]]] = (
    ("pass@k", "at least one of k runs passes", lambda point: point.any_passes),
    ("pass^k", "all of k runs pass", lambda point: point.all_pass),
)


def iter_success_lines(summary: BenchSummary) -> Iterator[str]:
    """Yield the section with the success of each variant."""
    yield '<section><h2>Success</h2><p class="quiet">The share of judged runs that passed, with its 95 % Wilson '
    yield "interval, which treats runs as independent of each other, also those in the same scenario. Errors and "
    yield "timeouts count as not passed; runs that nobody could judge do not count.</p>"
    yield f'<table class="plots"><thead><tr><th>{_render_noun(summary)}</th><th class="plot">0 to 100 %</th>'
    yield "<th>Success</th>"
    yield "<th>95 % interval</th><th>Passed</th></tr></thead><tbody>"
    for series, each in enumerate(summary.variants):
        rate = each.overall.success
        yield f'<tr><th scope="row">{_render_label(each, series)}</th><td class="plot">{draw_rate(rate, series)}</td>'
        yield f'<td class="number strong">{format_share(rate.value)}</td>'
        yield f'<td class="number">{format_interval(rate)}</td>'
        yield f'<td class="number">{rate.passed:,} of {rate.total:,}</td></tr>'
    yield "</tbody></table></section>"


def iter_tag_lines(summary: BenchSummary) -> Iterator[str]:
    """Yield the section with the success of each variant per capability tag; nothing if there are no tags."""
    if not summary.tags:
        return
    yield '<section><h2>Success per capability</h2><div class="cards">'
    for tag in summary.tags[:_MAX_TAGS]:
        groups = [(series, each, each.tags[tag]) for series, each in enumerate(summary.variants) if tag in each.tags]
        scenarios = max(group.scenarios for _, _, group in groups)
        yield f'<div class="card"><h3>{_shorten(tag)} <span class="quiet">{_count(scenarios, "scenario")}</span></h3>'
        yield '<table class="plots"><tbody>'
        for series, each, group in groups:
            yield f'<tr><th scope="row">{_render_label(each, series)}</th>'
            yield f'<td class="plot">{draw_rate(group.success, series)}</td>'
            yield f'<td class="number strong">{format_share(group.success.value)}</td></tr>'
        yield "</tbody></table></div>"
    yield "</div>"
    if len(summary.tags) > _MAX_TAGS:
        yield f'<p class="quiet">... and {_count(len(summary.tags) - _MAX_TAGS, "more tag")}.</p>'
    yield "</section>"


def iter_attempt_lines(summary: BenchSummary) -> Iterator[str]:
    """Yield the section with pass@k and pass^k."""
    numbers = sorted({point.k for each in summary.variants for point in each.overall.attempts})
    yield "<section><h2>Several attempts</h2>"
    if not numbers or numbers[-1] == 1:
        yield '<p class="quiet">Each scenario ran once. With <code>--runs 3</code> this section shows whether at '
        yield "least one of several runs passes (pass@k), and whether all of them do (pass^k).</p></section>"
        return
    yield '<p class="quiet">Unbiased estimates, as means over the scenarios that have k judged runs.</p>'
    yield f'<div class="charts">{"".join(_iter_charts(summary, numbers[-1]))}</div>'
    heads = "".join(f"<th>k = {k}</th>" for k in numbers)
    # With many k, or on a narrow screen, it scrolls in its own box, also by keys.
    yield '<div class="wide" tabindex="0" role="region" aria-label="pass@k and pass^k for each k">'
    yield f'<table class="attempts"><thead><tr><th>{_render_noun(summary)}</th>{heads}</tr></thead>'
    for name, meaning, get_share in _ATTEMPT_KINDS:
        yield f'<tbody><tr><th class="kind" scope="rowgroup" colspan="{len(numbers) + 1}"><span>{name} '
        yield f'<span class="quiet">{meaning}</span></span></th></tr>'
        for series, each in enumerate(summary.variants):
            shares = {point.k: get_share(point) for point in each.overall.attempts}
            cells = "".join(f'<td class="number">{format_share(shares.get(k))}</td>' for k in numbers)
            yield f'<tr><th scope="row">{_render_label(each, series)}</th>{cells}</tr>'
        yield "</tbody>"
    yield "</table></div></section>"


def iter_measure_lines(summary: BenchSummary) -> Iterator[str]:
    """Yield the section with tokens, calls and times."""
    yield '<section><h2>Tokens, calls and time per run</h2><p class="quiet">The dot is the mean, the tick the median; '
    yield 'the line spans the middle 80 % of the runs.</p><div class="cards">'
    for name, get_measure, format_value in _MEASURES:
        measures = [get_measure(each.overall) for each in summary.variants]
        limit = max((max(each.high, each.mean) for each in measures), default=0.0)
        yield f'<div class="card"><h3>{name} <span class="quiet">0 to {format_value(limit)}</span></h3>'
        yield '<table class="plots"><tbody>'
        for series, (each, measure) in enumerate(zip(summary.variants, measures, strict=True)):
            yield f'<tr><th scope="row">{_render_label(each, series)}</th>'
            yield f'<td class="plot">{draw_measure(measure, limit, series, format_value)}</td>'
            yield f'<td class="number strong">{format_value(measure.mean)}</td></tr>'
        yield "</tbody></table></div>"
    yield "</div></section>"


def iter_failure_lines(summary: BenchSummary) -> Iterator[str]:
    """Yield the section with the failures, grouped by reason."""
    yield "<section><h2>Why runs did not pass</h2>"
    if not summary.failures:
        yield '<p class="quiet">All runs passed.</p></section>'
        return
    yield '<p class="quiet">Reasons that differ only in ids, numbers and values are one group.</p>'
    yield _render_legend(summary.variants)
    yield '<table class="failures"><thead><tr><th>Runs</th>'
    yield f'<th class="plot">By {summary.variant_noun}</th><th>Outcome</th>'
    yield "<th>Reason</th><th>For example</th></tr></thead><tbody>"
    largest = summary.failures[0].total
    for group in summary.failures[:_MAX_FAILURES]:
        yield _render_failure(group, summary.variants, largest)
    yield "</tbody></table>"
    if len(summary.failures) > _MAX_FAILURES:
        yield f'<p class="quiet">... and {_count(len(summary.failures) - _MAX_FAILURES, "smaller group")}.</p>'
    yield "</section>"


def _render_failure(group: FailureGroup, variants: Sequence[VariantSummary], largest: int) -> str:
    counts = [group.counts.get(each.label, 0) for each in variants]
    names = ", ".join(f"{each.label}: {count}" for each, count in zip(variants, counts, strict=True) if count)
    examples = " ".join(_render_example(each) for each in group.examples[:3])
    return (
        f'<tr><td class="number strong">{group.total:,}</td>'
        f'<td class="plot" title="{escape_html(names)}">{draw_counts(counts, largest)}</td>'
        f'<td><span class="badge outcome-{group.outcome}">{OUTCOME_NAMES[group.outcome]}</span></td>'
        f'<td class="reason">{escape_html(group.reason)}</td><td class="examples">{examples}</td></tr>'
    )


def _render_example(result: BenchResult) -> str:
    link, name = make_report_link(result), _shorten(result.scenario)
    return f'<a href="{escape_html(link)}">{name}</a>' if link else f"<span>{name}</span>"


def _iter_charts(summary: BenchSummary, largest: int) -> Iterator[str]:
    for name, meaning, get_share in _ATTEMPT_KINDS:
        chart = draw_attempts(summary.variants, f"{name} over k", get_share, largest)
        caption = f'<figcaption><strong>{name}</strong> <span class="quiet">{meaning}</span></figcaption>'
        yield f"<figure>{caption}{chart}</figure>"


def _render_legend(variants: Sequence[VariantSummary]) -> str:
    return f'<p class="legend">{" ".join(_render_label(each, series) for series, each in enumerate(variants))}</p>'


def _render_label(variant: VariantSummary, series: int) -> str:
    full = escape_html(variant.label)
    return f'<span class="agent" title="{full}"><i class="swatch {get_series_class(series)}"></i>{full}</span>'


def _render_noun(summary: BenchSummary) -> str:
    return summary.variant_noun.capitalize()


def _shorten(text: str) -> str:
    return escape_html(text if len(text) <= _MAX_NAME else f"{text[:_MAX_NAME]}…")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
