"""Waits for a condition with a timeout, so that a regression fails instead of hanging."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

MAX_WAIT_SECONDS = 300.0
"""Seconds after which any test gives up: so many that only a regression takes them, however busy the machine."""

_PAUSE = 0.005


async def pause() -> None:
    """Let other tasks and processes run before looking again whether something has happened."""
    await asyncio.sleep(_PAUSE)


async def wait_until(condition: Callable[[], bool], seconds: float = MAX_WAIT_SECONDS) -> None:
    """Let other tasks run until the condition is true."""
    async with asyncio.timeout(seconds):
        while not condition():
            await pause()
