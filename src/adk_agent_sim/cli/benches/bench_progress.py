"""The progress of a bench on stderr: a line that changes on a terminal, a line now and then elsewhere and in CI."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adk_agent_sim.text.terminal_output import print_line
from adk_agent_sim.timeline.clock import Clock, WallClock

if TYPE_CHECKING:
    from adk_agent_sim.bench.bench_result import BenchResult
    from adk_agent_sim.bench.bench_run import BenchStatus
    from adk_agent_sim.cli.benches.bench_display import BenchDisplay, StyledText

_TERMINAL_SECONDS = 0.2
_LINE_SECONDS = 15.0


class BenchProgress:
    """Shows how far a bench is. Callable at any rate: output is throttled."""

    def __init__(self, total: int, clock: Clock | None = None, *, is_terminal: bool | None = None) -> None:
        """Start.

        Args:
            total: The number of runs of the plan.
            clock: The source of time; by default the system clock.
            is_terminal: Whether one line is overwritten; by default, whether stderr is a terminal that can do so.
        """
        self._total = total
        self._clock = clock or WallClock()
        self._display = _create_display(total) if (_can_overwrite() if is_terminal is None else is_terminal) else None
        self._interval = _LINE_SECONDS if self._display is None else _TERMINAL_SECONDS
        self._started_at = self._clock.monotonic()
        self._done_before: int | None = None
        """The results that were there at the beginning: they say nothing about how long the others take."""
        self._next_update = self._started_at + (0 if self._display else _LINE_SECONDS)

    def __call__(self, status: BenchStatus) -> None:
        """Show the progress if the last update is old enough."""
        if self._done_before is None:
            self._done_before = len(status.list_final_results())
        now = self._clock.monotonic()
        if now < self._next_update:
            return
        self._next_update = now + self._interval
        results = status.list_final_results()
        parts = list(self._describe(status, results, now))
        if self._display is not None:
            self._display.show(len(results), parts)
        else:
            print_line(", ".join(text for text, _ in parts), err=True)

    def close(self) -> None:
        """Erase the line that changes, if there is one."""
        if self._display is not None:
            self._display.close()

    def _describe(self, status: BenchStatus, results: Sequence[BenchResult], now: float) -> Iterator[StyledText]:
        counts = Counter(each.outcome for each in results)
        tokens = sum(each.input_tokens + each.output_tokens for each in results)
        done, errors = len(results), counts["error"] + counts["timeout"]
        yield f"{done:,} of {self._total:,} runs", "bold"
        if status.is_paused:
            yield "paused", "yellow"
        elif models := status.list_rate_limited(now):
            yield f"waiting for the rate limit of {' and '.join(models)}", "yellow"
        yield f"{counts['passed']:,} passed", "green"
        yield f"{counts['failed']:,} failed", "red" if counts["failed"] else ""
        yield f"{errors:,} errors", "yellow" if errors else ""
        if tokens:
            yield f"{tokens / 1000:,.0f}k tokens" if tokens >= 10_000 else f"{tokens:,} tokens", ""
        finished = done - (self._done_before or 0)
        if finished > 0 and done < self._total and not status.is_paused:
            left = (self._total - done) * (now - self._started_at) / finished
            yield f"{format_duration(left)} left", ""


def _can_overwrite() -> bool:
    """Return whether stderr is a terminal whose last line can be replaced; logs of CI show every replacement."""
    return sys.stderr.isatty() and not os.environ.get("CI") and os.environ.get("TERM") not in ("dumb", "unknown")


def _create_display(total: int) -> BenchDisplay:
    from adk_agent_sim.cli.benches.bench_display import BenchDisplay

    return BenchDisplay(total)


def format_duration(seconds: float) -> str:
    """Return a duration as people say it, such as `45 s`, `12 min` or `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"
