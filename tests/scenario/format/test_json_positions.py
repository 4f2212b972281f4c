"""Line numbers of values in a JSON text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.scenario.format.lint_finding import (
    JsonPath,
    count_lines,
    find_escaped_offset,
    find_offsets,
    format_path,
)

_KEYS = st.text(min_size=1, max_size=3)
_VALUES = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(_KEYS, inner, min_size=1, max_size=3),
    max_leaves=12,
)


def _note_lines(value: Any, path: JsonPath, line: int, found: dict[JsonPath, int]) -> int:
    """Note the line of every value in the text that json indents, and return the line on which the value ends."""
    found[path] = line
    children: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        children = list(value.items())  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    elif isinstance(value, list):
        children = list(enumerate(value))  # pyright: ignore[reportUnknownArgumentType]
    for place, child in children:
        line = _note_lines(child, (*path, place), line + 1, found)
    return line + 1 if children else line


def _find_lines(text: str, paths: Iterable[JsonPath]) -> dict[JsonPath, int]:
    offsets = find_offsets(text, paths)
    lines = count_lines(text, set(offsets.values()))
    return {path: lines[offset] for path, offset in offsets.items()}


@given(_VALUES)
def test_every_value_is_found_on_its_line(value: Any) -> None:
    expected: dict[JsonPath, int] = {}
    _note_lines(value, (), 1, expected)
    assert _find_lines(json.dumps(value, indent=1), expected) == expected


def test_a_value_that_is_not_there_is_where_the_nearest_one_around_it_is() -> None:
    text = '{\n "a": [\n  1,\n  {"b": 2}\n ]\n}'
    assert _find_lines(text, [("a", 1, "c", 5), ("x",), ("a", 7)]) == {
        ("a", 1, "c", 5): 4,
        ("x",): 1,
        ("a", 7): 2,
    }


def test_a_path_is_written_as_people_write_it() -> None:
    assert format_path(("events", 3, "action", "args", 0)) == "events[3].action.args[0]"
    assert format_path(()) == "the file"


def test_a_position_in_a_text_inside_a_row_is_found_behind_its_escapes() -> None:
    inner = json.dumps({"ü": "\n", "😀": ["x"]}, ensure_ascii=False, indent=1)
    for escapes in (True, False):
        row = json.dumps({"a": "data", "data": inner}, ensure_ascii=escapes)
        offset = inner.index('"x"')
        assert row[find_escaped_offset(row, "data", offset) :].startswith('\\"x')
