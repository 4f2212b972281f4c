"""A lock for tasks that share an event loop, which may be another one each time.

ADK's synchronous `Runner.run` runs each message of a session in a new loop, and an `asyncio.Lock` only works in the
first one in which a task had to wait for it.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary


class PerLoopLock:
    """Is held by one task of an event loop at a time; tasks of different loops do not wait for each other."""

    def __init__(self) -> None:
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    async def __aenter__(self) -> None:
        await self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()).acquire()

    async def __aexit__(self, *error: object) -> None:
        self._locks[asyncio.get_running_loop()].release()
