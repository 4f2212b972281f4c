"""The time travels that the browser has asked for: one after another in a session, and what they wait for."""

from __future__ import annotations

import asyncio
from functools import partial
from weakref import WeakValueDictionary

from adk_agent_sim.errors import InvalidTransition
from adk_agent_sim.server.scenarios.api_models import TimeControlInput
from adk_agent_sim.server.sessions.served_session import ServedSession
from adk_agent_sim.server.time_travel.api_models import TimeTravelProgress, TimeTravelRequest
from adk_agent_sim.use_cases import time_travel
from adk_agent_sim.use_cases.open_session import OpenSession
from adk_agent_sim.use_cases.record import OperationResult


class TimeTravelRequests:
    """Changes the past of sessions."""

    def __init__(self) -> None:
        # Weak: a lock lives as long as a request holds it or waits for it.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._waits: dict[str, str] = {}
        """What the replays of sessions wait for."""

    async def perform(self, session: OpenSession, request: TimeTravelRequest) -> OperationResult:
        """Undo, redo, go back or fork, when the requests for the session before this one are over."""
        session_id = session.session_id
        note_wait = partial(self._waits.__setitem__, session_id)
        # Held until the session has its new run: a second undo would otherwise start from the first one's run.
        async with self._locks.setdefault(session_id, asyncio.Lock()):
            try:
                return await time_travel.perform(
                    session, request.action, request.point, force=request.force, on_wait=note_wait
                )
            finally:
                self._waits.pop(session_id, None)

    async def pass_time(self, session: ServedSession, time_control: TimeControlInput) -> None:
        """Let time pass in the world of a session that a person plays, while their turn waits.

        Raises:
            InvalidTransition: That is not possible now; the message says why.
        """
        run = session.world_run
        if run is None or not session.is_played_by_person:
            raise InvalidTransition("Only a person who plays in a scenario's world can let its time pass.")
        # Not while an undo replays the session, which puts the world back at its end.
        async with self._locks.setdefault(session.session_id, asyncio.Lock()):
            await run.session.pass_time(time_control.seconds, until=time_control.until)

    def get_progress(self, session: OpenSession) -> TimeTravelProgress:
        """Return what the replay of a session waits for."""
        return TimeTravelProgress(waits_for=self._waits.get(session.session_id, ""))
