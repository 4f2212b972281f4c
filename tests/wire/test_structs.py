from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.struct_pb2 import Struct, Value
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.timeline.canonical_json import encode_json
from adk_agent_sim.wire.message_codec import fill_struct, fill_value, from_struct, from_value

_INTEGERS = st.integers(-(2**53), 2**53)
_FRACTIONS = st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not x.is_integer())
_SCALARS = st.none() | st.booleans() | _INTEGERS | _FRACTIONS | st.just(-0.0) | st.text()
_SORTED = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner).map(lambda found: dict(sorted(found.items()))),
    max_leaves=10,
)


def _write_value(value: object, room: int = 30) -> Value:
    message = Value()
    fill_value(message, value, room)
    return message


@given(_SORTED)
def test_sorted_json_without_whole_floats_comes_back(value: object) -> None:
    assert encode_json(from_value(_write_value(value))) == encode_json(value)


@pytest.mark.parametrize(
    ("value", "expected"), [(5.0, 5), (True, True), (-0.0, -0.0), (10**400, None), ("\ud800", "�")]
)
def test_values_that_a_double_or_utf_8_cannot_represent_are_changed(value: object, expected: object) -> None:
    assert encode_json(from_value(_write_value(value))) == encode_json(expected)


def test_nulls_deep_inside_are_kept() -> None:
    value: dict[str, Any] = {"a": None, "b": [None, {"c": None}]}
    struct = Struct()

    fill_struct(struct, value, 9)

    assert from_struct(struct) == value


def test_values_nested_too_deeply_are_null() -> None:
    assert from_value(_write_value([["b", {"c": 1}]], room=2)) == [["b", None]]
