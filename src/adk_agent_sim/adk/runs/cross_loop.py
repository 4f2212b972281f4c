"""What tasks of several event loops share: an event that all can wait for, and a lock for whichever loop runs.

One session may run in many loops: ADK's synchronous `Runner.run` starts a thread with a new loop for each message, and
an `asyncio.Event` can be waited for only in the first of them; an `asyncio.Lock` only works in the first one in which a
task had to wait for it.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from weakref import WeakKeyDictionary


class CrossLoopEvent:
    """Is set once, from any thread, and wakes the tasks that wait for it in whatever loops."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_set = False
        self._waiters: set[asyncio.Future[None]] = set()

    @property
    def is_set(self) -> bool:
        """Whether it has been set."""
        return self._is_set

    def set(self) -> None:
        """Wake all tasks that wait for it, now and later."""
        with self._lock:
            self._is_set = True
            waiters = list(self._waiters)
        for waiter in waiters:
            with suppress(RuntimeError):  # its loop is closed, so nobody waits in it any more
                waiter.get_loop().call_soon_threadsafe(_wake, waiter)

    async def wait(self) -> None:
        """Wait until it is set."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        with self._lock:
            if self._is_set:
                return
            self._waiters.add(waiter)
        try:
            await waiter
        finally:
            with self._lock:
                self._waiters.discard(waiter)


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


class PerLoopLock:
    """Is held by one task of an event loop at a time; tasks of different loops do not wait for each other."""

    def __init__(self) -> None:
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    async def __aenter__(self) -> None:
        await self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()).acquire()

    async def __aexit__(self, *error: object) -> None:
        self._locks[asyncio.get_running_loop()].release()
