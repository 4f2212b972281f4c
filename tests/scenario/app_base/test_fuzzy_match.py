"""Similarity scores of names, compared with the library that ARE uses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenario_corpus import load_lines

from adk_agent_sim.scenario.app_base.fuzzy_match import find_similar_names, score_similarity

_TEXTS = st.text("ab ü", max_size=12)


@pytest.mark.parametrize(("one", "other", "score"), load_lines("likeness.jsonl"))
def test_scores_are_those_of_the_library(one: str, other: str, score: float) -> None:
    assert score_similarity(one, other) == pytest.approx(score, abs=1e-6)


@given(_TEXTS, _TEXTS)
def test_the_score_is_symmetric_and_from_0_to_100(one: str, other: str) -> None:
    assert 0 <= score_similarity(one, other) <= 100
    assert score_similarity(one, other) == pytest.approx(score_similarity(other, one))
    assert score_similarity(one, one) == (100 if one else 0)


def test_the_most_similar_names_come_first_and_five_at_most() -> None:
    names = ["Ada Lund", "Adam Lund", "Bo Berg", *(f"Ada L{letter}" for letter in "abcdef")]
    assert find_similar_names("ADA LUND", names)[:2] == ["Ada Lund", "Adam Lund"]
    assert len(find_similar_names("ada", names)) == 5
    assert (
        find_similar_names("", names)
        == find_similar_names("Zz", names)
        == find_similar_names("ada " * 100_000, names)
        == []
    )
