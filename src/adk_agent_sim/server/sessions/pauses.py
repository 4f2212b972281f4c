"""The requests by which ADK pauses an agent, read for the browser."""

from __future__ import annotations

from collections.abc import Mapping

from adk_agent_sim.adk.runs.pause_answers import (
    get_auth_config,
    get_input_request_schema,
    get_message_text,
    read_credential_form,
)
from adk_agent_sim.server.sessions.pause_api_models import PendingPause
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest, RequestKind
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.open_session import OpenSession

_KINDS = (RequestKind.INPUT, RequestKind.CREDENTIAL)


async def load_pause(timeline: Timeline, summary: SessionSummary) -> PendingPause | None:
    """Return the oldest request for input or a credential that waits for the user; None if none does."""
    waiting = sorted((one for one in summary.pending.values() if one.kind in _KINDS), key=lambda one: one.position)
    if not waiting:
        return None
    arguments = await OpenSession(timeline, summary.session.session_id).read_request_arguments(waiting[0])
    return _describe(waiting[0], arguments)


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
