"""Argument values: text in the file, parsed according to their type."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.scenario.format.call_arguments import (
    ValueDoesNotFit,
    find_placeholder_event,
    fits_annotation,
    format_value,
    get_value_type,
    parse_placeholder,
    parse_value,
)

_PLAIN = st.booleans() | st.integers(-(10**50), 10**50) | st.floats(allow_nan=False, allow_infinity=False) | st.text()


@given(_PLAIN | st.lists(_PLAIN, max_size=3) | st.dictionaries(st.text(), _PLAIN, max_size=3))
@pytest.mark.req("004/arg-value-type")
def test_a_value_is_read_as_it_was_written(value: Any) -> None:
    again = parse_value(format_value(value), get_value_type(value))
    assert (again, type(again)) == (value, type(value))


def test_nothing_is_nothing() -> None:
    assert (format_value(None), get_value_type(None), parse_value(None, None), parse_value(None, "str")) == (
        None,
        None,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("five", "int"),
        ("", "float"),
        ("5.0", "int"),
        ("nan", "float"),
        ("maybe", "bool"),
        ("[", "list"),
        ("[]", "dict"),
    ],
)
def test_a_text_of_another_type_says_what_would_fit(text: str, kind: str) -> None:
    with pytest.raises(ValueDoesNotFit, match=r"is not an? "):
        parse_value(text, kind)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("\u0663\u0664", "int", 34),
        ("1_000", "int", 1000),
        (" -7 ", "int", -7),
        ("1_000.2_5", "float", 1000.25),
        ("\u0663.5e1_0", "float", 3.5e10),
        (".5", "float", 0.5),
    ],
)
def test_a_number_is_read_as_python_and_so_are_reads_it(text: str, kind: str, value: float) -> None:
    parsed = parse_value(text, kind)
    assert (parsed, type(parsed)) == (value, type(value))


@pytest.mark.parametrize("text", ["_1", "1_", "1__0", "1" * 301, "\u00b2"])
def test_a_text_that_is_no_number_is_not_read_as_one(text: str) -> None:
    with pytest.raises(ValueDoesNotFit, match="is not an int"):
        parse_value(text, "int")


def test_a_union_is_read_as_its_first_type() -> None:
    assert parse_value("5", "int | str") == 5
    assert parse_value('["a"]', "list[str] | None") == ["a"]


@pytest.mark.parametrize(
    ("value", "annotation", "does"),
    [
        (None, "str | None", True),
        (None, "str", False),
        (5, "float", True),
        (5.0, "int", False),
        (True, "int", False),
        (True, "bool", True),
        (["a", 1], "list[str]", False),
        (["a"], "list[str] | None", True),
        ([{"a": 1}], "list[dict[str, Any]] | None", True),
        ({"SAVE": 5}, "dict[str, float]", True),
        ({"SAVE": "5"}, "dict[str, float]", False),
        ({}, "dict[str, Any]", True),
        ([], "dict[str, Any]", False),
        ("5", "int | float | None", False),
    ],
)
def test_a_value_fits_its_type_or_does_not(value: Any, annotation: str, does: bool) -> None:
    assert fits_annotation(value, annotation) is does


def test_only_a_whole_value_is_a_placeholder() -> None:
    assert parse_placeholder("{{a.b}}") == "a.b"
    assert parse_placeholder("see {{a}}") is None
    assert parse_placeholder("{{}}") is None
    assert parse_placeholder(None) is None


def test_an_id_with_dots_is_found_in_a_placeholder() -> None:
    assert find_placeholder_event("a.b", {"a"}) == "a"
    assert find_placeholder_event("a.b", {"a", "a.b"}) == "a.b"
    assert find_placeholder_event("x.y.z", {"a"}) == "x"
