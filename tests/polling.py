"""Waits for a condition with a timeout, so that a regression fails instead of hanging."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def wait_until(condition: Callable[[], bool], seconds: float = 30) -> None:
    """Let other tasks run until the condition is true."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.to_thread(int)
