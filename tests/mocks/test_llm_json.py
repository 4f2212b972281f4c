"""Answers of models are read strictly, with little work, whatever they contain."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from work_counter import count_lines

from adk_agent_sim.mocks.llm_json import UnusableAnswer, read_answer_object

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=9,
)
_LENGTH = 20_000
_PROSE = st.text(st.characters(exclude_characters='{}[]"', exclude_categories=["Cs"]), max_size=20)


@given(value=st.dictionaries(st.text(max_size=5), _JSON, max_size=3), before=_PROSE, after=_PROSE, fenced=st.booleans())
def test_an_object_is_found_between_prose_and_fences(
    value: dict[str, Any], before: str, after: str, fenced: bool
) -> None:
    text = json.dumps(value, ensure_ascii=False)

    assert read_answer_object(f"{before}```json\n{text}\n```{after}" if fenced else f"{before}{text}{after}") == value


@given(text=st.text(st.sampled_from('{}[]",:\\ \n`a1'), max_size=40))
def test_no_text_gives_anything_but_an_object(text: str) -> None:
    with suppress(UnusableAnswer):
        assert isinstance(read_answer_object(text), dict)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2, ], }', {"a": [1, 2]}),
        ('{"a": "x,}", "b": "\\",]"}', {"a": "x,}", "b": '",]'}),
        ('[1] and {"a": 1}', {"a": 1}),
        ('(see [2}) {"a": 1}', {"a": 1}),
    ],
)
def test_commas_are_removed_outside_of_texts_only_and_lists_are_passed_over(text: str, value: Any) -> None:
    assert read_answer_object(text) == value


@pytest.mark.parametrize(
    "piece", ["[", "{", '{"a":', '"', "[]", "{},", '\\"', "{]", "[1,", "`", '{"a": "'], ids=range(11)
)
def test_a_bomb_costs_work_that_grows_with_its_length_only(piece: str) -> None:
    text = "{" + piece * (_LENGTH // len(piece))

    def read() -> None:
        with pytest.raises(UnusableAnswer):
            read_answer_object(text)

    count_lines(read, 20 * _LENGTH)
