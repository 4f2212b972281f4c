"""Tool calls as a person types them."""

from __future__ import annotations

from typing import Any

import pytest

from adk_agent_sim.cli.play.terminal_text import parse_calls
from adk_agent_sim.errors import InvalidCallSyntax

_SCHEMAS = {"search": {"properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}}


_PARSED_LINES: list[tuple[str, list[tuple[str, dict[str, Any]]]]] = [
    ("ping", [("ping", {})]),
    ("search query=5 limit=5", [("search", {"query": "5", "limit": 5})]),
    ("search query='two words' limit=five", [("search", {"query": "two words", "limit": "five"})]),
    ('search {"query": "x", "deep": [1, 2.5, null]}', [("search", {"query": "x", "deep": [1, 2.5, None]})]),
    ("other list=[1,2] flag=true none=null", [("other", {"list": [1, 2], "flag": True, "none": None})]),
    ("search query=a=b", [("search", {"query": "a=b"})]),
    ('order o={"items": [{"sku": "a b"}]} n=1', [("order", {"o": {"items": [{"sku": "a b"}]}, "n": 1})]),
    ('search query="two words"', [("search", {"query": "two words"})]),
    ('[["a", {"x": 1}], ["b", {}]]', [("a", {"x": 1}), ("b", {})]),
    ("other a=NaN b=1e999", [("other", {"a": "NaN", "b": "1e999"})]),
]


@pytest.mark.parametrize(("line", "calls"), _PARSED_LINES)
def test_a_line_is_read_as_it_is_meant(line: str, calls: list[tuple[str, dict[str, object]]]) -> None:
    assert parse_calls(line, _SCHEMAS) == calls


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("search x", "'x' is not an argument: write name=value"),
        ('search query="open', "is not JSON"),
        ("The answer is 4", "There is no tool 'The' here. To send this text as the answer, write: say The answer is 4"),
        ('search {"query": ', "not a JSON object"),
        ("search {1}", "not a JSON object"),
        ("[1, 2]", "Write several calls as a JSON list"),
        ('[["a"]]', "Write several calls as a JSON list"),
        ('[["a", {"x": NaN}]]', "NaN is not a JSON number"),
        ('search {"limit": 1, "limit": 2}', "the key 'limit' twice"),
        ('search {"limit": 1e999}', "the number 1e999 is too large"),
        ('other o={"a": 1, "a": 2}', "the key 'a' twice"),
        ("other o=[Infinity]", "Infinity is not a JSON number"),
        ("other o=" + "[" * 100_000, "nested too deeply|more than 100 levels"),
        ("[" * 100_000, "nested too deeply|more than 100 levels"),
    ],
)
def test_a_line_that_cannot_be_read_says_how_to_write_it(line: str, message: str) -> None:
    with pytest.raises(InvalidCallSyntax, match=message):
        parse_calls(line, _SCHEMAS)
