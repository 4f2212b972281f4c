"""Where the time of events comes from. The only module that reads the machine's clock."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time and measures durations."""

    def now(self) -> float:
        """Seconds since 1970, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds from a fixed but unknown moment; never goes back."""
        ...


class WallClock:
    """The machine's own clock."""

    def now(self) -> float:
        """Seconds since 1970, UTC."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds from a fixed but unknown moment; never goes back."""
        return time.perf_counter()


class Sleeper(Protocol):
    """Lets simulated time pass."""

    async def sleep(self, seconds: float) -> None:
        """Return when so much time has passed."""
        ...


class RealSleeper:
    """Time that passes for everybody."""

    async def sleep(self, seconds: float) -> None:
        """Return when so much time has passed."""
        await asyncio.sleep(seconds)


class VirtualSleeper:
    """Time that is counted and not spent."""

    def __init__(self) -> None:
        self.elapsed = 0.0
        """The seconds that were waited for so far."""

    async def sleep(self, seconds: float) -> None:
        """Count the time; others get their turn as in a real wait."""
        self.elapsed += seconds
        await asyncio.sleep(0)
