"""JSON values are compared by value, and true is never 1."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from adk_agent_sim.adk.time_travel.run_replay import find_value_difference
from adk_agent_sim.timeline.canonical_json import equals_value, is_same_value


@pytest.mark.parametrize(
    ("left", "right", "is_same", "is_equal"),
    [
        (1, 1, True, True),
        (1, 1.0, False, True),
        (1, True, False, False),
        (0, False, False, False),
        (None, False, False, False),
        ("1", 1, False, False),
        ({"a": [1, {"b": 2}]}, {"a": [1.0, {"b": 2}]}, False, True),
        ({"a": [1, {"b": 1}]}, {"a": [1, {"b": True}]}, False, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True, True),
        ({"a": None}, {}, False, False),
        ([1], [1, 2], False, False),
        (MappingProxyType({"a": 1}), {"a": 1}, True, True),
        (MappingProxyType({"a": 1}), {"a": True}, False, False),
    ],
)
def test_numbers_are_equal_by_value_and_the_same_by_type(left: Any, right: Any, is_same: bool, is_equal: bool) -> None:
    assert (is_same_value(left, right), is_same_value(right, left)) == (is_same, is_same)
    assert (equals_value(left, right), equals_value(right, left)) == (is_equal, is_equal)


def test_a_replay_that_turns_a_number_into_a_truth_value_differs() -> None:
    assert find_value_difference({"a": [{"n": 1}]}, {"a": [{"n": 1.0}]}) == ""
    assert find_value_difference({"a": [{"n": 1}]}, {"a": [{"n": True}]}) == "a[0].n was 1 and is now true"
