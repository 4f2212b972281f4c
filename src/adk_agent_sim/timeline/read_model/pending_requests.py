"""The requests of a session that wait for a person, each with its kind: model turns, tool calls, and ADK's own.

ADK pauses an agent until the user gives consent, a credential or input. It makes each of these requests as a function
call of its own and ends the run; the answer is a user message with the response to that call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping, as_text, get_parts
from adk_agent_sim.timeline.events import (
    SCHEMA_OPTIONS,
    AgentEvent,
    AgentPath,
    Event,
    ToolAsked,
    TurnAsked,
    TurnRevived,
    UserSpoke,
)
from adk_agent_sim.timeline.framework_calls import REQUEST_CONFIRMATION, REQUEST_CREDENTIAL, REQUEST_INPUT

MAX_REQUESTS_PER_EVENT = 1_000
"""Requests of one event beyond this number are not told apart by their position."""


class RequestKind(StrEnum):
    """What a person is asked for."""

    MODEL = "model"
    """The decision of a model turn."""

    CONSENT = "consent"
    """Whether a tool call may run."""

    CREDENTIAL = "credential"
    """The credential that a tool needs."""

    INPUT = "input"
    """The input that a workflow needs."""

    TOOL = "tool"
    """The response of a tool."""

    USER = "user"
    """The next user message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingRequest:
    """A request that waits for a person."""

    __pydantic_config__: ClassVar[Mapping[str, bool]] = SCHEMA_OPTIONS

    kind: RequestKind
    request_id: str
    """The turn id of a model turn, the id of a `ToolAsked`; otherwise the id of the function call by which ADK asks."""

    requested_at: float
    """In seconds since the Unix epoch."""

    seq: int
    """The event that made the request."""

    ordinal: int = 0
    """The number of the request among those of the same event, from 0."""

    agent_name: str = ""
    agent_path: AgentPath | None = None
    """Which of the agents of the run asks; None if that is unknown."""

    invocation_id: str = ""
    client_id: str = ""
    """Identifies the agent's process, as in `TurnAsked`."""

    tool_name: str = ""
    """The tool that the request is about, if any."""

    call_id: str = ""
    """The call of the tool, if a person is to respond as the tool."""

    claimed_by: str = ""
    """The person who is working on it; empty if nobody is."""

    claimed_until: float = 0.0
    """When the claim expires, in seconds since the Unix epoch; 0 without a claim."""

    @property
    def is_inside_run(self) -> bool:
        """Whether a run that is going on waits for it; what a finished run asks for is answered with a message."""
        return self.kind in (RequestKind.MODEL, RequestKind.TOOL)

    @property
    def position(self) -> int:
        """The sort key among the requests of a session: they are answered in this order."""
        return self.seq * MAX_REQUESTS_PER_EVENT + self.ordinal


def build_turn_request(event: Event, payload: TurnAsked | TurnRevived) -> PendingRequest:
    """Build the request of a model turn."""
    return PendingRequest(
        kind=RequestKind.MODEL,
        request_id=event.turn_id,
        requested_at=event.timestamp,
        seq=event.seq,
        agent_name=event.agent_name,
        agent_path=event.agent_path,
        invocation_id=payload.invocation_id,
        client_id=payload.client_id,
    )


def build_tool_request(event: Event, asked: ToolAsked) -> PendingRequest:
    """Build the request of a call of a tool that a person plays."""
    return PendingRequest(
        kind=RequestKind.TOOL,
        request_id=asked.request_id,
        requested_at=event.timestamp,
        seq=event.seq,
        agent_name=event.agent_name,
        agent_path=event.agent_path,
        invocation_id=asked.invocation_id,
        client_id=asked.client_id,
        tool_name=asked.tool_name,
        call_id=asked.call_id,
    )


def list_answered_ids(content: Json) -> list[str]:
    """Return the ids of the function calls that a user message responds to."""
    responses = (as_mapping(part.get("function_response")) for part in get_parts(content))
    return [response["id"] for response in responses if response.get("id")]


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
