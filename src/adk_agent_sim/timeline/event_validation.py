"""Validation of events that enter a timeline: field by field, so that every reader behind it can rely on their shape.

It owns what a valid event is. Everything that folds events (histories, rows, reports, exports) assumes it, and checks
nothing again. Keys that no reader uses may have any JSON value: they belong to ADK, whose releases add new ones.

    gRPC, JSON Lines, plugins --> validate_event --> Store --> folds
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adk_agent_sim.errors import InvalidField
from adk_agent_sim.timeline import events, tool_request_events, world_events
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.event_kinds import KIND_NAMES
from adk_agent_sim.timeline.events import Event, Payload, Session
from adk_agent_sim.timeline.identifier_checks import (
    check_app_name,
    check_block_id,
    check_id,
    check_name,
    check_reference,
)
from adk_agent_sim.timeline.model_shapes import (
    REQUEST_PART_CHECKS,
    RequestPart,
    check_actions,
    check_adk_event,
    check_content,
    check_request,
    check_response,
)
from adk_agent_sim.timeline.shape_checks import (
    MAX_FINITE,
    Check,
    Checks,
    MismatchError,
    build_enum_check,
    build_integer_check,
    build_json_check,
    build_list_check,
    build_mapping_check,
    build_number_check,
    build_object_check,
    build_optional_check,
    check_flag,
    check_integer,
    check_json,
    check_object,
    check_text,
    describe_value,
)
from adk_agent_sim.timeline.world_checks import check_completed_event, check_seed, check_verdict

MAX_SEQ = 2**63 - 1
"""The largest `seq` that databases and messages can represent."""

_MAX_TIMESTAMP = 253_402_300_799
"""The last second of the year 9999, beyond which Python has no dates."""

_MAX_VERSION = 2**31 - 1
_MAX_TURN = 2**31 - 1


def validate_event(event: Event, path: str = "") -> None:
    """Check an event and its payload.

    Args:
        event: The event.
        path: Where it comes from, such as `events[0]`; the error names the invalid field relative to it.

    Raises:
        InvalidField: A field has the wrong type or shape.
    """
    _check_fields(event, _EVENT_CHECKS, path)
    validate_payload(event.payload, _join(path, KIND_NAMES.get(type(event.payload), "payload")))


def validate_payload(payload: Payload, path: str | None = None) -> None:
    """Check the payload of an event.

    Args:
        payload: The payload.
        path: What the error puts before the name of the invalid field; by default the kind of the payload.

    Raises:
        InvalidField: A field has the wrong type or shape.
    """
    checks = _PAYLOAD_CHECKS.get(type(payload))
    if checks is None:
        raise InvalidField(path or "payload", f"must be an event, and is {describe_value(payload)}")
    _check_fields(payload, checks, KIND_NAMES[type(payload)] if path is None else path)


def validate_session(session: Session) -> None:
    """Check a session; raise InvalidField, which names the invalid field."""
    _check_fields(session, _SESSION_CHECKS, "session")


def validate_response(response: Json, path: str) -> None:
    """Check a model's answer, an `LlmResponse` as JSON; raise InvalidField, which names the invalid field."""
    _check_value(response, check_response, path)


def validate_model_request(request: Json, path: str) -> None:
    """Check a model request, an `LlmRequest` as JSON; raise InvalidField, which names the invalid field."""
    _check_value(request, check_request, path)


def validate_request_part(part: RequestPart, value: Json, path: str) -> None:
    """Check a part of a model request that is stored as a block; raise InvalidField, which names the invalid field."""
    _check_value(value, REQUEST_PART_CHECKS[part], path)


def check_identifier(value: str, path: str) -> None:
    """Raise InvalidField unless a text can be the id of a session, event or turn."""
    _check_value(value, check_id, path)


def check_agent_name(value: str, path: str) -> None:
    """Raise InvalidField if a name has no visible character, or one that a database cannot store."""
    _check_value(value, check_name, path)


def _check_fields(owner: object, checks: Checks, path: str) -> None:
    name = ""
    try:
        for name, check in checks.items():
            check(getattr(owner, name))
    except MismatchError as mismatch:
        raise InvalidField(_join(path, name) + mismatch.path, mismatch.reason) from None


def _check_value(value: Any, check: Check, path: str) -> None:
    try:
        check(value)
    except MismatchError as mismatch:
        raise InvalidField(path + mismatch.path, mismatch.reason) from None


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


_check_duration = build_number_check("a finite number of at least 0", MAX_FINITE)
_check_timestamp = build_number_check("a time in seconds since 1970", _MAX_TIMESTAMP)

_check_environment = build_object_check(
    {
        "rules": build_list_check(
            build_object_check(
                {"name": check_text, "tools": build_list_check(check_text), "profiles": build_list_check(check_text)},
                required=("name", "tools"),
            )
        ),
        "profile": check_text,
        "active_profiles": build_list_check(check_text),
        "tool_players": build_mapping_check(check_text),
        "draws": build_object_check(
            {"seed": check_integer, "session": check_text, "is_drawn": check_flag}, required=("seed", "session")
        ),
        "uses_real_time": check_flag,
    }
)
_check_passed_over = build_list_check(
    build_object_check({"rule": check_text, "why": check_text, "reason": check_text}, required=("rule", "why"))
)
_check_near_miss = build_object_check(
    {
        "rule": check_text,
        "differences": build_mapping_check(
            build_object_check({"expected": check_text, "found": check_text}, required=("expected", "found"))
        ),
    },
    required=("rule", "differences"),
)

_EVENT_CHECKS: Checks = {
    "event_id": check_id,
    "session_id": check_id,
    "seq": build_integer_check(MAX_SEQ),
    "timestamp": _check_timestamp,
    "turn_id": check_reference,
    "agent_name": check_name,
    "player": build_optional_check(build_enum_check(events.Player)),
}

_SESSION_CHECKS: Checks = {"session_id": check_id, "created_at": _check_timestamp, "description": check_text}

_PAYLOAD_CHECKS: Mapping[type[Payload], Checks] = {
    events.AgentJoined: {
        "app_name": check_app_name,
        "user_id": check_text,
        "adk_session_id": check_text,
        "state": build_json_check(check_object),
    },
    events.UserSpoke: {"content": check_content},
    events.TurnAsked: {
        "invocation_id": check_text,
        "contents": build_list_check(build_list_check(check_block_id)),
        "tools": check_block_id,
        "instruction": check_block_id,
        "config": check_block_id,
        "client_id": check_text,
    },
    events.TurnDecided: {
        "decision_id": check_text,
        "response": check_response,
        "force": check_flag,
        "duration_ms": build_optional_check(_check_duration),
    },
    events.TurnWithdrawn: {"abandoned": check_flag},
    events.TurnRevived: {"invocation_id": check_text},
    events.CancelAsked: {"call_id": check_text},
    events.ToolStarted: {
        "call_id": check_text,
        "tool_name": check_text,
        "arguments": build_json_check(check_object),
    },
    events.ToolFinished: {
        "call_id": check_text,
        "result": check_json,
        "duration_ms": _check_duration,
        "actions": check_actions,
        "ran_tool": check_flag,
        "left_unchanged": check_flag,
        "mocked": build_optional_check(build_json_check(check_object)),
    },
    events.ToolFailed: {
        "call_id": check_text,
        "error_type": check_text,
        "error_message": check_text,
        "duration_ms": _check_duration,
        "traceback": build_optional_check(check_text),
        "ran_tool": check_flag,
        "left_unchanged": check_flag,
        "mocked": build_optional_check(build_json_check(check_object)),
    },
    tool_request_events.ToolAsked: {
        "request_id": check_id,
        "call_id": check_text,
        "tool_name": check_text,
        "arguments": build_json_check(check_object),
        "description": check_text,
        "response_schema": build_optional_check(build_json_check(check_object)),
        "invocation_id": check_text,
        "client_id": check_text,
    },
    tool_request_events.ToolAnswered: {
        "request_id": check_id,
        "call_id": check_text,
        "decision_id": check_text,
        "result": check_json,
        "error_type": check_text,
        "error_message": check_text,
        "force": check_flag,
        "answered_by": check_text,
    },
    tool_request_events.ToolWithdrawn: {"request_id": check_id, "call_id": check_text},
    events.EnvironmentDecided: {
        "call_id": check_text,
        "tool_name": check_text,
        "rule": check_text,
        "actions": build_json_check(build_list_check(check_text)),
        "passed_over": build_json_check(_check_passed_over),
        "unanswered": check_text,
        "environment": build_optional_check(build_json_check(_check_environment)),
        "near_miss": build_optional_check(build_json_check(_check_near_miss)),
        "changed_answer": check_flag,
        "left_unchanged": check_flag,
    },
    world_events.WorldStarted: {
        "scenario_id": check_text,
        "start_time": _check_timestamp,
        "seed": check_seed,
        "source": check_text,
        "digest": check_text,
        "options": build_json_check(check_object),
    },
    world_events.WorldEventHappened: {
        "event": build_json_check(check_completed_event),
        "elapsed_seconds": _check_duration,
        "call_id": check_text,
    },
    world_events.NotificationDelivered: {"kind": check_text, "text": check_text, "elapsed_seconds": _check_duration},
    world_events.WorldTimeChanged: {
        "from_seconds": _check_duration,
        "to_seconds": _check_duration,
        "reason": check_text,
    },
    world_events.VerdictReached: {
        "turn": build_integer_check(_MAX_TURN),
        "passed": check_flag,
        "reason": check_text,
        "verdict": build_optional_check(build_json_check(check_verdict)),
        "judge": check_text,
    },
    events.AgentEvent: {"invocation_id": check_text, "event": check_adk_event, "final": check_flag},
    events.ArtifactSaved: {
        "filename": check_text,
        "version": build_integer_check(_MAX_VERSION),
        "mime_type": check_text,
        "block": check_text,
        "is_text": check_flag,
    },
    events.RunEnded: {
        "invocation_id": check_text,
        "outcome": build_enum_check(events.RunOutcome),
        "error_type": check_text,
        "error_message": check_text,
    },
    events.Rewound: {
        "to_seq": build_integer_check(MAX_SEQ),
        "kept_seqs": build_json_check(build_list_check(build_integer_check(MAX_SEQ))),
        "from_seq": build_integer_check(MAX_SEQ),
        "turn_id": check_text,
        "redone": check_flag,
    },
    events.Forked: {
        "source_session_id": check_text,
        "source_seq": build_integer_check(MAX_SEQ),
        "turn_id": check_text,
        "difference": check_text,
    },
    events.Closed: {"reason": check_text, "cancelled": check_flag},
    events.Noted: {
        "row_index": build_integer_check(MAX_SEQ),
        "about_seq": build_integer_check(MAX_SEQ),
        "text": check_text,
    },
}
