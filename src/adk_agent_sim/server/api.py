"""The JSON API: what can be asked and done, one function an endpoint. What they mean is in `sessions.py`."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request, Response

from adk_agent_sim.errors import ArgumentsDoNotFit, ToolNotOffered
from adk_agent_sim.server.answers import refused, told
from adk_agent_sim.server.details import IMAGES
from adk_agent_sim.server.sessions import Sessions
from adk_agent_sim.server.shapes import (
    AgentShape,
    Briefing,
    Consent,
    Decision,
    EnvironmentShape,
    ExportOrder,
    ExportResult,
    FaultOrder,
    NewSession,
    ProblemShape,
    Refusal,
    RequestShape,
    Row,
    RowDetail,
    RuleSwitch,
    ServerShape,
    SessionPatch,
    SessionShape,
    Suggestion,
    UserMessage,
    ValueToCheck,
)


def _sessions(request: Request) -> Sessions:
    return request.app.state.sessions


Here = Annotated[Sessions, Depends(_sessions)]

api = APIRouter(prefix="/api", responses={"default": {"model": Refusal}})


@api.get("/server", response_model=ServerShape)
async def get_server(request: Request, sessions: Here) -> Response:
    """What the page needs to know first."""
    facts = request.app.state.facts
    return told(ServerShape(**facts, agents=await sessions.agents.shapes()))


@api.get("/agents", response_model=list[AgentShape])
async def get_agents(sessions: Here) -> Response:
    """The agents that can be played."""
    return told(await sessions.agents.shapes())


@api.post("/sessions", response_model=SessionShape)
async def create_session(sessions: Here, new: NewSession) -> Response:
    """Start a session of an agent."""
    return told(await sessions.create(new.agent))


@api.get("/sessions", response_model=list[SessionShape])
async def list_sessions(
    sessions: Here, start: Annotated[int, Query(ge=0)] = 0, count: Annotated[int, Query(ge=1, le=1000)] = 200
) -> Response:
    """The sessions, newest first."""
    return told(await sessions.all(start, count))


@api.get("/sessions/{session_id}", response_model=SessionShape)
async def get_session(sessions: Here, session_id: str) -> Response:
    """A session, without its rows."""
    return told(await sessions.shape(session_id))


@api.patch("/sessions/{session_id}", response_model=SessionShape)
async def rename_session(sessions: Here, session_id: str, patch: SessionPatch) -> Response:
    """Rename a session."""
    return told(await sessions.rename(session_id, patch.name))


@api.delete("/sessions/{session_id}", status_code=204, response_class=Response)
async def delete_session(sessions: Here, session_id: str) -> Response:
    """Take a session away, with all that happened in it."""
    await sessions.delete(session_id)
    return Response(status_code=204)


@api.post("/sessions/{session_id}/close", response_model=SessionShape)
async def close_session(sessions: Here, session_id: str) -> Response:
    """End a session; it can still be read and exported."""
    return told(await sessions.close_one(session_id))


@api.get("/sessions/{session_id}/rows", response_model=list[Row])
async def get_rows(
    sessions: Here,
    session_id: str,
    start: Annotated[int, Query(ge=0)] = 0,
    count: Annotated[int, Query(ge=1, le=10_000)] = 200,
) -> Response:
    """Rows by index."""
    return told(await sessions.rows(session_id, start, count))


@api.get("/sessions/{session_id}/rows/{index}", response_model=RowDetail)
async def get_row(sessions: Here, session_id: str, index: int, whole: bool = False) -> Response:
    """Everything behind a row; values over 20 KB in full only if `whole`."""
    return told(await sessions.detail(session_id, index, whole=whole))


@api.get(
    "/sessions/{session_id}/rows/{index}/media/{place}",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def get_medium(sessions: Here, session_id: str, index: int, place: int) -> Response:
    """The bytes of an image or a file; anything but an image is to be saved."""
    file = await sessions.medium(session_id, index, place)
    image = file.mime_type in IMAGES
    return Response(
        file.data,
        media_type=file.mime_type if image else "application/octet-stream",
        headers={
            "Content-Disposition": f"{'inline' if image else 'attachment'}; filename*=UTF-8''{_filename(file.name)}",
            "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
        },
    )


@api.get("/sessions/{session_id}/briefing", response_model=Briefing)
async def get_briefing(sessions: Here, session_id: str, turn_id: str | None = None) -> Response:
    """What the agent is told and may do: in a turn, or before the first one."""
    return told(await sessions.briefing(session_id, turn_id))


@api.get("/sessions/{session_id}/turns/{turn_id}/request", response_model=RequestShape)
async def get_request(sessions: Here, session_id: str, turn_id: str) -> Response:
    """The exact request of a turn."""
    return told(await sessions.request(session_id, turn_id))


@api.get("/sessions/{session_id}/state", response_model=dict[str, Any])
async def get_state(sessions: Here, session_id: str) -> Response:
    """The session state now."""
    return told(await sessions.state(session_id))


@api.post("/sessions/{session_id}/messages", response_model=SessionShape)
async def send_message(sessions: Here, session_id: str, message: UserMessage) -> Response:
    """Say something as the user."""
    return told(await sessions.say(session_id, message))


@api.post("/sessions/{session_id}/turns/{turn_id}/decision", response_model=SessionShape)
async def decide(sessions: Here, session_id: str, turn_id: str, decision: Decision) -> Response:
    """Answer a turn as its model."""
    try:
        return told(await sessions.decide(session_id, turn_id, decision))
    except (ArgumentsDoNotFit, ToolNotOffered) as error:
        return refused(error, await sessions.call_problems(session_id, turn_id, decision))


@api.post("/sessions/{session_id}/check", response_model=list[ProblemShape])
async def check(sessions: Here, session_id: str, form: ValueToCheck, turn_id: str | None = None) -> Response:
    """What is wrong with a form as it stands."""
    return told(await sessions.check(session_id, turn_id, form))


@api.post("/sessions/{session_id}/consent", response_model=SessionShape)
async def answer_confirmation(sessions: Here, session_id: str, consent: Consent) -> Response:
    """Approve or deny a call as the user."""
    return told(await sessions.consent(session_id, consent))


@api.get("/sessions/{session_id}/environment", response_model=EnvironmentShape)
async def get_environment(sessions: Here, session_id: str) -> Response:
    """What answers the session's tool calls instead of the tools."""
    return told(await sessions.environment(session_id))


@api.post("/sessions/{session_id}/environment/rules", response_model=EnvironmentShape)
async def switch_rule(sessions: Here, session_id: str, order: RuleSwitch) -> Response:
    """Switch a rule on or off, from the next call on."""
    return told(await sessions.switch_rule(session_id, order))


@api.post("/sessions/{session_id}/environment/faults", response_model=EnvironmentShape)
async def add_fault(sessions: Here, session_id: str, order: FaultOrder) -> Response:
    """Let the next call of a tool meet a fault."""
    return told(await sessions.add_fault(session_id, order))


@api.post("/sessions/{session_id}/calls/{call_id}/cancel", response_model=SessionShape)
async def cancel_call(sessions: Here, session_id: str, call_id: str) -> Response:
    """Cancel one running call."""
    return told(await sessions.cancel(session_id, call_id))


@api.post("/sessions/{session_id}/stop", response_model=SessionShape)
async def stop_run(sessions: Here, session_id: str) -> Response:
    """Cancel the run."""
    return told(await sessions.stop(session_id))


@api.post("/sessions/{session_id}/turns/{turn_id}/suggestion", response_model=Suggestion)
async def suggest(sessions: Here, session_id: str, turn_id: str) -> Response:
    """Ask the agent's own model what it would decide; nothing happens by it."""
    return told(await sessions.suggestion(session_id, turn_id))


@api.post("/sessions/{session_id}/turns/{turn_id}/own-model", response_model=SessionShape)
async def let_own_model_decide(sessions: Here, session_id: str, turn_id: str) -> Response:
    """Let the agent's own model answer this turn."""
    return told(await sessions.own_model(session_id, turn_id))


@api.post("/sessions/{session_id}/export", response_model=ExportResult)
async def export(sessions: Here, session_id: str, order: ExportOrder) -> Response:
    """Write the session as a golden trace, where the agent's config says."""
    return told(await sessions.export(session_id, order))


def _filename(name: str) -> str:
    return quote(name.encode("utf-8", "replace").decode()[-200:], safe="")
