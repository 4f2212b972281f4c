"""Validation of events that enter a timeline: field by field, so that every reader behind it can rely on their shape.

It owns what a valid event is. Everything that folds events (histories, rows, reports, exports) assumes it, and checks
nothing again. Keys that no reader uses may have any JSON value: they belong to ADK, whose releases add new ones.

    gRPC, JSON Lines, plugins --> validate_event --> Store --> folds
"""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Literal, TypeAlias, cast

from adk_agent_sim.errors import InvalidField
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.event_kinds import KIND_NAMES
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    ArtifactSaved,
    CancelAsked,
    Closed,
    EnvironmentDecided,
    Event,
    Payload,
    Player,
    RunEnded,
    RunOutcome,
    Session,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.json_conversion import decode_base64

MAX_JSON_DEPTH = 256
"""How many nesting levels a JSON value of an event may have: what `to_json_value` writes, and all readers can walk."""

MAX_ID_LENGTH = 200
"""The length of an id in characters; databases limit the size of an indexed value."""

MAX_SEQ = 2**63 - 1
"""The largest `seq` that databases and messages can represent."""

_MAX_TIMESTAMP = 253_402_300_799
"""The last second of the year 9999, beyond which Python has no dates."""

_MAX_DURATION = 1e300
_MAX_VERSION = 2**31 - 1
_LEAF_TYPES = frozenset({str, int, float, bool, type(None)})
_BLOCK_ID = re.compile(r"[0-9a-f]{32}")


class _MismatchError(Exception):
    """A value does not have the shape that its field needs; `path` leads from the field to the value."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = ""

    def prepend(self, step: str) -> _MismatchError:
        self.path = step + self.path
        return self


RequestPart: TypeAlias = Literal["content", "tools", "instruction", "config"]
"""The parts that a model request is split into; each of them is a block."""

_Check: TypeAlias = Callable[[Any], None]
"""Raises `_MismatchError` if a value is invalid."""


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
        raise InvalidField(path or "payload", f"must be an event, and is {_describe(payload)}")
    _check_fields(payload, checks, KIND_NAMES[type(payload)] if path is None else path)


def validate_session(session: Session) -> None:
    """Check a session; raise InvalidField, which names the invalid field."""
    _check_fields(session, _SESSION_CHECKS, "session")


def validate_response(response: Json, path: str) -> None:
    """Check a model's answer, an `LlmResponse` as JSON; raise InvalidField, which names the invalid field."""
    _check_value(response, _check_response, path)


def validate_model_request(request: Json, path: str) -> None:
    """Check a model request, an `LlmRequest` as JSON; raise InvalidField, which names the invalid field."""
    _check_value(request, _check_request, path)


def validate_request_part(part: RequestPart, value: Json, path: str) -> None:
    """Check a part of a model request that is stored as a block; raise InvalidField, which names the invalid field."""
    _check_value(value, _REQUEST_PART_CHECKS[part], path)


def check_identifier(value: str, path: str) -> None:
    """Raise InvalidField unless a text can be the id of a session, event or turn."""
    _check_value(value, _check_id, path)


def check_agent_name(value: str, path: str) -> None:
    """Raise InvalidField if a name has no visible character, or one that a database cannot store."""
    _check_value(value, _check_name, path)


def _check_fields(owner: object, checks: tuple[tuple[str, _Check], ...], path: str) -> None:
    name = ""
    try:
        for name, check in checks:
            check(getattr(owner, name))
    except _MismatchError as mismatch:
        raise InvalidField(_join(path, name) + mismatch.path, mismatch.reason) from None


def _check_value(value: Any, check: _Check, path: str) -> None:
    try:
        check(value)
    except _MismatchError as mismatch:
        raise InvalidField(path + mismatch.path, mismatch.reason) from None


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _describe(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int():
            return "a number"
        case float():
            return "a number" if abs(value) <= _MAX_DURATION else f"{value:g}"
        case str():
            return "a string"
        case list() | tuple():
            return "a list"
        case dict():
            return "an object"
        case _:
            return f"a {type(value).__name__}"


def _mismatch(needed: str, value: object) -> _MismatchError:
    return _MismatchError(f"must be {needed}, and is {_describe(value)}")


def _check_text(value: object) -> None:
    if not isinstance(value, str):
        raise _mismatch("a string", value)


def _check_flag(value: object) -> None:
    if not isinstance(value, bool):
        raise _mismatch("true or false", value)


def _check_object(value: object) -> None:
    if not isinstance(value, dict):
        raise _mismatch("an object", value)


def _check_integer(value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _mismatch("an integer", value)


def _build_number_check(needed: str, maximum: float) -> _Check:
    def check(value: object) -> None:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise _mismatch(needed, value)
        if not 0 <= value <= maximum:  # also false for NaN
            raise _MismatchError(f"must be {needed}, and is {value if isinstance(value, float) else _describe(value)}")

    return check


def _build_integer_check(maximum: int) -> _Check:
    def check(value: object) -> None:
        _check_integer(value)
        if not 0 <= cast("int", value) <= maximum:
            raise _MismatchError(f"must be between 0 and {maximum}, and is {str(value)[:30]}")

    return check


def _build_enum_check(kind: type[Enum]) -> _Check:
    needed = f"one of {', '.join(str(member.value) for member in kind)}"

    def check(value: object) -> None:
        if not isinstance(value, kind):
            raise _mismatch(needed, value)

    return check


def _build_optional_check(check_present: _Check) -> _Check:
    def check(value: object) -> None:
        if value is not None:
            check_present(value)

    return check


def _build_list_check(check_item: _Check) -> _Check:
    def check(value: object) -> None:
        if not isinstance(value, list | tuple):
            raise _mismatch("a list", value)
        index = 0
        try:
            for index, item in enumerate(cast("list[object]", value)):  # noqa: B007 - the error names it
                check_item(item)
        except _MismatchError as mismatch:
            raise mismatch.prepend(f"[{index}]") from None

    return check


def _build_object_check(checks: Mapping[str, _Check], required: tuple[str, ...] = ()) -> _Check:
    """Return a check of an object: keys in `checks` must match if they are not null, other keys may have any value."""

    def check(value: object) -> None:
        if not isinstance(value, dict):
            raise _mismatch("an object", value)
        fields = cast("dict[str, object]", value)
        for name in required:
            if fields.get(name) is None:
                raise _MismatchError("is missing").prepend(f".{name}")
        name = ""
        try:
            for name, inner in fields.items():
                if inner is not None and name in checks:
                    checks[name](inner)
        except _MismatchError as mismatch:
            raise mismatch.prepend(f".{name}") from None

    return check


def _build_mapping_check(check_value: _Check) -> _Check:
    """Return a check of an object whose keys are names that come from outside."""

    def check(value: object) -> None:
        _check_object(value)
        for name, inner in cast("dict[str, object]", value).items():
            try:
                check_value(inner)
            except _MismatchError as mismatch:
                raise mismatch.prepend(f".{name}") from None

    return check


def _build_json_check(check_shape: _Check) -> _Check:
    def check(value: object) -> None:
        check_shape(value)
        _check_json(value)

    return check


def _check_json(value: object) -> None:
    """Raise unless a value consists of JSON types and is not nested too deeply."""
    # Level by level instead of recursively: the values to be found here are those that exhaust the stack. The usual
    # types are compared inline, because this loop visits every value of every event.
    level: list[object] = [(value,)]
    for _ in range(MAX_JSON_DEPTH + 1):
        deeper: list[object] = []
        for container in level:
            if isinstance(container, dict):
                fields = cast("dict[object, object]", container)
                for key in fields:
                    if type(key) is not str:
                        _check_key(key)
                inner_values: Iterable[object] = fields.values()
            else:
                inner_values = cast("Iterable[object]", container)
            for inner in inner_values:
                kind = type(inner)
                if (
                    kind is not str
                    and kind not in _LEAF_TYPES
                    and (kind is dict or kind is list or _is_container(inner))
                ):
                    deeper.append(inner)
        if not deeper:
            return
        level = deeper
    raise _MismatchError(f"must have at most {MAX_JSON_DEPTH} nesting levels, and has more")


def _is_container(value: object) -> bool:
    """Return whether a value of an unusual type is a list or object as well; raise if it is not JSON."""
    if isinstance(value, dict | list | tuple):
        return True
    if not isinstance(value, str | int | float):
        raise _MismatchError(f"must be JSON, and contains {_describe(value)}")
    return False


def _check_key(key: object) -> None:
    if not isinstance(key, str):
        raise _MismatchError(f"must be JSON, and has a key that is {_describe(key)}")


def _check_base64(value: object) -> None:
    _check_text(value)
    try:
        decode_base64(cast("str", value))
    except (Base64Error, ValueError):
        raise _MismatchError("must be base64 text, and is not") from None


def _check_instruction(value: object) -> None:
    """Raise unless a value is a system instruction: a text, a content, a part, or a list of texts and parts."""
    if isinstance(value, dict):
        parts = cast("dict[str, object]", value).get("parts")
        if isinstance(parts, list):
            _check_instruction_parts(cast("list[object]", parts), ".parts")
    elif isinstance(value, list):
        _check_instruction_parts(cast("list[object]", value), "")
    elif value is not None:
        _check_text(value)


def _check_instruction_parts(parts: list[object], path: str) -> None:
    for index, part in enumerate(parts):
        if not isinstance(part, str | dict):
            raise _mismatch("a string or an object", part).prepend(f"{path}[{index}]")


def _check_column_text(value: object) -> None:
    """Raise unless a text can be stored in a database column."""
    if not isinstance(value, str):
        raise _mismatch("a string", value)
    if "\0" in value:
        raise _MismatchError("must not contain the character U+0000")


def _check_storable_text(value: object) -> None:
    """Raise unless a text can be stored in a database column and in a message."""
    _check_column_text(value)
    try:
        cast("str", value).encode()
    except UnicodeEncodeError:
        raise _MismatchError("must be text that UTF-8 can represent") from None


def _check_reference(value: object) -> None:
    _check_storable_text(value)
    if len(cast("str", value)) > MAX_ID_LENGTH:
        raise _MismatchError(f"must have at most {MAX_ID_LENGTH} characters, and has {len(cast('str', value))}")


def _check_id(value: object) -> None:
    if not value:
        raise _MismatchError("must not be empty")
    _check_reference(value)


def _check_app_name(value: object) -> None:
    _check_column_text(value)
    _check_visible(cast("str", value))


def _check_name(value: object) -> None:
    _check_storable_text(value)
    _check_visible(cast("str", value))


def _check_visible(name: str) -> None:
    # An empty name means that there is none. Identifiers are the usual case, and the fast one.
    if name and not name.isidentifier() and not any(char.isprintable() and not char.isspace() for char in name):
        raise _MismatchError("must have a visible character, or be empty")


def _check_block_id(value: object) -> None:
    if not isinstance(value, str) or not _BLOCK_ID.fullmatch(value):
        raise _MismatchError("must be the id of a block: 32 hexadecimal digits")


_check_seq = _build_integer_check(MAX_SEQ)
_check_duration = _build_number_check("a finite number of at least 0", _MAX_DURATION)
_check_timestamp = _build_number_check("a time in seconds since 1970", _MAX_TIMESTAMP)

_check_blob = _build_object_check({"data": _check_base64, "mime_type": _check_text, "display_name": _check_text})
_check_file = _build_object_check({"file_uri": _check_text, "mime_type": _check_text, "display_name": _check_text})
_check_call = _build_object_check({"id": _check_text, "name": _check_text, "args": _check_object})
_check_part = _build_object_check(
    {
        "text": _check_text,
        "thought": _check_flag,
        "function_call": _check_call,
        "function_response": _build_object_check(
            {
                "id": _check_text,
                "name": _check_text,
                "response": _check_object,
                "parts": _build_list_check(_build_object_check({"inline_data": _check_blob, "file_data": _check_file})),
            }
        ),
        "inline_data": _check_blob,
        "file_data": _check_file,
        "executable_code": _build_object_check({"code": _check_text}),
        "code_execution_result": _build_object_check({"output": _check_text}),
    }
)
_check_content = _build_object_check({"role": _check_text, "parts": _build_list_check(_check_part)})
_check_actions = _build_object_check(
    {
        "state_delta": _check_object,
        "artifact_delta": _check_object,
        "requested_tool_confirmations": _check_object,
        "requested_auth_configs": _check_object,
        "transfer_to_agent": _check_text,
        "escalate": _check_flag,
    }
)
_RESPONSE_CHECKS: Mapping[str, _Check] = {
    "content": _check_content,
    "error_code": _check_text,
    "error_message": _check_text,
}
_check_response = _build_json_check(_build_object_check(_RESPONSE_CHECKS))
_check_tools = _build_list_check(
    _build_object_check(
        {
            "function_declarations": _build_list_check(
                _build_object_check({"name": _check_text, "description": _check_text})
            )
        }
    )
)
_SCHEMA_CHECKS: Mapping[str, _Check] = {"response_schema": _check_object, "response_json_schema": _check_object}
_check_request_config = _build_object_check(
    {**_SCHEMA_CHECKS, "tools": _check_tools, "system_instruction": _check_instruction}
)
_check_request = _build_json_check(
    _build_object_check({"contents": _build_list_check(_check_content), "config": _check_request_config})
)
_REQUEST_PART_CHECKS: Mapping[RequestPart, _Check] = {
    "content": _build_json_check(_check_content),
    "tools": _build_json_check(_check_tools),
    "instruction": _build_json_check(_check_instruction),
    "config": _build_json_check(
        _build_object_check(
            {"config": _build_object_check(_SCHEMA_CHECKS), "response_arguments_schema": _check_object},
            required=("config",),
        )
    ),
}

_EVENT_CHECKS: tuple[tuple[str, _Check], ...] = (
    ("event_id", _check_id),
    ("session_id", _check_id),
    ("seq", _check_seq),
    ("timestamp", _check_timestamp),
    ("turn_id", _check_reference),
    ("agent_name", _check_name),
    ("player", _build_optional_check(_build_enum_check(Player))),
)

_check_environment = _build_object_check(
    {
        "rules": _build_list_check(
            _build_object_check(
                {"name": _check_text, "tools": _build_list_check(_check_text)}, required=("name", "tools")
            )
        ),
        "draws": _build_object_check(
            {"seed": _check_integer, "session": _check_text, "is_drawn": _check_flag}, required=("seed", "session")
        ),
        "uses_real_time": _check_flag,
    }
)
_check_near_miss = _build_object_check(
    {
        "rule": _check_text,
        "differences": _build_mapping_check(
            _build_object_check({"expected": _check_text, "found": _check_text}, required=("expected", "found"))
        ),
    },
    required=("rule", "differences"),
)

_SESSION_CHECKS: tuple[tuple[str, _Check], ...] = (
    ("session_id", _check_id),
    ("created_at", _check_timestamp),
    ("description", _check_text),
)

_PAYLOAD_CHECKS: Mapping[type[Payload], tuple[tuple[str, _Check], ...]] = {
    AgentJoined: (
        ("app_name", _check_app_name),
        ("user_id", _check_text),
        ("adk_session_id", _check_text),
        ("state", _build_json_check(_check_object)),
    ),
    UserSpoke: (("content", _build_json_check(_check_content)),),
    TurnAsked: (
        ("invocation_id", _check_text),
        ("contents", _build_list_check(_build_list_check(_check_block_id))),
        ("tools", _check_block_id),
        ("instruction", _check_block_id),
        ("config", _check_block_id),
        ("client_id", _check_text),
    ),
    TurnDecided: (
        ("decision_id", _check_text),
        ("response", _check_response),
        ("anyway", _check_flag),
        ("duration_ms", _build_optional_check(_check_duration)),
    ),
    TurnWithdrawn: (("abandoned", _check_flag),),
    TurnRevived: (("invocation_id", _check_text),),
    CancelAsked: (("call_id", _check_text),),
    ToolStarted: (
        ("call_id", _check_text),
        ("tool_name", _check_text),
        ("arguments", _build_json_check(_check_object)),
    ),
    ToolFinished: (
        ("call_id", _check_text),
        ("result", _check_json),
        ("duration_ms", _check_duration),
        ("actions", _build_json_check(_check_actions)),
        ("ran_tool", _check_flag),
        ("left_unchanged", _check_flag),
    ),
    ToolFailed: (
        ("call_id", _check_text),
        ("error_type", _check_text),
        ("error_message", _check_text),
        ("duration_ms", _check_duration),
        ("traceback", _build_optional_check(_check_text)),
        ("ran_tool", _check_flag),
        ("left_unchanged", _check_flag),
    ),
    EnvironmentDecided: (
        ("call_id", _check_text),
        ("tool_name", _check_text),
        ("rule", _check_text),
        ("actions", _build_json_check(_build_list_check(_check_text))),
        (
            "passed_over",
            _build_json_check(
                _build_list_check(
                    _build_object_check(
                        {"rule": _check_text, "why": _check_text, "reason": _check_text}, required=("rule", "why")
                    )
                )
            ),
        ),
        ("unanswered", _check_text),
        ("environment", _build_optional_check(_build_json_check(_check_environment))),
        ("near_miss", _build_optional_check(_build_json_check(_check_near_miss))),
        ("changed_answer", _check_flag),
        ("left_unchanged", _check_flag),
    ),
    AgentEvent: (
        ("invocation_id", _check_text),
        (
            "event",
            _build_json_check(
                _build_object_check(
                    {
                        **_RESPONSE_CHECKS,
                        "author": _check_text,
                        "invocation_id": _check_text,
                        "actions": _check_actions,
                    }
                )
            ),
        ),
        ("final", _check_flag),
    ),
    ArtifactSaved: (
        ("filename", _check_text),
        ("version", _build_integer_check(_MAX_VERSION)),
        ("mime_type", _check_text),
        ("block", _check_text),
    ),
    RunEnded: (
        ("invocation_id", _check_text),
        ("outcome", _build_enum_check(RunOutcome)),
        ("error_type", _check_text),
        ("error_message", _check_text),
    ),
    Closed: (("reason", _check_text), ("cancelled", _check_flag)),
}
