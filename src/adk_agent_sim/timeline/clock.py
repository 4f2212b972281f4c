"""Where the time of events comes from. The only module that reads the machine's clock."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time and measures durations."""

    def now(self) -> float:
        """Seconds since 1970, UTC."""
        ...

    def measured(self) -> float:
        """Seconds from a fixed but unknown moment; never goes back."""
        ...


class WallClock:
    """The machine's own clock."""

    def now(self) -> float:
        """Seconds since 1970, UTC."""
        return time.time()

    def measured(self) -> float:
        """Seconds from a fixed but unknown moment; never goes back."""
        return time.perf_counter()
