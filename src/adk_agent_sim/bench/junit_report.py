"""Renders the results of a bench as JUnit XML, which CI systems show beside the tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from adk_agent_sim.bench.bench_result import BenchResult, Outcome
from adk_agent_sim.bench.bench_summary import BenchSummary, VariantSummary

_INVALID_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot contain, not even as a character reference."""

_MAX_TEXT = 4_000
_MAX_MESSAGE = 300

_ELEMENTS: Final[dict[Outcome, str]] = {
    "failed": "failure",
    "error": "error",
    "timeout": "error",
    "not_judged": "skipped",
}
"""A timeout is an error: the run did not get as far as a judgement."""


def iter_junit_lines(summary: BenchSummary) -> Iterator[str]:
    """Yield the lines of the document: a suite per variant, and a test case per run."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    counts = _render_counts(summary.overall.outcomes)
    yield f'<testsuites name="adksim bench" {counts} time="{summary.overall.wall_seconds.total:.3f}">'
    for each in summary.variants:
        yield from _iter_suite_lines(summary, each)
    yield "</testsuites>"


def _iter_suite_lines(summary: BenchSummary, variant: VariantSummary) -> Iterator[str]:
    counts, seconds = _render_counts(variant.overall.outcomes), variant.overall.wall_seconds.total
    yield f'  <testsuite name={_quote(variant.label)} {counts} time="{seconds:.3f}">'
    for scenario in summary.scenarios:
        for result in summary.cells.get((scenario, variant.variant), ()):
            yield _render_case(variant.label, result)
    yield "  </testsuite>"


def _render_case(label: str, result: BenchResult) -> str:
    name = f"{result.scenario} [seed {result.seed}, run {result.run}]"
    case = f'    <testcase classname={_quote(label)} name={_quote(name)} time="{result.wall_seconds:.3f}"'
    element = _ELEMENTS.get(result.outcome)
    if element is None:
        return f"{case}/>"
    reason = result.reason or "No reason was given."
    first_line = reason.strip().partition("\n")[0][:_MAX_MESSAGE]
    kind = "" if element == "skipped" else f" type={_quote(result.outcome)}"
    text = reason[:_MAX_TEXT] + (f"\nReport of the run: {result.report}" if result.report else "")
    return f"{case}><{element} message={_quote(first_line)}{kind}>{escape(_clean(text))}</{element}></testcase>"


def _render_counts(outcomes: Mapping[Outcome, int]) -> str:
    errors = outcomes["error"] + outcomes["timeout"]
    counts = {
        "tests": sum(outcomes.values()),
        "failures": outcomes["failed"],
        "errors": errors,
        "skipped": outcomes["not_judged"],
    }
    return " ".join(f'{name}="{count}"' for name, count in counts.items())


def _quote(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    return _INVALID_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
