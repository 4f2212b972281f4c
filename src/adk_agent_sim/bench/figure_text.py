"""Writes the figures of a bench as short text, the same in the terminal, in Markdown and in HTML."""

from __future__ import annotations

from collections.abc import Mapping

from adk_agent_sim.bench.bench_result import Outcome
from adk_agent_sim.bench.statistics import SuccessRate

OUTCOME_NAMES: Mapping[Outcome, str] = {
    "passed": "passed",
    "failed": "failed",
    "error": "error",
    "timeout": "timeout",
    "not_judged": "not judged",
}
_PLURALS: Mapping[Outcome, str] = {"error": "errors", "timeout": "timeouts"}


def format_share(share: float | None) -> str:
    """Return a share such as `66.7 %`; 100 % and 0 % are only written if they are exact."""
    if share is None:
        return "-"
    if share in (0.0, 1.0):
        return f"{share:.0%}".replace("%", " %")
    return f"{min(99.9, max(0.1, share * 100)):.1f} %"


def format_interval(rate: SuccessRate) -> str:
    """Return the interval of a rate, such as `57 to 75 %`."""
    return f"{rate.low * 100:.0f} to {rate.high * 100:.0f} %" if rate.total else "-"


def format_count(number: int, noun: str) -> str:
    """Return a number of things, such as `1 run` or `1,250 runs`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def format_number(number: float) -> str:
    """Return a number such as `0.25`, `12.5`, `1,250`, `34.2 k` or `1.20 M`."""
    if number >= 1_000_000:
        return f"{number / 1_000_000:,.2f} M"
    if number >= 10_000:
        return f"{number / 1_000:.1f} k"
    if number >= 100 or number == int(number):
        return f"{number:,.0f}"
    return f"{number:.3g}"


def format_seconds(seconds: float) -> str:
    """Return a duration such as `0.42 s`, `12.5 s`, `3 min 20 s` or `2 h 5 min`."""
    if seconds < 60:
        return f"{seconds:.3g} s"
    whole = round(seconds)
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"


def format_outcomes(outcomes: Mapping[Outcome, int]) -> str:
    """Return how many runs ended how, such as `20 passed, 3 failed, 1 error`."""
    parts = (
        f"{count:,} {_PLURALS.get(outcome, OUTCOME_NAMES[outcome]) if count != 1 else OUTCOME_NAMES[outcome]}"
        for outcome, count in outcomes.items()
        if count or outcome in ("passed", "failed")
    )
    return ", ".join(parts)
