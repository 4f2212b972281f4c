"""Which agents are still connected: a pending turn whose agent has no open stream is abandoned after a timeout.

Only turns that carry a client id can be abandoned. Clients of the first protocol send none: their turns wait forever.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TypeAlias

from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind
from adk_agent_sim.timeline.timeline import Timeline

_log = get_logger(__name__)

ClientStream: TypeAlias = tuple[str, str]
"""A session and the client that follows it."""

ABANDON_AFTER_SECONDS = 60.0
"""How long an agent may be disconnected before its pending turns are abandoned."""


class AgentPresence:
    """Tracks which clients follow their sessions. Not thread-safe: use it from one event loop."""

    def __init__(self, timeline: Timeline, abandon_after: float = ABANDON_AFTER_SECONDS) -> None:
        self._timeline = timeline
        self._abandon_after = abandon_after
        self._open_streams: Counter[ClientStream] = Counter()
        self._reconnect_events: dict[ClientStream, asyncio.Event] = {}
        self._absence_tasks: dict[ClientStream, asyncio.Task[None]] = {}

    async def start(self) -> None:
        """Expect every client that has a pending turn from before this server started; a live one will reconnect."""
        for entry in await self._timeline.list_pending():
            session_id, request = entry.summary.session.session_id, entry.request
            if request.kind is RequestKind.TOOL and not request.client_id:
                # Only an agent inside an earlier server asks so, and it ended with that server.
                await self._timeline.tool_requests.withdraw(session_id, request.request_id)
            self.expect_client(session_id, request.client_id)

    async def close(self) -> None:
        """Stop watching; no more turns are abandoned."""
        tasks = list(self._absence_tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def expect_client(self, session_id: str, client_id: str) -> None:
        """Watch a client that has a pending turn: it should be following its session."""
        stream = session_id, client_id
        if client_id and not self._open_streams[stream] and stream not in self._absence_tasks:
            self._absence_tasks[stream] = asyncio.create_task(
                self._watch_absence(stream), name=f"adksim-missing-{client_id}"
            )

    @asynccontextmanager
    async def track_stream(self, session_id: str, client_id: str) -> AsyncGenerator[None]:
        """Count a client as connected to its session while this context is open."""
        stream = session_id, client_id
        self._open_streams[stream] += 1
        if reconnected := self._reconnect_events.get(stream):
            reconnected.set()
        try:
            yield
        finally:
            self._open_streams[stream] -= 1
            if not self._open_streams[stream]:
                # A Counter keeps entries of 0, which would add up to one for every client that was ever here.
                del self._open_streams[stream]
                self.expect_client(session_id, client_id)

    async def _watch_absence(self, stream: ClientStream) -> None:
        """Abandon a client's turns unless it reconnects in time; if it disconnects again, the timeout starts over."""
        try:
            while not self._open_streams[stream]:
                if not await self._reconnects_in_time(stream):
                    await self._abandon_turns(*stream)
                    return
        except SimulatorError as error:  # the session was deleted, or the database has failed
            _log.warning("Turns of client %s were not abandoned: %s", stream[1], error)
        finally:
            del self._absence_tasks[stream]

    async def _reconnects_in_time(self, stream: ClientStream) -> bool:
        reconnected = self._reconnect_events[stream] = asyncio.Event()
        try:
            async with asyncio.timeout(self._abandon_after):
                await reconnected.wait()
        except TimeoutError:
            # The timeout may win against a stream that was opened in the same iteration of the loop.
            return bool(self._open_streams[stream])
        finally:
            del self._reconnect_events[stream]
        return True

    async def _abandon_turns(self, session_id: str, client_id: str) -> None:
        summary = await self._timeline.get_summary(session_id)
        for request in list(summary.pending.values()):
            if request.client_id != client_id:
                continue
            if request.kind is RequestKind.TOOL:
                _log.warning("A call of %s is abandoned: its agent disconnected.", request.tool_name)
                await self._timeline.tool_requests.withdraw(session_id, request.request_id)
            if request.kind is RequestKind.MODEL:
                _log.warning(
                    "Turn %s of agent %r is abandoned: its agent disconnected.", request.request_id, request.agent_name
                )
                await self._timeline.withdraw(session_id, request.request_id, abandoned=True)
