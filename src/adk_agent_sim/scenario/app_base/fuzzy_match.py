"""How like two names are, from 0 to 100: what of one has to be typed anew to get the other, in several readings.

The readings and their weights are those of the weighted ratio that name searches commonly use (FuzzyWuzzy's `WRatio`),
because agents have come to rely on what it finds: parts of a name, its words in another order, a slip of the finger.
"""

from __future__ import annotations

from collections.abc import Iterable

_TOKEN_WEIGHT = 0.95
"""What a reading by words counts, compared with one by letters."""

_PARTIAL_WEIGHT, _SMALL_PARTIAL_WEIGHT = 0.9, 0.6
"""What it counts that a text is like a part of the other, or like a small part."""

_SIMILAR_LENGTH_RATIO, _MAX_LENGTH_RATIO = 1.5, 8.0


def find_similar_names(name: str, names: Iterable[str], *, min_score: float = 80, max_results: int = 5) -> list[str]:
    """The names that are like one, the likest first; upper and lower case are the same.

    A text many times as long as a name is never like it, however long that takes to find out.
    """
    wanted = name.lower()
    near = (each for each in names if len(wanted) <= _MAX_LENGTH_RATIO * len(each))
    scored = [(score_similarity(wanted, each.lower()), each) for each in near]
    found = sorted((each for each in scored if each[0] >= min_score), key=lambda each: -each[0])
    return [each for _, each in found[:max_results]]


def score_similarity(one: str, other: str) -> float:
    """How like two texts are in the reading in which they are likest."""
    if not one or not other:
        return 0.0
    longer = max(len(one), len(other)) / min(len(one), len(other))
    whole = _score_characters(one, other)
    if longer < _SIMILAR_LENGTH_RATIO:
        return max(whole, _TOKEN_WEIGHT * _score_tokens(one.split(), other.split()))
    part = _PARTIAL_WEIGHT if longer <= _MAX_LENGTH_RATIO else _SMALL_PARTIAL_WEIGHT
    parts = _TOKEN_WEIGHT * _score_partial_tokens(one.split(), other.split())
    return max(whole, part * _score_partial_characters(one, other), part * parts)


def _score_tokens(one: list[str], other: list[str]) -> float:
    """The words in order of the alphabet, or those that both have against all."""
    if not one or not other:
        return 0.0
    return max(
        _score_characters(" ".join(sorted(one)), " ".join(sorted(other))), _score_token_set(set(one), set(other))
    )


def _score_token_set(one: set[str], other: set[str]) -> float:
    common = len(" ".join(one & other))
    left, right = " ".join(sorted(one - other)), " ".join(sorted(other - one))
    if common and not (left and right):
        return 100.0
    gap = 1 if common else 0
    with_left, with_right = common + gap + len(left), common + gap + len(right)
    whole = _edits_to_score(_count_edits(_build_position_masks(left), len(left), right), with_left + with_right)
    if not common:
        return whole
    return max(
        whole,
        _edits_to_score(gap + len(left), common + with_left),
        _edits_to_score(gap + len(right), common + with_right),
    )


def _score_partial_tokens(one: list[str], other: list[str]) -> float:
    if set(one) & set(other):
        return 100.0
    unique = _score_partial_characters(" ".join(sorted(set(one))), " ".join(sorted(set(other))))
    return max(unique, _score_partial_characters(" ".join(sorted(one)), " ".join(sorted(other))))


def _score_partial_characters(one: str, other: str) -> float:
    """The shorter text against every part of the longer one that is no longer than it."""
    short, long = sorted((one, other), key=len)
    if not short:
        return 0.0
    best = _find_best_partial_score(short, long)
    return max(best, _find_best_partial_score(long, short)) if len(short) == len(long) else best


def _find_best_partial_score(short: str, long: str) -> float:
    places, size = _build_position_masks(short), len(short)
    parts = (long[max(0, end - size) : end] for end in range(1, len(long) + size))
    return max(_edits_to_score(_count_edits(places, size, part), size + len(part)) for part in parts)


def _score_characters(one: str, other: str) -> float:
    return _edits_to_score(_count_edits(_build_position_masks(one), len(one), other), len(one) + len(other))


def _edits_to_score(edits: int, length: int) -> float:
    return 100 - 100 * edits / length if length else 100.0


def _build_position_masks(text: str) -> dict[str, int]:
    """Where each letter stands, one bit a place."""
    found: dict[str, int] = {}
    for place, letter in enumerate(text):
        found[letter] = found.get(letter, 0) | 1 << place
    return found


def _count_edits(position_masks: dict[str, int], text_length: int, other: str) -> int:
    """How many letters must be put in or taken out to make one text of another.

    That is all but the longest common subsequence, which Hyyrö's method finds: the places of the first text that are
    not in it yet are the bits of a number, and each letter of the second text takes one out of a run by an addition.
    """
    every = (1 << text_length) - 1
    left = every
    for letter in other:
        met = left & position_masks.get(letter, 0)
        left = ((left + met) | (left - met)) & every
    common = text_length - left.bit_count()
    return text_length + len(other) - 2 * common
