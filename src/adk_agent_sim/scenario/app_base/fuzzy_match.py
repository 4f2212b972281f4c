"""Search for similar names, with the scores of rapidfuzz, which ARE uses too: agents find the same people."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process

_MAX_LENGTH_RATIO = 8.0
"""How many times longer one text must be than the other to find nothing.

From there on, rapidfuzz 3.12, which ARE pins, scores at most 60. Later releases score up to 90 at exactly this ratio,
so that a single letter would find names of eight letters.
"""


_MIN_SCORE = 80
"""The score that ARE asks for."""


def find_similar_names(name: str, names: Iterable[str]) -> list[str]:
    """Return the similar names, best first, ignoring case and whitespace around the given name."""
    query = name.lower().strip()
    candidates = [each for each in names if _is_comparable(query, each.lower())]
    # pyrefly: ignore[no-matching-overload] - it cannot solve the type parameters of scorer and processor
    matches = process.extract(
        query, candidates, scorer=fuzz.WRatio, processor=str.lower, limit=None, score_cutoff=_MIN_SCORE
    )
    return [each for each, _, _ in matches]


def _is_comparable(one: str, other: str) -> bool:
    return max(len(one), len(other)) < _MAX_LENGTH_RATIO * min(len(one), len(other))
