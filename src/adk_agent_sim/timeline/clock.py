"""Clocks and sleepers. The only module that reads the system clock or sleeps."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """The source of timestamps and durations."""

    def now(self) -> float:
        """Return the seconds since the Unix epoch."""
        ...

    def monotonic(self) -> float:
        """Return the seconds since an arbitrary fixed moment; never decreases."""
        ...


class WallClock:
    """The system clock."""

    def now(self) -> float:
        """Return the seconds since the Unix epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Return the seconds since an arbitrary fixed moment; never decreases."""
        # Not time.monotonic, whose resolution on Windows is about 16 ms.
        return time.perf_counter()


class Sleeper(Protocol):
    """Waits in simulated time."""

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""
        ...


class SimulatedClock(Clock, Sleeper, Protocol):
    """A clock of simulated time, in which waits let that time pass."""


class RealSleeper:
    """Waits in real time."""

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""
        await asyncio.sleep(seconds)


class VirtualSleeper:
    """Counts the time without waiting."""

    def __init__(self) -> None:
        self.elapsed = 0.0
        """The total of all waits, in seconds."""

    async def sleep(self, seconds: float) -> None:
        """Count the time, and let other tasks run, as a real wait does."""
        self.elapsed += seconds
        await asyncio.sleep(0)
