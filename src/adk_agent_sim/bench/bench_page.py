"""Renders the report of a bench as one page of HTML, which loads nothing and works without a network.

All texts come from scenarios, agents and judges: they are escaped, and the page's content policy allows only its own
style and script, by their hashes. The page's length is linear in the number of runs; its script renders those rows of
the matrix that are visible.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from adk_agent_sim.bench.bench_page_sections import (
    iter_attempt_lines,
    iter_failure_lines,
    iter_measure_lines,
    iter_success_lines,
    iter_tag_lines,
)
from adk_agent_sim.bench.bench_summary import BenchSummary
from adk_agent_sim.bench.figure_text import (
    OUTCOME_NAMES,
    format_interval,
    format_number,
    format_seconds,
    format_share,
)
from adk_agent_sim.bench.matrix_data import render_matrix_json
from adk_agent_sim.text.html_escaping import escape_html


def iter_page_lines(summary: BenchSummary, name: str) -> Iterator[str]:
    """Yield the lines of the page.

    Args:
        summary: The outcome of the bench.
        name: What the bench is called, such as the name of its folder.
    """
    title = escape_html(f"Bench {name}")
    style, script = _read_asset("bench_report.css"), _read_asset("bench_report.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title><style>{style}</style></head><body>"
    yield f"<header><h1>{title}</h1>{_render_shape(summary)}</header><main>"
    yield from _iter_tiles(summary)
    yield from iter_success_lines(summary)
    yield from iter_tag_lines(summary)
    yield from iter_failure_lines(summary)
    yield from _iter_matrix_lines(summary)
    yield from iter_attempt_lines(summary)
    yield from iter_measure_lines(summary)
    yield "</main>"
    yield f'<script type="application/json" id="bench-data">{render_matrix_json(summary)}</script>'
    yield f"<script>{script}</script></body></html>"


def _render_shape(summary: BenchSummary) -> str:
    variants = len(summary.variants), summary.variant_noun
    counts = (variants, (len(summary.scenarios), "scenario"), (summary.overall.runs, "run"))
    shape = ", ".join(f"{count:,} {noun}{'s' * (count != 1)}" for count, noun in counts)
    missing = (summary.planned or 0) - summary.overall.runs
    note = f' <span class="warning">{missing:,} of {summary.planned:,} runs are missing</span>' if missing > 0 else ""
    return f'<p class="quiet">{shape}</p>{note}'


def _iter_tiles(summary: BenchSummary) -> Iterator[str]:
    overall = summary.overall
    yield '<section class="tiles" aria-label="Overview">'
    together = f"all {summary.variant_noun}s together"
    alone = f"{format_interval(overall.success)} (95 %)"
    note = (together if len(summary.variants) > 1 else alone) if overall.success.total else "no run was judged"
    yield _render_tile("Success", format_share(summary.success_rate), note)
    for outcome, count in overall.outcomes.items():
        if count or outcome in ("passed", "failed"):
            share = format_share(count / overall.runs) if overall.runs else "-"
            name = f"{OUTCOME_NAMES[outcome].capitalize()}{'s' * (outcome in ('error', 'timeout'))}"
            yield _render_tile(name, f"{count:,}", f"{share} of the runs", f"outcome-{outcome}")
    tokens = f"{format_number(overall.input_tokens.total)} in, {format_number(overall.output_tokens.total)} out"
    yield _render_tile("Tokens", format_number(overall.tokens.total), tokens)
    simulated = f"{format_seconds(overall.simulated_seconds.total)} simulated"
    yield _render_tile("Run time", format_seconds(overall.wall_seconds.total), simulated)
    yield "</section>"


def _render_tile(name: str, value: str, note: str, css: str = "") -> str:
    return f'<div class="tile {css}"><h2>{name}</h2><strong>{value}</strong><span class="quiet">{note}</span></div>'


def _iter_matrix_lines(summary: BenchSummary) -> Iterator[str]:
    yield '<section id="matrix-section"><h2>Every scenario</h2>'
    yield '<p class="quiet">How many of the judged runs passed. Choose a cell to see its runs.</p>'
    yield "<noscript><p>The matrix needs JavaScript; junit.xml and results.jsonl hold the same runs.</p></noscript>"
    yield '<div class="toolbar" id="matrix-toolbar" hidden>'
    yield '<input type="search" id="matrix-find" placeholder="Find a scenario, tag or reason" aria-label="Find">'
    shown = (("all", "All scenarios"), ("failed", "Not always passed"), ("never", "Never passed"))
    yield _render_select(
        "filter",
        "Show",
        (*shown, ("differ", f"{summary.variant_noun.capitalize()}s differ"), ("broken", "Errors and timeouts")),
    )
    orders = (("name", "By name"), ("lowest", "Lowest success first"), ("spread", "Largest difference first"))
    yield _render_select("order", "Sort", orders)
    yield '<span class="quiet" id="matrix-count" role="status"></span></div>'
    yield '<div class="matrix-panes"><div id="matrix" tabindex="0" role="grid" aria-label="Runs that passed"></div>'
    yield '<canvas id="matrix-map" aria-hidden="true"></canvas>'
    yield '<aside id="matrix-runs" aria-label="Runs of the chosen cell" aria-live="polite"></aside></div></section>'


def _render_select(name: str, label: str, options: Sequence[tuple[str, str]]) -> str:
    items = "".join(f'<option value="{value}">{text}</option>' for value, text in options)
    return f'<select id="matrix-{name}" aria-label="{label}">{items}</select>'


@cache
def _read_asset(name: str) -> str:
    return files("adk_agent_sim.bench").joinpath("assets", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
