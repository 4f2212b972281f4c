"""The endpoints about the server, its agents and the list of sessions, and those that read a session.

The endpoints that act in a session are in `action_api`.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request, Response
from pydantic import Field

from adk_agent_sim.golden.export_formats import ExportFormat
from adk_agent_sim.server.agents.api_models import AgentInfo, Briefing, RequestInfo
from adk_agent_sim.server.scenarios.api_models import PlayedWorldInfo, TimeControlInput, WorldGraphInfo
from adk_agent_sim.server.scenarios.session_verdict import SessionVerdict
from adk_agent_sim.server.sessions import session_reader
from adk_agent_sim.server.sessions.row_details import RowDetail
from adk_agent_sim.server.sessions.session_api_models import (
    NewSession,
    SessionDetail,
    SessionPatch,
    StateNeeds,
)
from adk_agent_sim.server.time_travel.api import pass_time
from adk_agent_sim.server.web.api_router import ServicesDependency, SessionDependency, create_router
from adk_agent_sim.server.web.responses import build_media_response, json_response
from adk_agent_sim.timeline.read_model.session_summary import SessionStatus
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.session_queries import SessionFilter
from adk_agent_sim.timeline.strict_json import dump_json, parse_json_object_input
from adk_agent_sim.use_cases import sessions as use_cases
from adk_agent_sim.use_cases.exports import list_export_formats
from adk_agent_sim.use_cases.record import OperationResult, Record
from adk_agent_sim.use_cases.session_record import QueuePage, SessionPage


class ServerInfo(Record):
    """What a page loads first."""

    version: str
    server_id: str = Field(description="Identifies the set of sessions: a new one has other sessions")
    agents: list[AgentInfo]
    export_formats: list[ExportFormat] = Field(description="What a session can be exported to, in display order")
    is_persistent: bool = Field(description="Whether sessions are stored in a database")
    scenario_count: int = Field(default=0, description="The number of scenarios on this server")
    has_evals: bool = Field(default=False, description="Whether there are pages of eval cases")
    eval_file_count: int = Field(
        default=0, description="The number of files of eval cases that the server was started with"
    )
    bench_count: int = Field(default=0, description="The number of benches on this server")


MAX_PAGE_SIZE = 200
"""How many sessions or requests a page holds at most."""

MAX_START = 2**53 - 1
"""The largest index that a list can start at: the largest integer that a browser represents exactly."""

api = create_router("/api")


@api.get("/server", response_model=ServerInfo)
async def get_server(request: Request, services: ServicesDependency) -> Response:
    """Return what a page loads first: the server's version, agents and export formats."""
    facts = request.app.state.facts
    return json_response(
        ServerInfo(**facts, agents=await services.agents.list_agents(), export_formats=list_export_formats())
    )


@api.get("/agents", response_model=list[AgentInfo])
async def get_agents(services: ServicesDependency) -> Response:
    """Return the agents that can be played."""
    return json_response(await services.agents.list_agents())


@api.post("/agents/{key}/load", response_model=AgentInfo)
async def load_agent(services: ServicesDependency, key: str) -> Response:
    """Load the code of an agent, or try it again; a session loads it too."""
    return json_response(await services.agents.load_info(key))


@api.post("/sessions", response_model=OperationResult)
async def create_session(services: ServicesDependency, new_session: NewSession) -> Response:
    """Start a session of an agent."""
    state = parse_json_object_input(new_session.state, "The state") if new_session.state else {}
    return json_response(await services.runs.start(new_session.agent_key, state=state, user_id=new_session.user_id))


@api.get("/sessions", response_model=SessionPage)
async def list_sessions(
    services: ServicesDependency,
    cursor: str = "",
    q: Annotated[str, Query(max_length=200, description="A part of the name, or of an agent's name")] = "",
    status: Annotated[list[SessionStatus] | None, Query(description="Any of these; all if it is left out")] = None,
    agent: Annotated[str, Query(max_length=200, description="The name of an app or agent, or what lists call it")] = "",
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE_SIZE)] = 50,
) -> Response:
    """Return a page of the sessions, newest first."""
    wanted = SessionFilter(text=q, statuses=status or (), agent=agent)
    page = await use_cases.list_sessions(services.timeline, wanted, limit, host=services.runs, cursor=cursor)
    return json_response(page)


@api.get("/queue", response_model=QueuePage)
async def list_queue(
    services: ServicesDependency, cursor: str = "", limit: Annotated[int, Query(ge=1, le=MAX_PAGE_SIZE)] = 50
) -> Response:
    """Return a page of what is waiting for a person in all sessions, oldest first."""
    return json_response(await use_cases.list_queue(services.timeline, limit, host=services.runs, cursor=cursor))


@api.get("/sessions/{session_id}", response_model=SessionDetail)
async def get_session(services: ServicesDependency, session_id: str) -> Response:
    """Return a session, without its rows."""
    return json_response(await services.describe(await services.timeline.get_summary(session_id)))


@api.patch("/sessions/{session_id}", response_model=OperationResult)
async def rename_session(services: ServicesDependency, session_id: str, patch: SessionPatch) -> Response:
    """Rename a session."""
    return json_response(await use_cases.rename_session(services.timeline, session_id, patch.name))


@api.delete("/sessions/{session_id}", status_code=204, response_class=Response)
async def delete_session(services: ServicesDependency, session_id: str) -> Response:
    """Delete a session with its events."""
    await use_cases.delete_session(services.timeline, session_id, host=services.runs)
    return Response(status_code=204)


@api.post("/sessions/{session_id}/close", response_model=OperationResult)
async def close_session(services: ServicesDependency, session_id: str) -> Response:
    """Close a session; it can still be read and exported."""
    return json_response(
        await use_cases.close_session(services.timeline, session_id, host=services.runs, reason="closed in the browser")
    )


@api.get("/sessions/{session_id}/rows", response_model=list[TimelineRow])
async def get_rows(
    session: SessionDependency,
    start: Annotated[int, Query(ge=0, le=MAX_START)] = 0,
    count: Annotated[int, Query(ge=1, le=10_000)] = 200,
) -> Response:
    """Rows by index."""
    return json_response(await session_reader.get_rows(session, start, count))


@api.get("/sessions/{session_id}/rows/{index}", response_model=RowDetail)
async def get_row(session: SessionDependency, index: int, full: bool = False) -> Response:
    """Return the values and files of a row; values over 20 KB are cut unless `full`."""
    return json_response(await session_reader.get_row_detail(session, index, full=full))


@api.get("/sessions/{session_id}/rows/{index}/verdict", response_model=SessionVerdict)
async def get_row_verdict(session: SessionDependency, index: int) -> Response:
    """Return the verdict that a row shows: what was expected beside what happened."""
    return json_response(await session_reader.get_verdict(session, index))


@api.get(
    "/sessions/{session_id}/rows/{index}/media/{file_index}",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def get_media_file(session: SessionDependency, index: int, file_index: int) -> Response:
    """Return the bytes of an image or file of a row."""
    return build_media_response(await session_reader.get_media_file(session, index, file_index))


@api.get("/sessions/{session_id}/world", response_model=PlayedWorldInfo)
async def get_session_world(session: SessionDependency) -> Response:
    """Return the world that a person plays in: its time, hints and apps."""
    return json_response(session_reader.get_world(session))


@api.post("/sessions/{session_id}/world/time", response_model=PlayedWorldInfo)
async def pass_world_time(
    session: SessionDependency,
    time_control: TimeControlInput,
) -> Response:
    """Let time pass in the world that a person plays in, while their turn waits; the answer is the world after it."""
    await pass_time(session, time_control)
    return json_response(session_reader.get_world(session))


@api.get("/sessions/{session_id}/world/graph", response_model=WorldGraphInfo)
async def get_session_world_graph(session: SessionDependency) -> Response:
    """Return what has become of the scenario's events in a session: what happened, what failed, what is due."""
    return json_response(await session_reader.get_world_graph(session))


@api.get("/sessions/{session_id}/world/state", response_model=dict[str, Any])
async def get_session_world_state(session: SessionDependency, app: str) -> Response:
    """Return the state of an app in the world of a session."""
    return Response(dump_json(session_reader.get_world_state(session, app)), media_type="application/json")


@api.get("/sessions/{session_id}/briefing", response_model=Briefing)
async def get_briefing(session: SessionDependency, turn_id: str | None = None) -> Response:
    """Return the agent's instruction, tools and schemas: of a turn, or without `turn_id`, of the next one."""
    return json_response(await session_reader.get_briefing(session, turn_id))


@api.get("/sessions/{session_id}/turns/{turn_id}/request", response_model=RequestInfo)
async def get_request(session: SessionDependency, turn_id: str) -> Response:
    """Return the exact model request of a turn."""
    return json_response(await session_reader.get_request_info(session, turn_id))


@api.get("/sessions/{session_id}/state", response_model=dict[str, Any])
async def get_state(session: SessionDependency) -> Response:
    """Return the current session state."""
    return json_response(await session_reader.get_state(session))


@api.get("/sessions/{session_id}/state/needs", response_model=StateNeeds)
async def get_state_needs(session: SessionDependency) -> Response:
    """Return the keys of the state that instructions need and that are not set."""
    return json_response(await session_reader.get_state_needs(session))
