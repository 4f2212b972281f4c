"""The requests by which ADK pauses an agent: read for the browser, and answered as the user."""

from __future__ import annotations

from collections.abc import Mapping

from adk_agent_sim.adk.runs.credential_forms import read_credential_form
from adk_agent_sim.adk.runs.pause_answers import (
    AnswerMessage,
    build_credential_answer,
    build_input_answer,
    get_auth_config,
    get_input_request_schema,
    get_message_text,
)
from adk_agent_sim.errors import AgentNotLocal, ForkRefused, NotFound
from adk_agent_sim.server.remote.agent_restarts import AgentRestarts
from adk_agent_sim.server.sessions.pause_api_models import PauseAnswerInput, PendingPause
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import AgentEvent
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.json_input import parse_json_input
from adk_agent_sim.timeline.read_model.pause_requests import find_pause_arguments
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest, RequestKind
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.timeline.timeline import Timeline

_CANNOT_CONTINUE = (
    "The agent of this session runs in another process, which cannot continue it from here. Pass `restart=` to its "
    "SimulatorPlugin, or answer in the program that runs the agent."
)
_PROCESS_GONE = (
    "The process of this session's agent could continue it and has ended. Start it again with its SimulatorPlugin."
)
_KINDS = (RequestKind.INPUT, RequestKind.CREDENTIAL)


async def load_pause(timeline: Timeline, summary: SessionSummary) -> PendingPause | None:
    """Return the oldest request for input or a credential that waits for the user; None if none does."""
    waiting = sorted((one for one in summary.pending.values() if one.kind in _KINDS), key=lambda one: one.position)
    if not waiting:
        return None
    arguments = await load_pause_arguments(timeline, summary.session.session_id, waiting[0])
    return _describe(waiting[0], arguments)


async def load_pause_arguments(timeline: Timeline, session_id: str, request: PendingRequest) -> Mapping[str, Json]:
    """Return the arguments of the call by which ADK asks."""
    (event,) = await timeline.read_events(session_id, request.seq - 1, 1)
    return find_pause_arguments(event.payload, request.request_id) if isinstance(event.payload, AgentEvent) else {}


def find_pause(summary: SessionSummary, request_id: str) -> PendingRequest:
    """Return a request that waits for the user; raise NotFound if it does not wait."""
    request = summary.pending.get(request_id)
    if request is None or request.is_inside_run:
        raise NotFound("This request does not wait for an answer; it may have been answered already.")
    return request


def _describe(request: PendingRequest, arguments: Mapping[str, Json]) -> PendingPause:
    if request.kind is RequestKind.CREDENTIAL:
        form = read_credential_form(get_auth_config(arguments))
        return PendingPause(
            kind="credential",
            request_id=request.request_id,
            agent_name=request.agent_name,
            message=get_message_text(arguments),
            response_schema=form.schema,
            title=form.title,
            auth_uri=form.auth_uri,
        )
    payload = arguments.get("payload")
    return PendingPause(
        kind="input",
        request_id=request.request_id,
        agent_name=request.agent_name,
        message=get_message_text(arguments),
        payload=None if payload is None else dump_json(payload),
        response_schema=get_input_request_schema(arguments),
    )


class PauseActions:
    """Answers the requests of sessions whose agents run here, or in processes that can continue them."""

    def __init__(self, timeline: Timeline, runs: SessionRuns, restarts: AgentRestarts) -> None:
        self._timeline = timeline
        self._runs = runs
        self._restarts = restarts

    async def answer(self, session_id: str, request_id: str, answer: PauseAnswerInput) -> None:
        """Give the input or the credential that a request asks for; its run continues.

        Raises:
            NotFound: The request does not wait for an answer.
            AgentNotLocal: The agent ended with an earlier process.
            ForkRefused: The agent's process cannot be told to continue.
            InvalidInput: The input does not match the schema of the request.
            InvalidCredential: The credential does not have the fields of the auth scheme.
        """
        summary = await self._timeline.get_summary(session_id)
        request = find_pause(summary, request_id)
        arguments = await load_pause_arguments(self._timeline, session_id, request)
        value = None if answer.value is None else parse_json_input(answer.value, "The answer")
        if request.kind is RequestKind.CREDENTIAL:
            message = build_credential_answer(request_id, arguments, value)
        else:
            message = build_input_answer(request_id, arguments, value, anyway=answer.anyway)
        await self.send(session_id, message, "answer a request")

    async def send(self, session_id: str, message: AnswerMessage, action: str) -> None:
        """Continue a paused run with the user's answer, here or in the agent's own process."""
        run = self._runs.find(session_id)
        if run is not None:
            await run.start(message)
            return
        if not self._runs.allow_remote_agents:
            raise AgentNotLocal(session_id, action)
        process = self._restarts.find(session_id)
        if process is None:
            raise ForkRefused(self.find_problem(session_id))
        await process.resume(session_id, dump_json(to_json_value(message)))

    async def edit_remote_state(self, session_id: str, changes: Mapping[str, Json]) -> None:
        """Set keys of the state of a session whose agent runs in another process.

        Raises:
            ForkRefused: There is no process that can do it, or it cannot do it now.
        """
        process = self._restarts.find(session_id)
        if process is None:
            raise ForkRefused(self.find_problem(session_id))
        await process.edit_state(session_id, dump_json(dict(changes)))

    def find_problem(self, session_id: str) -> str:
        """Return why nobody can answer the requests of a session from here; empty if somebody can."""
        if self._runs.find(session_id) is not None or self._restarts.find(session_id) is not None:
            return ""
        if not self._runs.allow_remote_agents:
            return str(AgentNotLocal(session_id, "answer a request"))
        return _PROCESS_GONE if self._restarts.was_offered(session_id) else _CANNOT_CONTINUE
