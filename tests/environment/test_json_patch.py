"""JSON Patch by RFC 6902, and replacing values by path."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from adk_agent_sim.environment.json_values import (
    PatchNotApplicable,
    PatchOperation,
    apply_patch,
    copy_value,
    get_at_path,
    parse_path,
    replace_at,
)
from adk_agent_sim.timeline.json_equality import is_same_value


def _build_operations(*operations: dict[str, Any]) -> list[PatchOperation]:
    return [PatchOperation.model_validate(each) for each in operations]


@pytest.mark.parametrize(
    ("value", "operation", "result"),
    [
        ({"a": 1}, {"op": "add", "path": "/b", "value": 2}, {"a": 1, "b": 2}),
        ({"a": [1, 3]}, {"op": "add", "path": "/a/1", "value": 2}, {"a": [1, 2, 3]}),
        ({"a": [1]}, {"op": "add", "path": "/a/-", "value": 2}, {"a": [1, 2]}),
        ({"a": 1}, {"op": "add", "path": "", "value": [1]}, [1]),
        ({"a": 1, "b": 2}, {"op": "remove", "path": "/a"}, {"b": 2}),
        ({"a": [1, 2]}, {"op": "remove", "path": "/a/0"}, {"a": [2]}),
        ({"a": 1}, {"op": "replace", "path": "/a", "value": None}, {"a": None}),
        ({"a": {"b": 1}, "c": {}}, {"op": "move", "from": "/a/b", "path": "/c/d"}, {"a": {}, "c": {"d": 1}}),
        ({"a": [1]}, {"op": "copy", "from": "/a", "path": "/b"}, {"a": [1], "b": [1]}),
        ({"a/b": {"~": 1}}, {"op": "replace", "path": "/a~1b/~0", "value": 2}, {"a/b": {"~": 2}}),
        ({"a": 1}, {"op": "test", "path": "/a", "value": 1}, {"a": 1}),
        ({"": 1}, {"op": "remove", "path": "/"}, {}),
    ],
)
def test_each_operation_does_what_the_standard_says(value: Any, operation: dict[str, Any], result: Any) -> None:
    before = copy_value(value)

    assert is_same_value(apply_patch(value, _build_operations(operation)), result)
    assert value == before


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "remove", "path": "/gone"},
        {"op": "replace", "path": "/gone", "value": 1},
        {"op": "add", "path": "/gone/deeper", "value": 1},
        {"op": "add", "path": "/a/3", "value": 1},
        {"op": "add", "path": "/a/01", "value": 1},
        {"op": "add", "path": "/text/x", "value": 1},
        {"op": "test", "path": "/n", "value": True},
        {"op": "move", "from": "/a", "path": "/a/0"},
        {"op": "copy", "from": "/gone", "path": "/b"},
        {"op": "remove", "path": ""},
    ],
)
def test_an_operation_that_does_not_apply_is_refused(operation: dict[str, Any]) -> None:
    with pytest.raises(PatchNotApplicable):
        apply_patch({"a": [1], "text": "t", "n": 1}, _build_operations(operation))


@pytest.mark.parametrize(
    "fields",
    [
        {"op": "add", "path": "/a"},
        {"op": "remove", "path": "/a", "value": 1},
        {"op": "move", "path": "/a"},
        {"op": "add", "path": "/a", "value": 1, "from": "/b"},
        {"op": "merge", "path": "/a"},
        {"op": "remove", "path": "a"},
    ],
)
def test_an_incomplete_operation_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PatchOperation.model_validate(fields)


_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab/~0", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(value=_JSON, new=_JSON)
def test_what_is_added_to_an_object_is_found_there_and_removing_it_takes_it_back(value: Any, new: Any) -> None:
    container = {"held": value}

    added = apply_patch(container, _build_operations({"op": "add", "path": "/new", "value": new}))

    assert is_same_value(get_at_path(added, parse_path("new")), new)
    assert is_same_value(apply_patch(added, _build_operations({"op": "remove", "path": "/new"})), container)
    assert is_same_value(get_at_path(replace_at(container, ("held",), new), ("held",)), new)
    assert is_same_value(copy_value(value), value)
