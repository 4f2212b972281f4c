"""The endpoints that continue a session from another point of it, fork it, and change who plays its models."""

from __future__ import annotations

from fastapi import Response

from adk_agent_sim.server.sessions.decision_api_models import Suggestion
from adk_agent_sim.server.sessions.session_api_models import SessionDetail
from adk_agent_sim.server.time_travel.api_models import (
    PlayerInput,
    PlayerOption,
    TimeTravelPlan,
    TimeTravelProgress,
    TimeTravelRequest,
)
from adk_agent_sim.server.web.api_dependencies import PlayersDependency, TimeTravelDependency
from adk_agent_sim.server.web.api_router import create_router
from adk_agent_sim.server.web.responses import json_response

time_travel_api = create_router("/api/sessions/{session_id}")


@time_travel_api.post("/time-travel", response_model=SessionDetail)
async def time_travel_in_session(
    time_travel: TimeTravelDependency, session_id: str, request: TimeTravelRequest
) -> Response:
    """Undo, redo, go back to a row, or fork; the answer is the session that continues."""
    return json_response(await time_travel.perform(session_id, request))


@time_travel_api.post("/time-travel/plan", response_model=TimeTravelPlan)
async def plan_time_travel(time_travel: TimeTravelDependency, session_id: str, request: TimeTravelRequest) -> Response:
    """Return what that would do, above all which callbacks run again; nothing is done."""
    return json_response(await time_travel.plan(session_id, request))


@time_travel_api.get("/time-travel", response_model=TimeTravelProgress)
async def get_time_travel_progress(time_travel: TimeTravelDependency, session_id: str) -> Response:
    """Return what a request for this session that is going on waits for."""
    return json_response(await time_travel.get_progress(session_id))


@time_travel_api.get("/turns/{turn_id}/decision", response_model=Suggestion)
async def get_decision(time_travel: TimeTravelDependency, session_id: str, turn_id: str) -> Response:
    """Return what was decided in a turn, to be edited."""
    return json_response(await time_travel.get_decision(session_id, turn_id))


@time_travel_api.get("/players", response_model=list[PlayerOption])
async def list_players(players: PlayersDependency, session_id: str) -> Response:
    """Who can play the models of the session from now on."""
    return json_response(await players.list_players(session_id))


@time_travel_api.put("/player", response_model=SessionDetail)
async def choose_player(players: PlayersDependency, session_id: str, player: PlayerInput) -> Response:
    """Let another player take the seats of the session's models, from the turn on that waits now."""
    return json_response(await players.choose_player(session_id, player.player))
