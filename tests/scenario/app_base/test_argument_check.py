"""Type checks of arguments."""

from __future__ import annotations

from typing import Any

import pytest

from adk_agent_sim.scenario.app_base.argument_check import matches_type

_FITTING: list[tuple[Any, str]] = [
    ("a", "str"),
    (True, "int"),
    (None, "str | None"),
    (["a"], "list[str] | None"),
    ({"a"}, "list[str]"),
    ({"a": 1.5}, "dict[str, float]"),
    ({"a": None}, "dict[str, int | None]"),
    ([{"a": [1]}], "list[dict[str, list[int]]]"),
    (3, "int | float | None"),
    (object(), "Any"),
    (3, "Decimal"),
    ("x", "Optional[int]"),
]

_UNFIT: list[tuple[Any, str]] = [
    (1, "str"),
    (1, "float"),
    (None, "str"),
    ("ab", "list[str]"),
    ([1], "list[str]"),
    ({"a": 1}, "dict[str, float]"),
    ({1: 1.5}, "dict[str, float]"),
    ({"a": "b"}, "dict[str, int | None]"),
    ([{"a": ["b"]}], "list[dict[str, list[int]]]"),
    ("3", "int | float | None"),
]


@pytest.mark.parametrize(("value", "annotation"), _FITTING)
def test_a_value_of_the_type_fits(value: Any, annotation: str) -> None:
    assert matches_type(value, annotation)


@pytest.mark.parametrize(("value", "annotation"), _UNFIT)
def test_a_value_of_another_type_does_not(value: Any, annotation: str) -> None:
    assert not matches_type(value, annotation)
