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


class Waiting(Protocol):
    """Lets simulated time pass."""

    async def wait(self, seconds: float) -> None:
        """Return when so much time has passed."""
        ...


class RealWaiting:
    """Time that passes for everybody."""

    async def wait(self, seconds: float) -> None:
        """Return when so much time has passed."""
        await asyncio.sleep(seconds)


class VirtualWaiting:
    """Time that is counted and not spent."""

    def __init__(self) -> None:
        self.passed = 0.0
        """The seconds that were waited for so far."""

    async def wait(self, seconds: float) -> None:
        """Count the time; others get their turn as in a real wait."""
        self.passed += seconds
        await asyncio.sleep(0)
