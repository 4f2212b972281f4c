"""Validation of events that enter a timeline: field by field, so that every reader behind it can rely on their shape.

The checks follow from the types of the fields (`timeline/events.py`). Everything that folds events (histories, rows,
reports, exports) relies on them, and checks nothing again. Keys that no reader uses may have any JSON value: they
belong to ADK, whose releases add new ones.

    gRPC, JSON Lines, plugins --> validate_event --> Store --> folds
"""

from __future__ import annotations

import re
import types
import typing
from collections import abc
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import MappingProxyType
from typing import Any, Final, cast, get_args, get_origin, get_type_hints

from adk_agent_sim.errors import InvalidField
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.event_shapes import (
    REQUEST_PART_CHECKS,
    RequestPart,
    check_duration,
    check_request,
    check_response,
)
from adk_agent_sim.timeline.events import Event, Payload, Session, Unreadable
from adk_agent_sim.timeline.shape_checks import (
    Check,
    Checks,
    MismatchError,
    build_enum_check,
    build_integer_check,
    build_json_check,
    build_list_check,
    build_optional_check,
    check_flag,
    check_id,
    check_json,
    check_name,
    check_object,
    check_text,
    create_mismatch,
    describe_value,
)

KIND_NAMES: Final[Mapping[type[Payload], str]] = MappingProxyType(
    {
        payload_class: re.sub(r"(?<!^)(?=[A-Z])", "_", payload_class.__name__).lower()
        for payload_class in get_args(Payload)
        if payload_class is not Unreadable
    }
)
"""The kinds by payload class. The names are stored, so classes cannot be renamed; they are those of the protocol."""

PAYLOAD_CLASSES: Final[Mapping[str, type[Payload]]] = MappingProxyType(
    {name: payload_class for payload_class, name in KIND_NAMES.items()}
)
"""The payload classes by kind."""

MAX_SEQ = 2**63 - 1
"""The largest `seq` that databases and messages can represent."""


def validate_event(event: Event, path: str = "") -> None:
    """Check an event and its payload.

    Args:
        event: The event.
        path: Where it comes from, such as `events[0]`; the error names the invalid field relative to it.

    Raises:
        InvalidField: A field has the wrong type or shape.
    """
    _check_fields(event, path)
    validate_payload(event.payload, _join(path, KIND_NAMES.get(type(event.payload), "payload")))


def validate_payload(payload: Payload, path: str | None = None) -> None:
    """Check the payload of an event.

    Args:
        payload: The payload.
        path: What the error puts before the name of the invalid field; by default the kind of the payload.

    Raises:
        InvalidField: A field has the wrong type or shape.
    """
    if type(payload) not in KIND_NAMES:
        raise InvalidField(path or "payload", f"must be an event, and is {describe_value(payload)}")
    _check_fields(payload, KIND_NAMES[type(payload)] if path is None else path)


def validate_session(session: Session) -> None:
    """Check a session; raise InvalidField, which names the invalid field."""
    _check_fields(session, "session")


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


def _check_fields(owner: Event | Payload | Session, path: str) -> None:
    name = ""
    try:
        for name, check in _build_field_checks(type(owner)).items():
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


@cache
def _build_field_checks(owner: type) -> Checks:
    """Return the checks of the fields of a class, in their order; an event's payload is checked for itself."""
    hints = get_type_hints(owner, include_extras=True)
    return {field.name: _build_check(hints[field.name]) for field in fields(owner) if field.name != "payload"}


def _build_check(hint: Any) -> Check:
    """Return the check of a field: the one that its annotation names, else the one that follows from its type."""
    arguments = get_args(hint)
    match get_origin(hint):
        case None:
            return _build_class_check(hint)
        case typing.Annotated:
            return arguments[1]
        case types.UnionType:
            (present,) = (each for each in arguments if each is not types.NoneType)
            return build_optional_check(_build_check(present))
        case abc.Sequence:
            return build_json_check(build_list_check(_build_check(arguments[0])))
        case abc.Mapping:
            return build_json_check(check_object)
        case _:
            raise TypeError(f"no check follows from the type {hint}: name one in an annotation")


def _build_class_check(kind: Any) -> Check:
    if kind is Any:
        return check_json
    if is_dataclass(kind):
        return _build_record_check(cast("type", kind))
    return build_enum_check(kind) if issubclass(kind, Enum) else _CLASS_CHECKS[kind]


def _build_record_check(record: type) -> Check:
    def check(value: object) -> None:
        if not isinstance(value, record):
            raise create_mismatch(f"a {record.__name__}", value)
        for name, check_field in _build_field_checks(record).items():
            try:
                check_field(getattr(value, name))
            except MismatchError as mismatch:
                raise mismatch.prepend(f".{name}") from None

    return check


_CLASS_CHECKS: Mapping[type, Check] = {
    str: check_text,
    bool: check_flag,
    int: build_integer_check(MAX_SEQ),
    float: check_duration,
}
