"""A mocked response is compared with the real one."""

from __future__ import annotations

from typing import Any

import pytest

from adk_agent_sim.environment.shadow_check import compare_responses, has_same_shape


@pytest.mark.parametrize(
    ("mocked", "real", "shape", "values", "differences"),
    [
        ({"a": 1, "b": [1]}, {"b": [1.0], "a": 1}, 1.0, 1.0, []),
        ({}, {}, 1.0, 1.0, []),
        ({"a": 1, "b": "x"}, {"a": 2, "b": "x"}, 1.0, 0.5, ["a: 1; really 2"]),
        ({"a": 1}, {"a": True}, 1 / 3, 0.0, ["a: 1; really true"]),
        ({"a": 1}, {"a": "1"}, 1 / 3, 0.0, ['a: 1; really "1"']),
        ({"a": 1}, {"a": 1, "b": 2}, 2 / 3, 0.5, ["b: missing; really 2"]),
        ({"a": 1, "c": 2}, {"a": 1}, 2 / 3, 0.5, ["c: 2, which the real tool does not have"]),
        ({"error": "gone"}, {"a": 1}, 0.0, 0.0, ['only the mock failed: {"error":"gone"}']),
        ({"a": 1}, {"error": "gone"}, 0.0, 0.0, ['only the real tool failed: {"error":"gone"}']),
        ({"a": [{"x": 1}]}, {"a": [{"x": 1}, {"x": 2}]}, 1.0, 0.5, ["a.1.x: missing; really 2"]),
    ],
)
def test_shape_and_values_have_scores(mocked: Any, real: Any, shape: float, values: float, differences: Any) -> None:
    drift = compare_responses(mocked, real)

    assert (drift.shape, drift.values, drift.differences) == (pytest.approx(shape), pytest.approx(values), differences)


@pytest.mark.parametrize(
    ("mocked", "real", "is_same"),
    [
        ({"a": 1, "b": []}, {"a": 2.5, "b": [1]}, True),
        ({"a": [{"x": 1}, {"x": 2}]}, {"a": [{"x": 3}]}, True),
        ({"a": [{"x": 1}]}, {"a": [{"y": 1}]}, False),
        ({"a": 1}, {"a": True}, False),
        ({"a": None}, {"a": "x"}, False),
        ("x", "y", True),
    ],
)
def test_a_shape_has_no_values_and_no_lengths(mocked: Any, real: Any, is_same: bool) -> None:
    assert has_same_shape(mocked, real) is is_same
