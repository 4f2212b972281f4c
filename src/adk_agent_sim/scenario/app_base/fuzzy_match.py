"""Search for similar names, with the scores of rapidfuzz, which ARE uses too: agents find the same people."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process

_MAX_LENGTH_RATIO = 8.0
"""How much longer than a name a search text may be; beyond that no score reaches the minimum."""


def find_similar_names(name: str, names: Iterable[str], *, min_score: float = 80) -> list[str]:
    """Return the similar names, best first, ignoring case and whitespace around the given name."""
    query = name.lower().strip()
    candidates = [each for each in names if len(query) <= _MAX_LENGTH_RATIO * len(each)]
    matches = process.extract(
        query, candidates, scorer=fuzz.WRatio, processor=str.lower, limit=None, score_cutoff=min_score
    )
    return [each for each, _, _ in matches]
