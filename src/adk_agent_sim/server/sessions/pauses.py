"""The requests by which ADK pauses an agent, for consent, input or a credential, read for the browser."""

from __future__ import annotations

from collections.abc import Mapping

from adk_agent_sim.adk.runs.pause_answers import (
    get_auth_config,
    get_input_request_schema,
    get_message_text,
    read_credential_form,
)
from adk_agent_sim.server.sessions.session_api_models import PendingConfirmation, PendingPause
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping
from adk_agent_sim.timeline.framework_calls import is_default_confirmation_hint
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest, RequestKind
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.open_session import OpenSession


async def load_confirmation(timeline: Timeline, summary: SessionSummary) -> PendingConfirmation | None:
    """Return the oldest confirmation that waits for the user; None if none does."""
    asking = next((request for request in summary.pending.values() if request.kind is RequestKind.CONSENT), None)
    if asking is None:
        return None
    arguments = await OpenSession(timeline, summary.session.session_id).read_request_arguments(asking)
    call, confirmation = (
        as_mapping(arguments.get("originalFunctionCall")),
        as_mapping(arguments.get("toolConfirmation")),
    )
    payload = confirmation.get("payload")
    return PendingConfirmation(
        question_id=asking.request_id,
        tool_name=asking.tool_name,
        arguments=dump_json(dict(as_mapping(call.get("args")))),
        hint=_extract_hint(confirmation),
        payload=None if payload is None else dump_json(payload),
    )


def _extract_hint(confirmation: Mapping[str, Json]) -> str:
    """Return the tool's hint; ADK's default hint, which describes its API to programs, is left out."""
    hint = str(confirmation.get("hint") or "")
    return "" if is_default_confirmation_hint(hint) else hint


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
