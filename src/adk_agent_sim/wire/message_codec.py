"""Converts JSON to any message and back, field by field, and to protobuf's `Struct` and `Value`.

The JSON is what `model_dump(mode="json", exclude_none=True)` returns for google.genai types. Values that the message
has no field for, or that the field cannot represent, are left out. Callers that need exact values must compare the
result of the round trip. An unknown enum number is left out too.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import ListValue, NullValue, Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp

from adk_agent_sim.text.surrogates import replace_lone_surrogates

Json: TypeAlias = Any
"""A JSON value."""

_INTEGER_BITS = {FieldDescriptor.CPPTYPE_INT32: 32, FieldDescriptor.CPPTYPE_INT64: 64}
_FLOAT_TYPES = {FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE}


def to_scalar(field: FieldDescriptor, value: Json) -> str | bytes | bool | float | None:
    """Return the value for `field`, or None if the field cannot represent it."""
    match value:
        case bool():
            return value if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL else None
        case int() | float():
            return _to_number(field, value)
        case str():
            return _to_text(field, value)
        case _:
            return None


def from_scalar(field: FieldDescriptor, value: Any) -> Json:
    """Return the JSON value of a field."""
    if field.enum_type is not None:
        named = field.enum_type.values_by_number.get(value)
        return named.name if named else None
    if field.type == FieldDescriptor.TYPE_BYTES:
        return base64.urlsafe_b64encode(value).decode("ascii")
    if field.type == FieldDescriptor.TYPE_FLOAT:
        return round_to_shortest(value)
    return value


def round_to_shortest(single: float) -> float:
    """Return the shortest decimal that is the same number in single precision: 0.7, not 0.699999988."""
    packed = struct.pack("f", single)
    # Six significant digits always survive single precision, and nine always identify a number.
    for digits in range(6, 9):
        candidate = float(f"{single:.{digits}g}")
        if struct.pack("f", candidate) == packed:
            return candidate
    return float(f"{single:.9g}")


def _to_number(field: FieldDescriptor, value: float) -> float | None:
    if field.cpp_type in _FLOAT_TYPES:
        return _to_double(value)
    bits = _INTEGER_BITS.get(field.cpp_type)
    # google.genai has floats for some integers of v1beta, such as top_k.
    if bits is None or value != value // 1 or not -(1 << bits - 1) <= value < 1 << bits - 1:
        return None
    return int(value)


def _to_double(value: float) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None


def _to_text(field: FieldDescriptor, value: str) -> str | bytes | int | None:
    if field.enum_type is not None:
        # Looking up a lone surrogate in protobuf's mapping fails with an error of the interpreter.
        named = field.enum_type.values_by_name.get(replace_lone_surrogates(value))
        return named.number if named else None
    if field.type == FieldDescriptor.TYPE_BYTES:
        return _to_bytes(value)
    return replace_lone_surrogates(value) if field.type == FieldDescriptor.TYPE_STRING else None


def _to_bytes(value: str) -> bytes | None:
    try:
        return base64.urlsafe_b64decode(value)
    except (binascii.Error, ValueError):
        return None


def fill_struct(struct: Struct, value: Mapping[str, Json], max_depth: int) -> None:
    """Write an object, up to `max_depth` levels."""
    for key, inner in value.items():
        fill_value(struct.fields[replace_lone_surrogates(key)], inner, max_depth - 1)


def fill_value(message: Value, value: Json, max_depth: int) -> None:
    """Write any JSON value; a number that does not fit into a double, or a value nested too deeply, becomes null."""
    match value:
        case bool():
            message.bool_value = value
        case int() | float():
            _fill_number(message, value)
        case str():
            message.string_value = replace_lone_surrogates(value)
        case Mapping() if max_depth > 0:
            message.struct_value.SetInParent()
            fill_struct(message.struct_value, cast("Mapping[str, Json]", value), max_depth)
        case list() if max_depth > 0:
            message.list_value.SetInParent()
            for inner in cast("list[Json]", value):
                fill_value(message.list_value.values.add(), inner, max_depth - 1)
        case _:
            message.null_value = NullValue.NULL_VALUE


def from_struct(struct: Struct) -> dict[str, Json]:
    """Return an object with sorted keys, because a Struct does not preserve their order."""
    return {key: from_value(struct.fields[key]) for key in sorted(struct.fields)}


def from_value(message: Value) -> Json:
    """Return the JSON value of a message."""
    kind = message.WhichOneof("kind")
    if kind is None or kind == "null_value":
        return None
    value: object = getattr(message, kind)
    match value:
        case float():
            return _from_number(value)
        case Struct():
            return from_struct(value)
        case ListValue():
            return [from_value(inner) for inner in value.values]
        case _:
            return value


def _fill_number(message: Value, value: float) -> None:
    try:
        message.number_value = value
    except OverflowError:
        message.null_value = NullValue.NULL_VALUE


def _from_number(number: float) -> float:
    """Return a whole number as an int, which it most likely was; but -0.0 cannot have been one."""
    if number.is_integer() and str(number) != "-0.0":
        return int(number)
    return number


_MAX_DEPTH = 30
"""How many levels of JSON are written: protobuf parses 100 levels of messages, and a nested object takes three."""

_WIRE_NAMES = {"citations": "citation_sources"}
_GENAI_NAMES = {wire: genai for genai, wire in _WIRE_NAMES.items()}


def fill_message(message: Message, value: Mapping[str, Json], max_depth: int = _MAX_DEPTH) -> None:
    """Write an object, up to `max_depth` levels, to the fields of the same names."""
    fields = cast("Mapping[str, FieldDescriptor]", message.DESCRIPTOR.fields_by_name)
    for name, inner in value.items():
        # Looking up a lone surrogate in protobuf's mapping fails with an error of the interpreter.
        field = fields.get(replace_lone_surrogates(_WIRE_NAMES.get(name, name)))
        if field is not None and inner is not None:
            _fill_field(message, field, inner, max_depth - 1)


def message_to_json(message: Message) -> dict[str, Json]:
    """Return the fields that are set, ordered by field number."""
    fields = cast("Iterable[tuple[FieldDescriptor, Any]]", message.ListFields())
    values = ((field, _field_to_json(field, value)) for field, value in fields)
    return {_GENAI_NAMES.get(field.name, field.name): value for field, value in values if value is not None}


def _fill_field(message: Message, field: FieldDescriptor, value: Json, max_depth: int) -> None:
    if _is_repeated(field):
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            _fill_map(getattr(message, field.name), value, max_depth)
        elif isinstance(value, list):
            _fill_list(getattr(message, field.name), field, cast("list[Json]", value), max_depth)
    elif field.message_type is not None:
        _fill_nested_message(getattr(message, field.name), value, max_depth)
    else:
        scalar = to_scalar(field, value)
        if scalar is not None:
            setattr(message, field.name, scalar)


def _fill_list(container: Any, field: FieldDescriptor, values: Iterable[Json], max_depth: int) -> None:
    for value in values:
        if field.message_type is not None:
            if isinstance(value, Mapping):
                _fill_nested_message(container.add(), value, max_depth)
        else:
            scalar = to_scalar(field, value)
            if scalar is not None:
                container.append(scalar)


def _fill_map(container: Any, value: Json, max_depth: int) -> None:
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Json]", value).items():
            _fill_nested_message(container[replace_lone_surrogates(key)], inner, max_depth)


def _fill_nested_message(message: Message, value: Json, max_depth: int) -> None:
    match message:
        case Value():
            fill_value(message, value, max_depth)
        case Struct() if isinstance(value, Mapping):
            message.SetInParent()  # so that an empty object is not taken for a missing one
            fill_struct(message, cast("Mapping[str, Json]", value), max_depth)
        case Duration() | Timestamp() if isinstance(value, str):
            _fill_time(message, value)
        case _ if isinstance(value, Mapping) and max_depth > 0:
            message.SetInParent()
            fill_message(message, cast("Mapping[str, Json]", value), max_depth)
        case _:
            pass


def _fill_time(message: Duration | Timestamp, value: str) -> None:
    """Parse a time; google.genai has times as unvalidated strings, so an invalid one is left out."""
    parsed = type(message)()
    try:
        parsed.FromJsonString(value)
    except (ValueError, OverflowError):
        return
    cast("Message", message).CopyFrom(parsed)


def _field_to_json(field: FieldDescriptor, value: Any) -> Json:
    if not _is_repeated(field):
        return _nested_message_to_json(value) if field.message_type is not None else from_scalar(field, value)
    if field.message_type is None:
        return [scalar for item in value if (scalar := from_scalar(field, item)) is not None]
    if field.message_type.GetOptions().map_entry:
        return {key: _nested_message_to_json(value[key]) for key in sorted(value)}
    return [_nested_message_to_json(item) for item in value]


def _nested_message_to_json(message: Message) -> Json:
    match message:
        case Value():
            return from_value(message)
        case Struct():
            return from_struct(message)
        case Duration() | Timestamp():
            return message.ToJsonString()
        case _:
            return message_to_json(message)


def _is_repeated(field: FieldDescriptor) -> bool:
    """Return whether a field is repeated, by its default value: the only indicator that protobuf 5, 6 and 7 share."""
    return field.default_value == []
