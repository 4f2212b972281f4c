"""Compares JSON values.

Python's `==` is not enough: it takes true for 1, so a response that changed its type would look unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from adk_agent_sim.timeline.canonical_json import Json


def is_same_value(left: Json, right: Json) -> bool:
    """Whether two values and their types are equal: 1 is neither 1.0 nor True. The order of keys does not matter."""
    if left.__class__ is not right.__class__:
        return _are_mappings(left, right) and is_same_value(dict(left), dict(right))
    if isinstance(left, dict):
        mapping, other = cast("dict[str, Json]", left), cast("dict[str, Json]", right)
        return mapping.keys() == other.keys() and all(
            is_same_value(value, other[key]) for key, value in mapping.items()
        )
    if isinstance(left, list):
        values, others = cast("list[Json]", left), cast("list[Json]", right)
        return len(values) == len(others) and all(map(is_same_value, values, others))
    return left == right


def equals_value(value: Json, expected: Json) -> bool:
    """Whether a value is what a condition expects: numbers by their value, so 50 is 50.0, but true is not 1.

    JSON has one type of number; whether a model's 50 arrives as 50 or 50.0 depends on the library that parsed it.
    """
    if value.__class__ is not expected.__class__:
        if is_number(value) and is_number(expected):
            return value == expected
        return _are_mappings(value, expected) and equals_value(dict(value), dict(expected))
    if isinstance(value, dict):
        mapping, other = cast("dict[str, Json]", value), cast("dict[str, Json]", expected)
        return mapping.keys() == other.keys() and all(equals_value(inner, other[key]) for key, inner in mapping.items())
    if isinstance(value, list):
        values, others = cast("list[Json]", value), cast("list[Json]", expected)
        return len(values) == len(others) and all(map(equals_value, values, others))
    return value == expected


def is_number(value: Json) -> bool:
    """Whether a value is a number; true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_mappings(left: Json, right: Json) -> bool:
    return isinstance(left, Mapping) and isinstance(right, Mapping)
