"""Search for similar names, with the scores of rapidfuzz, which ARE uses too: agents find the same people."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz

_MAX_LENGTH_RATIO = 8.0
"""How much longer than a name a search text may be; beyond that no score reaches the minimum."""


def find_similar_names(name: str, names: Iterable[str], *, min_score: float = 80, max_results: int = 5) -> list[str]:
    """Return the most similar names, best first, ignoring case."""
    query = name.lower()
    candidates = (each for each in names if len(query) <= _MAX_LENGTH_RATIO * len(each))
    scored = [(fuzz.WRatio(query, each.lower()), each) for each in candidates]
    matches = sorted((each for each in scored if each[0] >= min_score), key=lambda each: -each[0])
    return [each for _, each in matches[:max_results]]
