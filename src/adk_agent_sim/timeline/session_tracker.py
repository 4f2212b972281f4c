"""The in-memory state of a session that this process uses: its turns, its waiters and its listeners."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.turn_index import TurnIndex


class SessionTracker:
    """A session that is played or followed in this process. Its turns and counters are derived from the log."""

    def __init__(self, session_id: str) -> None:
        self.turns = TurnIndex(session_id)
        self.last_seq = 0
        self.last_timestamp = 0.0
        self.known_block_ids: set[str] = set()
        self.write_lock = asyncio.Lock()
        self.waiters: set[asyncio.Future[None]] = set()
        self.listeners: list[Callable[[Event], None]] = []
        self.is_deleted = False

    def apply(self, event: Event) -> None:
        """Apply the next event of the log."""
        self.turns.apply(event)
        self.last_seq = event.seq
        self.last_timestamp = event.timestamp

    def wake_waiters(self) -> None:
        """Make all waiters check their condition again."""
        for waiter in self.waiters:
            if not waiter.done():
                waiter.set_result(None)
        self.waiters.clear()

    async def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition is true; it is checked after every commit."""
        while not condition():
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self.waiters.add(waiter)
            try:
                await waiter
            finally:
                self.waiters.discard(waiter)
