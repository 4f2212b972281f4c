"""The confirmation that waits for the user, read from the event that asked for it."""

from __future__ import annotations

from collections.abc import Mapping

from adk_agent_sim.server.sessions.session_api_models import PendingConfirmation
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping
from adk_agent_sim.timeline.framework_calls import is_default_confirmation_hint
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind
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
