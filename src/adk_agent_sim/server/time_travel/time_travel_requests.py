"""The time travels that the browser has asked for: one after another in a session, and what they wait for."""

from __future__ import annotations

import asyncio
from functools import partial

from adk_agent_sim.errors import InvalidTransition
from adk_agent_sim.server.scenarios.api_models import TimeControlInput
from adk_agent_sim.server.sessions.session_services import ServedSession
from adk_agent_sim.server.time_travel.api_models import TimeTravelRequest
from adk_agent_sim.use_cases import time_travel
from adk_agent_sim.use_cases.record import OperationResult


async def travel(session: ServedSession, request: TimeTravelRequest) -> OperationResult:
    """Undo, redo, go back or fork, when the requests for the session before this one are over."""
    waits = session.services.replay_waits
    note_wait = partial(waits.__setitem__, session.session_id)
    # Held until the session has its new run: a second undo would otherwise start from the first one's run.
    async with _get_lock(session):
        try:
            return await time_travel.perform(
                session, request.action, request.point, force=request.force, on_wait=note_wait
            )
        finally:
            waits.pop(session.session_id, None)


async def pass_time(session: ServedSession, time_control: TimeControlInput) -> None:
    """Let time pass in the world of a session that a person plays, while their turn waits.

    Raises:
        InvalidTransition: That is not possible now; the message says why.
    """
    run = session.world_run
    if run is None or not session.is_played_by_person:
        raise InvalidTransition("Only a person who plays in a scenario's world can let its time pass.")
    # Not while an undo replays the session, which puts the world back at its end.
    async with _get_lock(session):
        await run.session.pass_time(time_control.seconds, until=time_control.until)


def _get_lock(session: ServedSession) -> asyncio.Lock:
    return session.services.time_travel_locks.setdefault(session.session_id, asyncio.Lock())
