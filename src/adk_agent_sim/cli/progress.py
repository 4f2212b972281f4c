"""Says how far something is, once it has taken more than two seconds; to stderr, and only to a person."""

from __future__ import annotations

import sys

import click

from adk_agent_sim.timeline.clock import Clock, WallClock

_QUIET = 2.0
_BETWEEN = 0.5


class Progress:
    """Call it as often as you like with how much is done."""

    def __init__(self, what: str, clock: Clock | None = None, *, shown: bool | None = None) -> None:
        """Start the watch.

        Args:
            what: What is counted, as `events`.
            clock: Where the time comes from.
            shown: Whether somebody looks; if left out, whether stderr is a terminal.
        """
        self._what = what
        self._clock = clock or WallClock()
        self._next = self._clock.measured() + _QUIET
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._said = False

    def __call__(self, done: int, total: int) -> None:
        """Say how far it is, now and then."""
        if self._shown and self._clock.measured() >= self._next:
            self._next = self._clock.measured() + _BETWEEN
            self._said = True
            click.echo(f"\r  {done:,} of {total:,} {self._what}", nl=False, err=True)

    def close(self) -> None:
        """Wipe what was said."""
        if self._said:
            click.echo("\r" + " " * 60 + "\r", nl=False, err=True)
