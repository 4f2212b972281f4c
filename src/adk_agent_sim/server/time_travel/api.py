"""The endpoints that continue a session from another point of it, fork it, and change who plays its models."""

from __future__ import annotations

from fastapi import Response

from adk_agent_sim.server.sessions import player_choice
from adk_agent_sim.server.time_travel.api_models import (
    PlayerInput,
    PlayerOption,
    TimeTravelProgress,
    TimeTravelRequest,
)
from adk_agent_sim.server.time_travel.time_travel_requests import travel
from adk_agent_sim.server.web.api_router import SessionDependency, create_router
from adk_agent_sim.server.web.responses import json_response
from adk_agent_sim.use_cases import time_travel, turns
from adk_agent_sim.use_cases.record import OperationResult
from adk_agent_sim.use_cases.time_travel import TimeTravelPlan
from adk_agent_sim.use_cases.turns import Suggestion

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
