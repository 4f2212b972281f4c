"""Similarity of names from 0 to 100, as the weighted ratio (`WRatio`) of FuzzyWuzzy and rapidfuzz computes it.

ARE searches people with rapidfuzz. The ratios and weights are the same, so that agents find the same people: by part of
a name, with words in another order, or with a typing error.
"""

from __future__ import annotations

from collections.abc import Iterable

_TOKEN_WEIGHT = 0.95
"""Weight of a comparison by words, relative to one by characters."""

_PARTIAL_WEIGHT, _SMALL_PARTIAL_WEIGHT = 0.9, 0.6
"""Weights of a match with a part of the longer text, and with a small part of it."""

_SIMILAR_LENGTH_RATIO, _MAX_LENGTH_RATIO = 1.5, 8.0


def find_similar_names(name: str, names: Iterable[str], *, min_score: float = 80, max_results: int = 5) -> list[str]:
    """Return the most similar names, best first, ignoring case.

    Names much shorter than the search text are skipped without scoring: they cannot reach the minimum score, and
    scoring a very long text is slow.
    """
    query = name.lower()
    candidates = (each for each in names if len(query) <= _MAX_LENGTH_RATIO * len(each))
    scored = [(score_similarity(query, each.lower()), each) for each in candidates]
    matches = sorted((each for each in scored if each[0] >= min_score), key=lambda each: -each[0])
    return [each for _, each in matches[:max_results]]


def score_similarity(one: str, other: str) -> float:
    """Return the highest of the weighted scores of two texts."""
    if not one or not other:
        return 0.0
    length_ratio = max(len(one), len(other)) / min(len(one), len(other))
    whole = _score_characters(one, other)
    if length_ratio < _SIMILAR_LENGTH_RATIO:
        return max(whole, _TOKEN_WEIGHT * _score_tokens(one.split(), other.split()))
    part = _PARTIAL_WEIGHT if length_ratio <= _MAX_LENGTH_RATIO else _SMALL_PARTIAL_WEIGHT
    parts = _TOKEN_WEIGHT * _score_partial_tokens(one.split(), other.split())
    return max(whole, part * _score_partial_characters(one, other), part * parts)


def _score_tokens(one: list[str], other: list[str]) -> float:
    """Return the better of two scores: of the sorted words, and of the common words against all words."""
    if not one or not other:
        return 0.0
    return max(
        _score_characters(" ".join(sorted(one)), " ".join(sorted(other))), _score_token_set(set(one), set(other))
    )


def _score_token_set(one: set[str], other: set[str]) -> float:
    common = len(" ".join(one & other))
    left, right = " ".join(sorted(one - other)), " ".join(sorted(other - one))
    # One set of words contains the other.
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
    """Return the best score of the shorter text against the substrings of the longer one up to its length."""
    short, long = sorted((one, other), key=len)
    if not short:
        return 0.0
    best = _find_best_partial_score(short, long)
    return max(best, _find_best_partial_score(long, short)) if len(short) == len(long) else best


def _find_best_partial_score(short: str, long: str) -> float:
    masks, size = _build_position_masks(short), len(short)
    parts = (long[max(0, end - size) : end] for end in range(1, len(long) + size))
    return max(_edits_to_score(_count_edits(masks, size, part), size + len(part)) for part in parts)


def _score_characters(one: str, other: str) -> float:
    return _edits_to_score(_count_edits(_build_position_masks(one), len(one), other), len(one) + len(other))


def _edits_to_score(edits: int, length: int) -> float:
    return 100 - 100 * edits / length if length else 100.0


def _build_position_masks(text: str) -> dict[str, int]:
    """Return the positions of each character in a text as a bit mask."""
    masks: dict[str, int] = {}
    for position, character in enumerate(text):
        masks[character] = masks.get(character, 0) | 1 << position
    return masks


def _count_edits(position_masks: dict[str, int], text_length: int, other: str) -> int:
    """Return the number of insertions and deletions that turn one text into the other.

    This is the length of both texts less twice their longest common subsequence, computed with Hyyrö's bit-parallel
    algorithm: a set bit is a position of the first text that is not matched yet, and each character of the second text
    clears one bit of a run by an addition.
    """
    all_bits = (1 << text_length) - 1
    unmatched = all_bits
    for character in other:
        matched = unmatched & position_masks.get(character, 0)
        unmatched = ((unmatched + matched) | (unmatched - matched)) & all_bits
    common = text_length - unmatched.bit_count()
    return text_length + len(other) - 2 * common
