"""The progress of a bench on stderr: a line that changes on a terminal, a line now and then elsewhere and in CI."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task
from rich.table import Column
from rich.text import Text

from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.bench_run import BenchStatus
from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.text.terminal_output import print_line
from adk_agent_sim.timeline.clock import Clock, WallClock

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
    return BenchDisplay(total)


def format_duration(seconds: float) -> str:
    """Return a duration as people say it, such as `45 s`, `12 min` or `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


_BAR_WIDTH = 20

StyledText: TypeAlias = tuple[str, str]
"""A text, and rich's style for it."""


class BenchDisplay:
    """Draws the line on standard error, and erases it at the end."""

    def __init__(self, total: int) -> None:
        """Draw nothing yet.

        Args:
            total: The number of runs of the plan.
        """
        # What is redirected through rich would be interpreted by it.
        self._progress = Progress(
            BarColumn(_BAR_WIDTH, complete_style="cyan", finished_style="cyan"),  # by default as red as a failure
            _CountsColumn(),
            console=_VisibleCursorConsole(stderr=True, force_terminal=True, force_jupyter=False),
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._progress.add_task("", total=total, counts=Text())

    def show(self, done: int, parts: Sequence[StyledText]) -> None:
        """Replace the line."""
        self._progress.update(self._task, completed=done, counts=_join(parts))
        self._progress.start()
        self._progress.refresh()

    def close(self) -> None:
        """Erase the line, if one was drawn."""
        self._progress.stop()


def _join(parts: Iterable[StyledText]) -> Text:
    return Text(", ").join(Text(escape_line(text), style) for text, style in parts)


class _CountsColumn(ProgressColumn):
    """The counts; in a narrow terminal, the end of them is left out."""

    def __init__(self) -> None:
        super().__init__(Column(no_wrap=True, overflow="ellipsis"))

    def render(self, task: Task) -> Text:
        return task.fields["counts"]


class _VisibleCursorConsole(Console):
    """Leaves the cursor alone: a process that is killed could not show it again."""

    def show_cursor(self, show: bool = True) -> bool:
        return False
