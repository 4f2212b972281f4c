"""Computes a value once, however many calls ask for it at the same time, from any thread or event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class SharedValue(Generic[T]):
    """A value that the first call computes while the others wait for it."""

    def __init__(self, is_final: Callable[[T], bool]) -> None:
        """Create it without a value.

        Args:
            is_final: Whether a value is kept. Another one is given to the calls that wait for it, and computed again
                for later ones.
        """
        self._is_final = is_final
        self._lock = threading.Lock()
        self._value: T | None = None
        self._running: Future[T | None] | None = None

    @property
    def value(self) -> T | None:
        """The value that is kept; None if there is none yet."""
        return self._value

    async def get(self, compute: Callable[[], Awaitable[T]]) -> T:
        """Return the value. If the call that computes it is cancelled, the next one begins again."""
        while True:
            with self._lock:
                if self._value is not None:
                    return self._value
                running, own = self._running, Future[T | None]()
                if running is None:
                    own.set_running_or_notify_cancel()  # a call that stops to wait must not cancel it for the others
                    self._running = own
            if running is None:
                return await self._compute(compute, own)
            value = await asyncio.wrap_future(running)
            if value is not None:
                return value

    async def _compute(self, compute: Callable[[], Awaitable[T]], own: Future[T | None]) -> T:
        value: T | None = None
        try:
            value = await compute()
            return value
        finally:
            with self._lock:
                self._running = None
                if value is not None and self._is_final(value):
                    self._value = value
            # Also if it failed or was cancelled: those who wait get None then, and begin again.
            own.set_result(value)
