"""Says how far something is, once it has taken more than two seconds; to stderr, and only to a person."""

from __future__ import annotations

import sys

import click

from adk_agent_sim.timeline.clock import Clock, WallClock

_INITIAL_DELAY = 2.0
_UPDATE_INTERVAL = 0.5


class ProgressBar:
    """Call it as often as you like with how much is done."""

    def __init__(self, unit: str, clock: Clock | None = None, *, is_visible: bool | None = None) -> None:
        """Start the watch.

        Args:
            what: What is counted, as `events`.
            clock: Where the time comes from.
            shown: Whether somebody looks; if left out, whether stderr is a terminal.
        """
        self._unit = unit
        self._clock = clock or WallClock()
        self._next_update = self._clock.monotonic() + _INITIAL_DELAY
        self._is_visible = sys.stderr.isatty() if is_visible is None else is_visible
        self._has_printed = False

    def __call__(self, done: int, total: int) -> None:
        """Say how far it is, now and then."""
        if self._is_visible and self._clock.monotonic() >= self._next_update:
            self._next_update = self._clock.monotonic() + _UPDATE_INTERVAL
            self._has_printed = True
            click.echo(f"\r  {done:,} of {total:,} {self._unit}", nl=False, err=True)

    def close(self) -> None:
        """Wipe what was said."""
        if self._has_printed:
            click.echo("\r" + " " * 60 + "\r", nl=False, err=True)
