"""A progress counter on stderr; appears after two seconds, and only if stderr is a terminal."""

from __future__ import annotations

import sys

from adk_agent_sim.text.terminal_output import erase_progress, print_progress
from adk_agent_sim.timeline.clock import Clock, WallClock

_INITIAL_DELAY = 2.0
_UPDATE_INTERVAL = 0.5


class ProgressBar:
    """Prints `done of total`. Callable at any rate: output is throttled."""

    def __init__(self, unit: str, clock: Clock | None = None, *, is_visible: bool | None = None) -> None:
        """Start counting the delay.

        Args:
            unit: What is counted, such as `events`.
            clock: The source of time; by default the system clock.
            is_visible: Whether to print; by default, whether stderr is a terminal.
        """
        self._unit = unit
        self._clock = clock or WallClock()
        self._next_update = self._clock.monotonic() + _INITIAL_DELAY
        self._is_visible = sys.stderr.isatty() if is_visible is None else is_visible
        self._has_printed = False

    def __call__(self, done: int, total: int) -> None:
        """Print the progress if the last update is old enough."""
        if self._is_visible and self._clock.monotonic() >= self._next_update:
            self._next_update = self._clock.monotonic() + _UPDATE_INTERVAL
            self._has_printed = True
            print_progress(f"{done:,} of {total:,} {self._unit}")

    def close(self) -> None:
        """Erase the progress line, if one was printed."""
        if self._has_printed:
            erase_progress()
