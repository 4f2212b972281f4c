"""The JSON API: what can be asked and done, one function an endpoint. What they mean is in `sessions.py`."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request, Response

from adk_agent_sim.errors import InvalidArguments, ToolNotOffered
from adk_agent_sim.server.api_models import (
    AgentInfo,
    Briefing,
    CheckInput,
    ConsentInput,
    DecisionInput,
    EnvironmentInfo,
    ErrorBody,
    ExportInput,
    ExportResult,
    FaultInput,
    FieldProblem,
    NewSession,
    RequestInfo,
    Row,
    RowDetail,
    RuleSwitchInput,
    ServerInfo,
    SessionInfo,
    SessionPatch,
    Suggestion,
    UserMessage,
)
from adk_agent_sim.server.responses import error_response, json_response
from adk_agent_sim.server.row_details import IMAGE_MIME_TYPES
from adk_agent_sim.server.web_sessions import WebSessions


def _get_sessions(request: Request) -> WebSessions:
    return request.app.state.sessions


SessionsDependency = Annotated[WebSessions, Depends(_get_sessions)]

api = APIRouter(prefix="/api", responses={"default": {"model": ErrorBody}})


@api.get("/server", response_model=ServerInfo)
async def get_server(request: Request, sessions: SessionsDependency) -> Response:
    """What the page needs to know first."""
    facts = request.app.state.facts
    return json_response(ServerInfo(**facts, agents=await sessions.agents.list_agents()))


@api.get("/agents", response_model=list[AgentInfo])
async def get_agents(sessions: SessionsDependency) -> Response:
    """The agents that can be played."""
    return json_response(await sessions.agents.list_agents())


@api.post("/sessions", response_model=SessionInfo)
async def create_session(sessions: SessionsDependency, new_session: NewSession) -> Response:
    """Start a session of an agent."""
    return json_response(await sessions.create(new_session.agent_key))


@api.get("/sessions", response_model=list[SessionInfo])
async def list_sessions(
    sessions: SessionsDependency,
    start: Annotated[int, Query(ge=0)] = 0,
    count: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> Response:
    """The sessions, newest first."""
    return json_response(await sessions.list_sessions(start, count))


@api.get("/sessions/{session_id}", response_model=SessionInfo)
async def get_session(sessions: SessionsDependency, session_id: str) -> Response:
    """A session, without its rows."""
    return json_response(await sessions.get_info(session_id))


@api.patch("/sessions/{session_id}", response_model=SessionInfo)
async def rename_session(sessions: SessionsDependency, session_id: str, patch: SessionPatch) -> Response:
    """Rename a session."""
    return json_response(await sessions.rename(session_id, patch.name))


@api.delete("/sessions/{session_id}", status_code=204, response_class=Response)
async def delete_session(sessions: SessionsDependency, session_id: str) -> Response:
    """Take a session away, with all that happened in it."""
    await sessions.delete(session_id)
    return Response(status_code=204)


@api.post("/sessions/{session_id}/close", response_model=SessionInfo)
async def close_session(sessions: SessionsDependency, session_id: str) -> Response:
    """End a session; it can still be read and exported."""
    return json_response(await sessions.close_session(session_id))


@api.get("/sessions/{session_id}/rows", response_model=list[Row])
async def get_rows(
    sessions: SessionsDependency,
    session_id: str,
    start: Annotated[int, Query(ge=0)] = 0,
    count: Annotated[int, Query(ge=1, le=10_000)] = 200,
) -> Response:
    """Rows by index."""
    return json_response(await sessions.get_rows(session_id, start, count))


@api.get("/sessions/{session_id}/rows/{index}", response_model=RowDetail)
async def get_row(sessions: SessionsDependency, session_id: str, index: int, full: bool = False) -> Response:
    """Everything behind a row; values over 20 KB in full only if `whole`."""
    return json_response(await sessions.get_row_detail(session_id, index, full=full))


@api.get(
    "/sessions/{session_id}/rows/{index}/media/{file_index}",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def get_media_file(sessions: SessionsDependency, session_id: str, index: int, file_index: int) -> Response:
    """The bytes of an image or a file; anything but an image is to be saved."""
    file = await sessions.get_media_file(session_id, index, file_index)
    is_image = file.mime_type in IMAGE_MIME_TYPES
    disposition = "inline" if is_image else "attachment"
    return Response(
        file.data,
        media_type=file.mime_type if is_image else "application/octet-stream",
        headers={
            "Content-Disposition": f"{disposition}; filename*=UTF-8''{_quote_filename(file.name)}",
            "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
        },
    )


@api.get("/sessions/{session_id}/briefing", response_model=Briefing)
async def get_briefing(sessions: SessionsDependency, session_id: str, turn_id: str | None = None) -> Response:
    """What the agent is told and may do: in a turn, or before the first one."""
    return json_response(await sessions.get_briefing(session_id, turn_id))


@api.get("/sessions/{session_id}/turns/{turn_id}/request", response_model=RequestInfo)
async def get_request(sessions: SessionsDependency, session_id: str, turn_id: str) -> Response:
    """The exact request of a turn."""
    return json_response(await sessions.get_request_info(session_id, turn_id))


@api.get("/sessions/{session_id}/state", response_model=dict[str, Any])
async def get_state(sessions: SessionsDependency, session_id: str) -> Response:
    """The session state now."""
    return json_response(await sessions.get_state(session_id))


@api.post("/sessions/{session_id}/messages", response_model=SessionInfo)
async def send_message(sessions: SessionsDependency, session_id: str, message: UserMessage) -> Response:
    """Say something as the user."""
    return json_response(await sessions.send_message(session_id, message))


@api.post("/sessions/{session_id}/turns/{turn_id}/decision", response_model=SessionInfo)
async def decide_turn(sessions: SessionsDependency, session_id: str, turn_id: str, decision: DecisionInput) -> Response:
    """Answer a turn as its model."""
    try:
        return json_response(await sessions.decide(session_id, turn_id, decision))
    except (InvalidArguments, ToolNotOffered) as error:
        return error_response(error, await sessions.find_call_problems(session_id, turn_id, decision))


@api.post("/sessions/{session_id}/check", response_model=list[FieldProblem])
async def check_form(
    sessions: SessionsDependency, session_id: str, form: CheckInput, turn_id: str | None = None
) -> Response:
    """What is wrong with a form as it stands."""
    return json_response(await sessions.check_form(session_id, turn_id, form))


@api.post("/sessions/{session_id}/consent", response_model=SessionInfo)
async def answer_confirmation(sessions: SessionsDependency, session_id: str, consent: ConsentInput) -> Response:
    """Approve or deny a call as the user."""
    return json_response(await sessions.answer_confirmation(session_id, consent))


@api.get("/sessions/{session_id}/environment", response_model=EnvironmentInfo)
async def get_environment(sessions: SessionsDependency, session_id: str) -> Response:
    """What answers the session's tool calls instead of the tools."""
    return json_response(await sessions.get_environment(session_id))


@api.post("/sessions/{session_id}/environment/rules", response_model=EnvironmentInfo)
async def switch_rule(sessions: SessionsDependency, session_id: str, rule_switch: RuleSwitchInput) -> Response:
    """Switch a rule on or off, from the next call on."""
    return json_response(await sessions.switch_rule(session_id, rule_switch))


@api.post("/sessions/{session_id}/environment/faults", response_model=EnvironmentInfo)
async def add_fault(sessions: SessionsDependency, session_id: str, fault: FaultInput) -> Response:
    """Let the next call of a tool meet a fault."""
    return json_response(await sessions.add_fault(session_id, fault))


@api.post("/sessions/{session_id}/calls/{call_id}/cancel", response_model=SessionInfo)
async def cancel_call(sessions: SessionsDependency, session_id: str, call_id: str) -> Response:
    """Cancel one running call."""
    return json_response(await sessions.cancel_call(session_id, call_id))


@api.post("/sessions/{session_id}/stop", response_model=SessionInfo)
async def stop_run(sessions: SessionsDependency, session_id: str) -> Response:
    """Cancel the run."""
    return json_response(await sessions.stop_run(session_id))


@api.post("/sessions/{session_id}/turns/{turn_id}/suggestion", response_model=Suggestion)
async def suggest_decision(sessions: SessionsDependency, session_id: str, turn_id: str) -> Response:
    """Ask the agent's own model what it would decide; nothing happens by it."""
    return json_response(await sessions.suggest_decision(session_id, turn_id))


@api.post("/sessions/{session_id}/turns/{turn_id}/own-model", response_model=SessionInfo)
async def decide_with_own_model(sessions: SessionsDependency, session_id: str, turn_id: str) -> Response:
    """Let the agent's own model answer this turn."""
    return json_response(await sessions.decide_with_own_model(session_id, turn_id))


@api.post("/sessions/{session_id}/export", response_model=ExportResult)
async def export_session(sessions: SessionsDependency, session_id: str, export_input: ExportInput) -> Response:
    """Write the session as a golden trace, where the agent's config says."""
    return json_response(await sessions.export_session(session_id, export_input))


def _quote_filename(name: str) -> str:
    return quote(name.encode("utf-8", "replace").decode()[-200:], safe="")
