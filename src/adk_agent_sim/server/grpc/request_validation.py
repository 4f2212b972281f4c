"""Validation of gRPC request fields. Every function raises `InvalidField`, which names the field."""

from __future__ import annotations

import re
from collections.abc import Mapping

from adk_agent_sim.errors import InvalidField
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.persistence.row_codec import OPTIONAL_JSON_FIELDS, from_event_message
from adk_agent_sim.timeline import event_validation
from adk_agent_sim.timeline.canonical_json import Json, decode_json
from adk_agent_sim.timeline.event_shapes import RequestPart
from adk_agent_sim.timeline.event_validation import KIND_NAMES
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    ArtifactSaved,
    CancelAsked,
    EnvironmentDecided,
    Event,
    RunEnded,
    ToolAsked,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.shape_checks import MAX_JSON_DEPTH
from adk_agent_sim.timeline.world_events import (
    NotificationDelivered,
    VerdictReached,
    WorldEventHappened,
    WorldStarted,
    WorldTimeChanged,
)

MAX_DESCRIPTION_LENGTH = 500
MAX_NAME_LENGTH = 100
MAX_PAGE_SIZE = 1_000
_DEFAULT_PAGE_SIZE = 50
_OUTCOME_NUMBERS = frozenset(
    number for number in v1.RunEnded.Outcome.values() if number != v1.RunEnded.OUTCOME_UNSPECIFIED
)

_UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)

_CLASS_NAME = re.compile(rf"[A-Za-z_][A-Za-z0-9_]{{0,{MAX_NAME_LENGTH - 1}}}")

CLIENT_EVENT_KINDS = frozenset(
    KIND_NAMES[payload_class]
    for payload_class in (
        AgentJoined,
        UserSpoke,
        TurnWithdrawn,
        CancelAsked,
        EnvironmentDecided,
        ToolStarted,
        ToolFinished,
        ToolFailed,
        ToolAsked,
        WorldStarted,
        WorldEventHappened,
        NotificationDelivered,
        WorldTimeChanged,
        VerdictReached,
        AgentEvent,
        ArtifactSaved,
        RunEnded,
    )
)
"""The event kinds that a client may append with AppendEvents; the others have RPCs of their own, or are no client's."""


def require_uuid4(field: str, value: str) -> str:
    """Return `value` if it is a UUID of version 4."""
    if not _UUID4.fullmatch(value):
        raise InvalidField(field, f"must be a UUID of version 4, and is {_quote_value(value)}")
    return value


def truncate_description(value: str) -> str:
    """Return a description, cut at the maximum length."""
    return value[:MAX_DESCRIPTION_LENGTH]


def require_agent_name(value: str) -> str:
    """Return `value` if it is an agent name of 1 to 100 characters, of which one is visible."""
    if not value:
        raise InvalidField("agent_name", "must not be empty")
    event_validation.check_agent_name(value, "agent_name")
    if len(value) > MAX_NAME_LENGTH:
        raise InvalidField("agent_name", f"must have at most {MAX_NAME_LENGTH} characters, and has {len(value)}")
    return value


def require_session_id(value: str) -> str:
    """Return `value` if it can be the id of a session."""
    event_validation.check_identifier(value, "session_id")
    return value


def require_after_seq(value: int) -> int:
    """Return `value` if a stream can start after it."""
    if value < 0:
        raise InvalidField("after_seq", f"must not be negative, and is {value}")
    return value


def parse_exact_response(text: str) -> Mapping[str, Json]:
    """Return the `LlmResponse` of a canonical JSON text."""
    value = _parse_json_field("exact_json", text)
    event_validation.validate_response(value, "exact_json")
    return value


def parse_exact_request(text: str) -> Mapping[str, Json]:
    """Return the `LlmRequest` of a canonical JSON text."""
    value = _parse_json_field("exact_json", text)
    event_validation.validate_model_request(value, "exact_json")
    return value


def check_tool_response(request: v1.SubmitToolResponseRequest) -> None:
    """Check that a request answers a tool call with a result or with an exception."""
    event_validation.check_identifier(request.request_id, "request_id")
    if request.result_json and request.error_type:
        raise InvalidField("error_type", "must be empty if there is result_json: a tool returns or raises")
    if request.error_type and not _CLASS_NAME.fullmatch(request.error_type):
        raise InvalidField(
            "error_type",
            f"must be a class name, such as TimeoutError, and is {_quote_value(request.error_type)}",
        )
    if not request.result_json and not request.error_type:
        raise InvalidField("result_json", "is missing: send it, or error_type if the tool raises; null is a result")


def parse_result(text: str) -> Json:
    """Return the result of a tool."""
    return _parse_json_field("result_json", text)


def parse_client_event(index: int, message: v1.SessionEvent) -> Event:
    """Return the event of a client's message."""
    try:
        return from_event_message(message)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        _check_json_fields(index, message)
        raise InvalidField(f"events[{index}]", f"cannot be read: {error}") from error


def _check_json_fields(index: int, message: v1.SessionEvent) -> None:
    """Name the JSON field that cannot be read, if it is one."""
    kind = message.WhichOneof("payload") or ""
    if message.texts_json:
        _parse_json_field(f"events[{index}].texts_json", message.texts_json)
    payload = getattr(message, kind)
    for name in payload.DESCRIPTOR.fields_by_name:
        if name.endswith("_json"):
            text = getattr(payload, name)
            if text or name.removesuffix("_json") not in OPTIONAL_JSON_FIELDS:
                _parse_json_field(f"events[{index}].{kind}.{name}", text)


def check_request_part(part: RequestPart, data: bytes, field: str) -> None:
    """Check a block of a model request."""
    event_validation.validate_request_part(part, _decode_json_field(field, data), field)


def _parse_json_field(field: str, text: str) -> Json:
    try:
        data = text.encode("ascii")
    except UnicodeEncodeError as error:
        raise InvalidField(field, f"must be JSON text in ASCII, and is not: {error}") from error
    return _decode_json_field(field, data)


def _decode_json_field(field: str, data: bytes) -> Json:
    try:
        return decode_json(data)
    except RecursionError:
        raise InvalidField(field, f"must have at most {MAX_JSON_DEPTH} nesting levels, and has more") from None
    except ValueError as error:
        raise InvalidField(field, f"must be JSON text in ASCII, and is not: {error}") from error


def check_client_event(index: int, event: v1.SessionEvent) -> None:
    """Check that a client may append this event."""
    kind = event.WhichOneof("payload")
    field = f"events[{index}].payload"
    if kind is None:
        raise InvalidField(field, "is missing")
    if kind not in CLIENT_EVENT_KINDS:
        raise InvalidField(field, f"is {kind}, which cannot be appended: it has an RPC of its own")
    if event.run_ended.outcome not in _OUTCOME_NUMBERS and kind == "run_ended":
        raise InvalidField(f"events[{index}].run_ended.outcome", "must be done, failed or cancelled")
    if event.agent_name and len(event.agent_name) > MAX_NAME_LENGTH:
        raise InvalidField(f"events[{index}].agent_name", f"must have at most {MAX_NAME_LENGTH} characters")


def resolve_page_size(value: int) -> int:
    """Return how many sessions a page has; 0 means the default."""
    if value < 0:
        raise InvalidField("page_size", f"must not be negative, and is {value}")
    return min(value or _DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)


def _quote_value(value: str) -> str:
    return repr(value if len(value) <= MAX_NAME_LENGTH else f"{value[:MAX_NAME_LENGTH]}...")
