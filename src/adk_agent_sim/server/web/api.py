"""The endpoints about the server, its agents and the list of sessions, and those that read a session.

The endpoints that act in a session are in `action_api`.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request, Response

from adk_agent_sim.server.agents.api_models import AgentInfo, Briefing, RequestInfo
from adk_agent_sim.server.scenarios.api_models import PlayedWorldInfo, TimeControlInput, WorldGraphInfo
from adk_agent_sim.server.scenarios.session_verdict import SessionVerdict
from adk_agent_sim.server.sessions.row_api_models import RowDetail
from adk_agent_sim.server.sessions.session_api_models import (
    NewSession,
    SessionDetail,
    SessionPatch,
    StateNeeds,
)
from adk_agent_sim.server.web.api_dependencies import (
    AgentsDependency,
    DirectoryDependency,
    ReaderDependency,
    ServicesDependency,
    SessionDependency,
    TimeTravelDependency,
)
from adk_agent_sim.server.web.api_router import create_router
from adk_agent_sim.server.web.media_response import build_media_response
from adk_agent_sim.server.web.responses import json_response
from adk_agent_sim.server.web.server_api_models import ServerInfo
from adk_agent_sim.timeline.read_model.session_status import SessionStatus
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.session_queries import SessionFilter
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.use_cases import sessions as use_cases
from adk_agent_sim.use_cases.exports import list_export_formats
from adk_agent_sim.use_cases.record import OperationResult
from adk_agent_sim.use_cases.session_record import QueuePage, SessionPage

MAX_PAGE_SIZE = 200
"""How many sessions or requests a page holds at most."""

MAX_START = 2**53 - 1
"""The largest index that a list can start at: the largest integer that a browser represents exactly."""

api = create_router("/api")


@api.get("/server", response_model=ServerInfo)
async def get_server(request: Request, agents: AgentsDependency) -> Response:
    """Return what a page loads first: the server's version, agents and export formats."""
    facts = request.app.state.facts
    return json_response(ServerInfo(**facts, agents=await agents.list_agents(), export_formats=list_export_formats()))


@api.get("/agents", response_model=list[AgentInfo])
async def get_agents(agents: AgentsDependency) -> Response:
    """Return the agents that can be played."""
    return json_response(await agents.list_agents())


@api.post("/agents/{key}/load", response_model=AgentInfo)
async def load_agent(agents: AgentsDependency, key: str) -> Response:
    """Load the code of an agent, or try it again; a session loads it too."""
    return json_response(await agents.load_info(key))


@api.post("/sessions", response_model=OperationResult)
async def create_session(directory: DirectoryDependency, new_session: NewSession) -> Response:
    """Start a session of an agent."""
    return json_response(await directory.create(new_session))


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
async def get_session(directory: DirectoryDependency, session_id: str) -> Response:
    """Return a session, without its rows."""
    return json_response(await directory.get_detail(session_id))


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
    reader: ReaderDependency,
    session_id: str,
    start: Annotated[int, Query(ge=0, le=MAX_START)] = 0,
    count: Annotated[int, Query(ge=1, le=10_000)] = 200,
) -> Response:
    """Rows by index."""
    return json_response(await reader.get_rows(session_id, start, count))


@api.get("/sessions/{session_id}/rows/{index}", response_model=RowDetail)
async def get_row(reader: ReaderDependency, session_id: str, index: int, full: bool = False) -> Response:
    """Return the values and files of a row; values over 20 KB are cut unless `full`."""
    return json_response(await reader.get_row_detail(session_id, index, full=full))


@api.get("/sessions/{session_id}/rows/{index}/verdict", response_model=SessionVerdict)
async def get_row_verdict(reader: ReaderDependency, session_id: str, index: int) -> Response:
    """Return the verdict that a row shows: what was expected beside what happened."""
    return json_response(await reader.get_verdict(session_id, index))


@api.get(
    "/sessions/{session_id}/rows/{index}/media/{file_index}",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def get_media_file(reader: ReaderDependency, session_id: str, index: int, file_index: int) -> Response:
    """Return the bytes of an image or file of a row."""
    return build_media_response(await reader.get_media_file(session_id, index, file_index))


@api.get("/sessions/{session_id}/world", response_model=PlayedWorldInfo)
async def get_session_world(reader: ReaderDependency, session_id: str) -> Response:
    """Return the world that a person plays in: its time, hints and apps."""
    return json_response(reader.get_world(session_id))


@api.post("/sessions/{session_id}/world/time", response_model=PlayedWorldInfo)
async def pass_world_time(
    session: SessionDependency,
    reader: ReaderDependency,
    time_travel: TimeTravelDependency,
    time_control: TimeControlInput,
) -> Response:
    """Let time pass in the world that a person plays in, while their turn waits; the answer is the world after it."""
    await time_travel.pass_time(session, time_control)
    return json_response(reader.get_world(session.session_id))


@api.get("/sessions/{session_id}/world/graph", response_model=WorldGraphInfo)
async def get_session_world_graph(reader: ReaderDependency, session_id: str) -> Response:
    """Return what has become of the scenario's events in a session: what happened, what failed, what is due."""
    return json_response(await reader.get_world_graph(session_id))


@api.get("/sessions/{session_id}/world/state", response_model=dict[str, Any])
async def get_session_world_state(reader: ReaderDependency, session_id: str, app: str) -> Response:
    """Return the state of an app in the world of a session."""
    return Response(dump_json(reader.get_world_state(session_id, app)), media_type="application/json")


@api.get("/sessions/{session_id}/briefing", response_model=Briefing)
async def get_briefing(reader: ReaderDependency, session_id: str, turn_id: str | None = None) -> Response:
    """Return the agent's instruction, tools and schemas: of a turn, or without `turn_id`, of the next one."""
    return json_response(await reader.get_briefing(session_id, turn_id))


@api.get("/sessions/{session_id}/turns/{turn_id}/request", response_model=RequestInfo)
async def get_request(reader: ReaderDependency, session_id: str, turn_id: str) -> Response:
    """Return the exact model request of a turn."""
    return json_response(await reader.get_request_info(session_id, turn_id))


@api.get("/sessions/{session_id}/state", response_model=dict[str, Any])
async def get_state(reader: ReaderDependency, session_id: str) -> Response:
    """Return the current session state."""
    return json_response(await reader.get_state(session_id))


@api.get("/sessions/{session_id}/state/needs", response_model=StateNeeds)
async def get_state_needs(reader: ReaderDependency, session_id: str) -> Response:
    """Return the keys of the state that instructions need and that are not set."""
    return json_response(await reader.get_state_needs(session_id))
