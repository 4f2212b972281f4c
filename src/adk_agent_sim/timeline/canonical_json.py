"""JSON values: their canonical text, as it is written to blocks and messages, and whether two of them are equal.

Key order and number types are preserved: decoding returns the encoded value, and distinguishes 5, 5.0 and True.
Python's `==` takes true for 1, so a response that changed its type would look unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

Json = Any
"""A JSON value: None, bool, int, float, str, list, or dict with string keys."""


_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))  # json.dumps would create one per call


def encode_json(value: Json) -> bytes:
    """Return the canonical text of a JSON value, in ASCII."""
    return _ENCODER.encode(value).encode("ascii")


def decode_json(text: bytes) -> Json:
    """Parse a canonical text."""
    return json.loads(text)


def normalize_value(value: Json) -> Json:
    """Return the value that stands for all that differ only in the order of keys, or in how a number is written."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Json]", value)
        return {key: normalize_value(mapping[key]) for key in sorted(mapping)}
    if isinstance(value, list):
        return [normalize_value(inner) for inner in cast("list[Json]", value)]
    return value


def is_same_value(left: Json, right: Json) -> bool:
    """Whether two values and their types are equal: 1 is neither 1.0 nor True. The order of keys does not matter."""
    return _are_equal(left, right, is_exact=True)


def equals_value(value: Json, expected: Json) -> bool:
    """Whether a value is what a condition expects: numbers by their value, so 50 is 50.0, but true is not 1.

    JSON has one type of number; whether a model's 50 arrives as 50 or 50.0 depends on the library that parsed it.
    """
    return _are_equal(value, expected, is_exact=False)


def _are_equal(left: Json, right: Json, *, is_exact: bool) -> bool:
    if left.__class__ is not right.__class__:
        if not is_exact and is_number(left) and is_number(right):
            return left == right
        are_mappings = isinstance(left, Mapping) and isinstance(right, Mapping)
        return are_mappings and _are_equal({**left}, {**right}, is_exact=is_exact)
    if isinstance(left, dict):
        mapping, other = cast("dict[str, Json]", left), cast("dict[str, Json]", right)
        return mapping.keys() == other.keys() and all(
            _are_equal(value, other[key], is_exact=is_exact) for key, value in mapping.items()
        )
    if isinstance(left, list):
        values, others = cast("list[Json]", left), cast("list[Json]", right)
        return len(values) == len(others) and all(
            _are_equal(value, other, is_exact=is_exact) for value, other in zip(values, others, strict=True)
        )
    return left == right


def is_number(value: Json) -> bool:
    """Whether a value is a number; true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)
