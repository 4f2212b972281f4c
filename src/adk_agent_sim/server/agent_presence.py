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

ClientStream: TypeAlias = tuple[str, str]
"""A session and the client that follows it."""

ABANDON_AFTER_SECONDS = 60.0
"""Seconds after which a turn without its agent's stream is abandoned."""


class AgentPresence:
    """Knows which agents follow their sessions. Use it from one event loop."""

    def __init__(self, timeline: Timeline, abandon_after: float = ABANDON_AFTER_SECONDS) -> None:
        self._timeline = timeline
        self._abandon_after = abandon_after
        self._open_streams: Counter[ClientStream] = Counter()
        self._reconnect_events: dict[ClientStream, asyncio.Event] = {}
        self._absence_tasks: dict[ClientStream, asyncio.Task[None]] = {}

    async def start(self) -> None:
        """Miss every agent whose turns wait already: those that live come back."""
        for asked in await self._timeline.get_turn_queue():
            if isinstance(asked.payload, TurnAsked):
                self.expect_client(asked.session_id, asked.payload.client_id)

    async def close(self) -> None:
        """Give up nobody any more."""
        missing = list(self._absence_tasks.values())
        for task in missing:
            task.cancel()
        await asyncio.gather(*missing, return_exceptions=True)

    def expect_client(self, session_id: str, client_id: str) -> None:
        """A client has a turn that waits: it should follow its session."""
        stream = session_id, client_id
        if client_id and not self._open_streams[stream] and stream not in self._absence_tasks:
            self._absence_tasks[stream] = asyncio.create_task(
                self._watch_absence(stream), name=f"adksim-missing-{client_id}"
            )

    @asynccontextmanager
    async def track_stream(self, session_id: str, client_id: str) -> AsyncGenerator[None]:
        """A client follows its session for as long as this is open."""
        stream = session_id, client_id
        self._open_streams[stream] += 1
        if back := self._reconnect_events.get(stream):
            back.set()
        try:
            yield
        finally:
            self._open_streams[stream] -= 1
            if not self._open_streams[stream]:
                del self._open_streams[stream]
                self.expect_client(session_id, client_id)

    async def _watch_absence(self, stream: ClientStream) -> None:
        """Wait for a client, and give it up; one that came and went meanwhile is waited for anew."""
        try:
            while not self._open_streams[stream]:
                if not await self._reconnects_in_time(stream):
                    await self._abandon_turns(*stream)
                    return
        except SimulatorError as error:  # the session is gone, or the database is: nothing to give up any more
            _log.warning("Turns of client %s were not given up: %s", stream[1], error)
        finally:
            del self._absence_tasks[stream]

    async def _reconnects_in_time(self, stream: ClientStream) -> bool:
        back = self._reconnect_events[stream] = asyncio.Event()
        try:
            async with asyncio.timeout(self._abandon_after):
                await back.wait()
        except TimeoutError:
            return bool(self._open_streams[stream])
        finally:
            del self._reconnect_events[stream]
        return True

    async def _abandon_turns(self, session_id: str, client_id: str) -> None:
        for asked in await self._timeline.get_pending_turns(session_id):
            if isinstance(asked.payload, TurnAsked) and asked.payload.client_id == client_id:
                _log.warning("Turn %s of agent %r is abandoned: its agent went away.", asked.turn_id, asked.agent_name)
                await self._timeline.withdraw(session_id, asked.turn_id, abandoned=True)
