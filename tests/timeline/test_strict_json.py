"""JSON from files and browsers: read without loss, or rejected with a reason and a line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.timeline.strict_json import (
    MAX_DEPTH,
    InvalidJson,
    decode_text,
    dump_json,
    is_too_deep,
    parse_json,
    parse_json_object,
)

_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**250), 10**250)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def _nest(levels: int) -> str:
    return "[" * levels + "]" * levels


@given(_VALUES, st.sampled_from([None, 2]), st.booleans())
def test_what_is_dumped_is_parsed_as_the_same_value(value: Any, indent: int | None, ensure_ascii: bool) -> None:
    text = dump_json(value, indent, ensure_ascii=ensure_ascii)

    assert repr(parse_json(text)) == repr(value)
    assert not ensure_ascii or text.isascii()


def test_numbers_keep_their_types() -> None:
    assert (
        repr(parse_json("[5, 5.0, -0.0, 1e2, 12345678901234567890]")) == "[5, 5.0, -0.0, 100.0, 12345678901234567890]"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("NaN", "NaN is not a JSON number"),
        ("[-Infinity]", "-Infinity is not a JSON number"),
        ("1e999", "the number 1e999 is too large"),
        ("9" * 301, f"the number {'9' * 40}... is too large"),
        ('{"a": 1, "a": 1}', "an object has the key 'a' twice, and only one could be kept"),
        (_nest(100_000), "it is nested too deeply to be read"),
        ("", "it is not JSON: Expecting value"),
    ],
)
def test_what_is_not_plain_json_is_rejected_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidJson) as raised:
        parse_json(text)

    assert (raised.value.reason, str(raised.value)) == (reason, reason)


def test_a_syntax_error_names_its_line_and_column() -> None:
    with pytest.raises(InvalidJson) as raised:
        parse_json('{\n  "a": }')

    assert (raised.value.line, raised.value.column) == (2, 8)


def test_bytes_that_are_not_utf8_name_their_line() -> None:
    with pytest.raises(InvalidJson, match="it is not UTF-8 text") as raised:
        parse_json(b'{\n"a": "\xff"}')

    assert raised.value.line == 2


@pytest.mark.parametrize("text", ["\ufeff[1]", b"\xef\xbb\xbf[1]", b"[1]", "[1]"])
def test_a_byte_order_mark_is_ignored(text: str | bytes) -> None:
    assert (parse_json(text), decode_text(text)) == ([1], "[1]")


def test_of_equal_keys_the_last_wins_where_that_is_allowed() -> None:
    assert parse_json('{"a": 1, "a": 2}', allow_duplicate_keys=True) == {"a": 2}


@pytest.mark.parametrize("levels", [3, 4, 100_000])
def test_the_depth_can_be_limited(levels: int) -> None:
    if levels == 3:
        assert parse_json(_nest(levels), max_depth=3) == [[[]]]
    else:
        with pytest.raises(InvalidJson, match="it has more than 3 levels"):
            parse_json(_nest(levels), max_depth=3)


def test_depth_is_counted_without_recursion() -> None:
    deepest: list[Any] = []
    for _ in range(100_000):
        deepest = [deepest]

    assert is_too_deep(deepest)
    assert is_too_deep(json.loads(_nest(MAX_DEPTH + 1)))
    assert not is_too_deep(json.loads(_nest(MAX_DEPTH)))
    assert is_too_deep({"a": {"b": 1}}, max_depth=2)
    while deepest:  # freeing it level by level: Python's deallocator would recurse
        deepest = deepest.pop()


def test_an_object_is_required_where_one_is_expected() -> None:
    assert parse_json_object('{"a": 1}') == {"a": 1}
    with pytest.raises(InvalidJson, match="it must be a JSON object"):
        parse_json_object("[1]")


def test_numbers_that_json_lacks_are_dumped_as_strings() -> None:
    value = {"a": [float("nan"), {"b": float("-inf")}], "c": 1.5, "\u00e9": None}

    assert dump_json(value) == '{"a": ["nan", {"b": "-inf"}], "c": 1.5, "\u00e9": null}'
    assert dump_json(value, ensure_ascii=True).endswith('"\\u00e9": null}')
