"""How like names are, against the library by which ARE finds them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenario_corpus import lines

from adk_agent_sim.scenario.apps.likeness import alike, likeness

_TEXTS = st.text("ab ü", max_size=12)


@pytest.mark.parametrize(("one", "other", "score"), lines("likeness.jsonl"))
def test_texts_are_as_like_as_the_library_finds(one: str, other: str, score: float) -> None:
    assert likeness(one, other) == pytest.approx(score, abs=1e-6)


@given(_TEXTS, _TEXTS)
def test_likeness_goes_both_ways_from_0_to_100(one: str, other: str) -> None:
    assert 0 <= likeness(one, other) <= 100
    assert likeness(one, other) == pytest.approx(likeness(other, one))
    assert likeness(one, one) == (100 if one else 0)


def test_the_likest_come_first_and_five_at_most() -> None:
    names = ["Ada Lund", "Adam Lund", "Bo Berg", *(f"Ada L{letter}" for letter in "abcdef")]
    assert alike("ADA LUND", names)[:2] == ["Ada Lund", "Adam Lund"]
    assert len(alike("ada", names)) == 5
    assert alike("", names) == alike("Zz", names) == alike("ada " * 100_000, names) == []
