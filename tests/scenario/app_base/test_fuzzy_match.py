"""The search for similar names, compared with what ARE finds."""

from __future__ import annotations

import pytest
from rapidfuzz import fuzz
from scenario_corpus import load_lines

from adk_agent_sim.scenario.apps.messaging_base import find_similar_names


@pytest.mark.parametrize(("one", "other", "score"), load_lines("likeness.jsonl"))
def test_scores_are_those_that_are_recorded(one: str, other: str, score: float) -> None:
    assert fuzz.WRatio(one, other) == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("query", ["ada\tlund", " ada  lund", "lund ada"])
def test_white_space_and_the_order_of_words_are_ignored(query: str) -> None:
    assert find_similar_names(query, ["Bo Berg", "Ada Lund"]) == ["Ada Lund"]


def test_all_similar_names_are_found_and_the_most_similar_come_first() -> None:
    names = ["Ada Lund", "Adam Lund", "Bo Berg", *(f"Ada L{letter}" for letter in "abcdef")]
    assert find_similar_names("ADA LUND", names)[:2] == ["Ada Lund", "Adam Lund"]
    assert len(find_similar_names("ada", names)) == 8
    assert (
        find_similar_names("", names)
        == find_similar_names("Zz", names)
        == find_similar_names("ada " * 100_000, names)
        == []
    )


def test_a_name_that_is_eight_times_as_long_is_not_similar() -> None:
    assert find_similar_names("a", ["Ada Gray", "Ada Lee", "Ada Lovelace"]) == ["Ada Lee"]
    assert find_similar_names("ada gray", ["A"]) == []
