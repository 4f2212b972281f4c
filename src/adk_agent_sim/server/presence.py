"""Whether the agents whose turns wait are still there: a turn without its agent's stream is abandoned after a while.

Only turns that say whose they are can be; clients of the first protocol do not, and their turns wait for ever.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TypeAlias

from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.timeline.events import TurnAsked
from adk_agent_sim.timeline.timeline import Timeline

_log = logging.getLogger(__name__)

Stream: TypeAlias = tuple[str, str]
"""A session and the client that follows it."""

PATIENCE = 60.0
"""Seconds after which a turn without its agent's stream is abandoned."""


class Presence:
    """Knows which agents follow their sessions. Use it from one event loop."""

    def __init__(self, timeline: Timeline, patience: float = PATIENCE) -> None:
        self._timeline = timeline
        self._patience = patience
        self._open: Counter[Stream] = Counter()
        self._back: dict[Stream, asyncio.Event] = {}
        self._missing: dict[Stream, asyncio.Task[None]] = {}

    async def start(self) -> None:
        """Miss every agent whose turns wait already: those that live come back."""
        for asked in await self._timeline.queue():
            if isinstance(asked.payload, TurnAsked):
                self.expect(asked.session_id, asked.payload.client_id)

    async def close(self) -> None:
        """Give up nobody any more."""
        missing = list(self._missing.values())
        for task in missing:
            task.cancel()
        await asyncio.gather(*missing, return_exceptions=True)

    def expect(self, session_id: str, client_id: str) -> None:
        """A client has a turn that waits: it should follow its session."""
        stream = session_id, client_id
        if client_id and not self._open[stream] and stream not in self._missing:
            self._missing[stream] = asyncio.create_task(self._miss(stream), name=f"adksim-missing-{client_id}")

    @asynccontextmanager
    async def following(self, session_id: str, client_id: str) -> AsyncGenerator[None]:
        """A client follows its session for as long as this is open."""
        stream = session_id, client_id
        self._open[stream] += 1
        if back := self._back.get(stream):
            back.set()
        try:
            yield
        finally:
            self._open[stream] -= 1
            if not self._open[stream]:
                del self._open[stream]
                self.expect(session_id, client_id)

    async def _miss(self, stream: Stream) -> None:
        """Wait for a client, and give it up; one that came and went meanwhile is waited for anew."""
        try:
            while not self._open[stream]:
                if not await self._comes_back(stream):
                    await self._give_up(*stream)
                    return
        except SimulatorError as error:  # the session is gone, or the database is: nothing to give up any more
            _log.warning("Turns of client %s were not given up: %s", stream[1], error)
        finally:
            del self._missing[stream]

    async def _comes_back(self, stream: Stream) -> bool:
        back = self._back[stream] = asyncio.Event()
        try:
            async with asyncio.timeout(self._patience):
                await back.wait()
        except TimeoutError:
            return bool(self._open[stream])
        finally:
            del self._back[stream]
        return True

    async def _give_up(self, session_id: str, client_id: str) -> None:
        for asked in await self._timeline.pending(session_id):
            if isinstance(asked.payload, TurnAsked) and asked.payload.client_id == client_id:
                _log.warning("Turn %s of agent %r is abandoned: its agent went away.", asked.turn_id, asked.agent_name)
                await self._timeline.withdraw(session_id, asked.turn_id, abandoned=True)
