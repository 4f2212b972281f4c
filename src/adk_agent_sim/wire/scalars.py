"""Converts a JSON scalar to a protobuf scalar and back, according to the field's type.

`to_scalar` returns None for a value that the field cannot represent, `from_scalar` for an unknown enum number.
"""

from __future__ import annotations

import base64
import binascii
import struct
from typing import Any, TypeAlias

from google.protobuf.descriptor import FieldDescriptor

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
