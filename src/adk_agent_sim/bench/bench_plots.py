"""Draws the plots of a bench's report as inline SVG.

Plots are drawn in percent of their width, so they fit any column without distortion of dots and texts. Colours are
classes of the page's style: `series-0` and so on for the variants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from adk_agent_sim.bench.bench_summary import VariantSummary
from adk_agent_sim.bench.figure_text import format_interval, format_share
from adk_agent_sim.bench.run_group import PassAtK, RunMeasure
from adk_agent_sim.bench.statistics import SuccessRate
from adk_agent_sim.text.html_escaping import escape_html

SERIES_COUNT = 8
"""How many colours there are for variants."""

_CHART_HEIGHT = 180
"""Pixels from the top of a chart to its axis."""


def get_series_class(index: int) -> str:
    """Return the class for the colour of a variant."""
    return f"series-{index % SERIES_COUNT}"


def draw_rate(rate: SuccessRate, series: int) -> str:
    """Draw a rate as a dot with its interval as a line, on a scale from 0 to 100 %."""
    if rate.value is None:
        return '<span class="quiet">not judged</span>'
    label = f"{format_share(rate.value)}, 95 % interval {format_interval(rate)}"
    grid = "".join(f'<line class="grid" x1="{at}%" x2="{at}%" y1="0" y2="100%"/>' for at in (0, 25, 50, 75, 100))
    return (
        f'<svg class="row-plot {get_series_class(series)}" role="img" aria-label="{label}"><title>{label}</title>{grid}'
        f'<line class="interval" x1="{_percent(rate.low)}" x2="{_percent(rate.high)}" y1="50%" y2="50%"/>'
        f'<circle class="dot" cx="{_percent(rate.value)}" cy="50%" r="4.5"/></svg>'
    )


def draw_measure(measure: RunMeasure, limit: float, series: int, format_value: Callable[[float], str]) -> str:
    """Draw where most runs are: a line over the middle 80 %, a tick at the median, a dot at the mean."""
    label = (
        f"mean {format_value(measure.mean)}, median {format_value(measure.median)}, "
        f"80 % of the runs between {format_value(measure.low)} and {format_value(measure.high)}"
    )
    low, median, high, mean = (
        _percent(each / limit if limit else 0.0) for each in (measure.low, measure.median, measure.high, measure.mean)
    )
    return (
        f'<svg class="row-plot {get_series_class(series)}" role="img" aria-label="{label}"><title>{label}</title>'
        '<line class="grid" x1="0" x2="100%" y1="50%" y2="50%"/>'
        f'<line class="interval" x1="{low}" x2="{high}" y1="50%" y2="50%"/>'
        f'<line class="tick" x1="{median}" x2="{median}" y1="20%" y2="80%"/>'
        f'<circle class="dot" cx="{mean}" cy="50%" r="4.5"/></svg>'
    )


def draw_counts(counts: Sequence[int], limit: int) -> str:
    """Draw how many runs of each variant there are, as one stacked bar."""
    bars: list[str] = []
    start = 0
    for series, count in enumerate(counts):
        if count:
            place = f'x="{_percent(start / limit)}" width="{_percent(count / limit)}"'
            bars.append(f'<rect class="bar {get_series_class(series)}" {place} y="25%" height="50%"/>')
        start += count
    return f'<svg class="row-plot" aria-hidden="true">{"".join(bars)}</svg>'


def draw_attempts(
    variants: Sequence[VariantSummary], title: str, get_share: Callable[[PassAtK], float], largest: int
) -> str:
    """Draw pass@k or pass^k over k as a line per variant."""
    parts = [*_iter_axes(largest)]
    for series, each in enumerate(variants):
        places = [(_x(point.k, largest), _y(get_share(point))) for point in each.overall.attempts]
        lines = "".join(
            f'<line class="curve" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>' for (x1, y1), (x2, y2) in pairwise(places)
        )
        dots = "".join(
            f'<circle class="dot" cx="{x}" cy="{y}" r="4"><title>{escape_html(each.label)}: '
            f"{format_share(get_share(point))} for k = {point.k}</title></circle>"
            for (x, y), point in zip(places, each.overall.attempts, strict=True)
        )
        parts.append(f'<g class="{get_series_class(series)}">{lines}{dots}</g>')
    return f'<svg class="chart" role="img" aria-label="{escape_html(title)}">{"".join(parts)}</svg>'


def _iter_axes(largest: int) -> Iterator[str]:
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share)
        yield f'<line class="grid" x1="0" x2="100%" y1="{y}" y2="{y}"/>'
        yield f'<text class="label end" x="0" dx="-8" y="{y + 4}">{share * 100:.0f} %</text>'
    step = max(1, -(-largest // 10))
    for k in sorted({1, *range(step, largest + 1, step)}):
        yield f'<text class="label middle" x="{_x(k, largest)}" y="{_CHART_HEIGHT + 24}">{k}</text>'
    yield f'<text class="label middle" x="50%" y="{_CHART_HEIGHT + 42}">k</text>'


def _x(k: int, largest: int) -> str:
    return _percent(0.02 + 0.96 * (k - 1) / max(1, largest - 1))


def _y(share: float) -> float:
    return round(8 + (1 - share) * (_CHART_HEIGHT - 8), 1)


def _percent(share: float) -> str:
    return f"{share * 100:.2f}%"
