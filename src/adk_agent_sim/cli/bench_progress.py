"""The progress of a bench on stderr: one line that changes on a terminal, a line now and then elsewhere, as in CI."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from adk_agent_sim.text.terminal_output import erase_progress, print_line, print_progress
from adk_agent_sim.timeline.clock import Clock, WallClock

if TYPE_CHECKING:
    from adk_agent_sim.bench.bench_result import BenchResult, RunKey

_TERMINAL_SECONDS = 0.2
_LINE_SECONDS = 15.0
_WIDTH = 76


class BenchProgress:
    """Prints how far a bench is. Callable at any rate: output is throttled."""

    def __init__(self, total: int, clock: Clock | None = None, *, is_terminal: bool | None = None) -> None:
        """Start.

        Args:
            total: The number of runs of the plan.
            clock: The source of time; by default the system clock.
            is_terminal: Whether one line is overwritten; by default, whether stderr is a terminal.
        """
        self._total = total
        self._clock = clock or WallClock()
        self._is_terminal = sys.stderr.isatty() if is_terminal is None else is_terminal
        self._started_at = self._clock.monotonic()
        self._done_before: int | None = None
        """The results that were there at the beginning: they say nothing about how long the others take."""
        self._next_update = self._started_at + (0 if self._is_terminal else _LINE_SECONDS)
        self._has_printed = False

    def __call__(self, results: Mapping[RunKey, BenchResult]) -> None:
        """Print the progress if the last update is old enough."""
        if self._done_before is None:
            self._done_before = len(results)
        now = self._clock.monotonic()
        if now < self._next_update:
            return
        self._next_update = now + (_TERMINAL_SECONDS if self._is_terminal else _LINE_SECONDS)
        text = self._describe(results, now)
        if self._is_terminal:
            self._has_printed = True
            print_progress(text.ljust(_WIDTH)[:_WIDTH])
        else:
            print_line(text, err=True)

    def close(self) -> None:
        """Erase the line, if one was printed."""
        if self._has_printed:
            erase_progress()

    def _describe(self, results: Mapping[RunKey, BenchResult], now: float) -> str:
        counts = Counter(each.outcome for each in results.values())
        tokens = sum(each.input_tokens + each.output_tokens for each in results.values())
        done = len(results)
        parts = [
            f"{done:,} of {self._total:,} runs",
            f"{counts['passed']:,} passed",
            f"{counts['failed']:,} failed",
            f"{counts['error'] + counts['timeout']:,} errors",
        ]
        if tokens:
            parts.append(f"{tokens / 1000:,.0f}k tokens" if tokens >= 10_000 else f"{tokens:,} tokens")
        finished = done - (self._done_before or 0)
        if finished > 0 and done < self._total:
            left = (self._total - done) * (now - self._started_at) / finished
            parts.append(f"{format_duration(left)} left")
        return ", ".join(parts)


def format_duration(seconds: float) -> str:
    """Return a duration as people say it, such as `45 s`, `12 min` or `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"
