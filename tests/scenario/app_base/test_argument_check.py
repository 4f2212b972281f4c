"""Type checks of arguments."""

from __future__ import annotations

from typing import Any

import pytest

from adk_agent_sim.scenario.app_base.tool_call import check_arguments, matches_type
from adk_agent_sim.scenario.apps.apartments import Apartment, ApartmentListingApp

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


def test_an_object_of_an_app_is_refused_with_the_name_of_its_class() -> None:
    tool = ApartmentListingApp.tools()["update_apartment"]
    name = "adk_agent_sim.scenario.apps.apartments.Apartment"
    with pytest.raises(TypeError, match=f"must be of type <class 'str'>, got <class '{name}'>"):
        check_arguments(tool, {"apartment_id": Apartment(name="Loft"), "new_price": 1.0})
