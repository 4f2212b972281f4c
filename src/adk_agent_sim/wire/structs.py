"""Converts JSON to protobuf's `Struct` and `Value` and back: numbers are doubles, and keys have no order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from google.protobuf.struct_pb2 import ListValue, NullValue, Struct, Value

from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.wire.scalars import Json


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
