"""The time window of an expected event: when the agent's action must happen to count as that event.

A window is around the expected time, or around the expected distance from the event's latest parent. A comparator opens
one of its sides. Distances of up to a second are not compared unless a comparator asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass

THRESHOLD_SECONDS = 1.0
EARLY_SECONDS = 10.0
LATE_SECONDS = 25.0

COMPARATORS = ("LESS_THAN", "GREATER_THAN", "EQUAL")


@dataclass(frozen=True, kw_only=True, slots=True)
class ActionWindow:
    """When an action must happen. In seconds since 1970, or since the latest parent."""

    expected: float

    earliest: float | None

    latest: float | None

    is_relative: bool

    def contains(self, time: float) -> bool:
        """Return whether a time, of the same kind as the window, is in it."""
        return (self.earliest is None or time >= self.earliest) and (self.latest is None or time <= self.latest)


def make_window(*, absolute_time: float | None, delay: float | None, comparator: str | None) -> ActionWindow | None:
    """Return the window of an expected event, or None if its time is not compared.

    Args:
        absolute_time: The time that the scenario demands, in seconds since 1970.
        delay: The seconds from the latest parent in the oracle's run; used if there is no absolute time.
        comparator: One of `COMPARATORS`, or None.
    """
    expected = delay if absolute_time is None else absolute_time
    if expected is None or (absolute_time is None and comparator is None and expected <= THRESHOLD_SECONDS):
        return None
    return ActionWindow(
        expected=expected,
        earliest=None if comparator == "LESS_THAN" else expected - EARLY_SECONDS,
        latest=None if comparator == "GREATER_THAN" else expected + LATE_SECONDS,
        is_relative=absolute_time is None,
    )
