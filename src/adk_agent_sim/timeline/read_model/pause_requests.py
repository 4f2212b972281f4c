"""The requests by which ADK pauses an agent until the user answers: consent, a credential, or input.

ADK makes each of them as a function call of its own and ends the run; the answer is a user message with the response
to that call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping, as_text, get_parts
from adk_agent_sim.timeline.events import AgentEvent, Event, UserSpoke
from adk_agent_sim.timeline.framework_calls import REQUEST_CONFIRMATION, REQUEST_CREDENTIAL, REQUEST_INPUT
from adk_agent_sim.timeline.read_model.pending_requests import MAX_REQUESTS_PER_EVENT, PendingRequest, RequestKind

PAUSE_KINDS: Mapping[str, RequestKind] = {
    REQUEST_CONFIRMATION: RequestKind.CONSENT,
    REQUEST_CREDENTIAL: RequestKind.CREDENTIAL,
    REQUEST_INPUT: RequestKind.INPUT,
}
"""What the user is asked for, by the name of ADK's call."""


def iter_pause_requests(event: Event, emitted: AgentEvent) -> Iterator[PendingRequest]:
    """Yield a request for each call by which ADK asks the user for something in an event."""
    for ordinal, call in enumerate(_list_calls(emitted)):
        kind = PAUSE_KINDS.get(as_text(call.get("name")))
        if kind is not None:
            yield PendingRequest(
                kind=kind,
                request_id=call.get("id") or "",
                requested_at=event.timestamp,
                seq=event.seq,
                ordinal=min(ordinal, MAX_REQUESTS_PER_EVENT - 1),
                agent_name=event.agent_name,
                agent_path=event.agent_path,
                invocation_id=emitted.invocation_id,
                tool_name=as_text(_get_asking_call(call).get("name")),
            )


def asks_for_credential(emitted: AgentEvent) -> bool:
    """Return whether ADK asks the user for a credential in an event."""
    return any(call.get("name") == REQUEST_CREDENTIAL for call in _list_calls(emitted))


def find_pause_arguments(emitted: AgentEvent, request_id: str) -> Mapping[str, Json]:
    """Return the arguments of ADK's call with this id; empty if the event does not have it."""
    calls = (call for call in _list_calls(emitted) if call.get("id") == request_id)
    return as_mapping(next((call.get("args") for call in calls), None))


def list_pauses(events: Sequence[Event]) -> list[tuple[int, RequestKind]]:
    """Return what the user was asked for, each with the number of the user turn in which it was, from 1."""
    turn, found = 0, list[tuple[int, RequestKind]]()
    for event in events:
        match event.payload:
            case UserSpoke(content=content):
                turn += any("function_response" not in part for part in get_parts(content))
            case AgentEvent() as emitted:
                found += [(turn, request.kind) for request in iter_pause_requests(event, emitted)]
            case _:
                pass
    return found


def _list_calls(emitted: AgentEvent) -> list[Mapping[str, Json]]:
    return [as_mapping(part.get("function_call")) for part in get_parts(emitted.event.get("content"))]


def _get_asking_call(call: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the tool call that waits for consent; other requests do not contain the call they are about."""
    return as_mapping(as_mapping(call.get("args")).get("originalFunctionCall"))
