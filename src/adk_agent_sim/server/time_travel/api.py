"""The endpoints that continue a session from another point of it, fork it, and change who plays its models."""

from __future__ import annotations

import asyncio
from functools import partial

from fastapi import Response
from pydantic import Field

from adk_agent_sim.errors import InvalidTransition
from adk_agent_sim.server.scenarios.api_models import TimeControlInput
from adk_agent_sim.server.sessions import player_choice
from adk_agent_sim.server.sessions.player_choice import PlayerOption
from adk_agent_sim.server.sessions.session_services import ServedSession
from adk_agent_sim.server.web.api_router import SessionDependency, create_router
from adk_agent_sim.server.web.responses import json_response
from adk_agent_sim.use_cases import time_travel, turns
from adk_agent_sim.use_cases.record import OperationResult, Record
from adk_agent_sim.use_cases.time_travel import TimeTravelAction, TimeTravelPlan, TimeTravelPoint
from adk_agent_sim.use_cases.turns import Suggestion


class TimeTravelRequest(Record):
    """A request to continue a session from another point of it, or to fork it there."""

    action: TimeTravelAction
    row: int | None = Field(
        default=None,
        ge=0,
        le=2**53 - 1,
        description="The row whose turn is decided again, or whose user message is replaced; for go_back and fork. "
        "A fork without a row is where the session is now",
    )
    turn: int | None = Field(
        default=None,
        ge=1,
        le=2**53 - 1,
        description="Instead of a row, the number of the turn that is decided again, as `adksim fork` lists them",
    )
    force: bool = Field(default=False, description="Continue although the replay differs from the recording")

    @property
    def point(self) -> TimeTravelPoint:
        """Where the session continues, or is forked."""
        return TimeTravelPoint(row=self.row, turn=self.turn)


class TimeTravelProgress(Record):
    """How far a request to continue a session from another point of it, or to fork it, has got."""

    waits_for: str = Field(description="What the replay has been waiting for since some seconds; empty if nothing")


class PlayerInput(Record):
    """A request to let another player take the seats of a session's models."""

    player: str = Field(max_length=4096, description="One of the options")


time_travel_api = create_router("/api/sessions/{session_id}")


@time_travel_api.post("/time-travel", response_model=OperationResult)
async def time_travel_in_session(session: SessionDependency, request: TimeTravelRequest) -> Response:
    """Undo, redo, go back to a row, or fork; the answer names the session that continues."""
    return json_response(await travel(session, request))


@time_travel_api.post("/time-travel/plan", response_model=TimeTravelPlan)
async def plan_time_travel(session: SessionDependency, request: TimeTravelRequest) -> Response:
    """Return what that would do, above all which callbacks run again; nothing is done."""
    return json_response(await time_travel.plan_time_travel(session, request.action, request.point))


@time_travel_api.get("/time-travel", response_model=TimeTravelProgress)
async def get_time_travel_progress(session: SessionDependency) -> Response:
    """Return what a request for this session that is going on waits for."""
    return json_response(TimeTravelProgress(waits_for=session.services.replay_waits.get(session.session_id, "")))


@time_travel_api.get("/turns/{turn_id}/decision", response_model=Suggestion)
async def get_decision(session: SessionDependency, turn_id: str) -> Response:
    """Return what was decided in a turn, to be edited."""
    return json_response(await turns.get_decision(session, turn_id))


@time_travel_api.get("/players", response_model=list[PlayerOption])
async def list_players(session: SessionDependency) -> Response:
    """Who can play the models of the session from now on."""
    return json_response(await player_choice.list_players(session))


@time_travel_api.put("/player", response_model=OperationResult)
async def choose_player(session: SessionDependency, player: PlayerInput) -> Response:
    """Let another player take the seats of the session's models, from the turn on that waits now."""
    return json_response(await player_choice.choose_player(session, player.player))


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
