"""Recognizes operators of conditions that are written wrongly, such as `regexp` or `greaterThan`."""

from __future__ import annotations

from collections.abc import Collection, Mapping

OPERATOR_SYNONYMS: Mapping[str, str] = {
    "above": "min",
    "absent": "present",
    "atleast": "min",
    "atmost": "max",
    "below": "max",
    "choices": "any_of",
    "doesnotmatch": "not",
    "enum": "any_of",
    "eq": "equals",
    "equalto": "equals",
    "exists": "present",
    "greaterthan": "min",
    "gt": "min",
    "gte": "min",
    "in": "any_of",
    "includes": "contains",
    "is": "equals",
    "isin": "any_of",
    "lessthan": "max",
    "like": "regex",
    "lt": "max",
    "lte": "max",
    "match": "regex",
    "matches": "regex",
    "maximum": "max",
    "minimum": "min",
    "ne": "not",
    "neq": "not",
    "notequals": "not",
    "oneof": "any_of",
    "pattern": "regex",
    "re": "regex",
    "regexp": "regex",
    "regularexpression": "regex",
    "required": "present",
}
"""Operators of other tools, in lower case and without separators, with the one that is meant."""

_MIN_TYPO_LENGTH = 5
"""A shorter operator is too close to ordinary words: `note` is not a mistyped `not`."""


def find_intended_operators(keys: Collection[str], operators: Collection[str]) -> dict[str, str] | None:
    """Return the operator that each key probably means; None if a key does not look like an operator."""
    intended: dict[str, str] = {}
    for key in keys:
        operator = _find_intended_operator(str(key), operators)
        if operator is None:
            return None
        intended[key] = operator
    return intended or None


def _find_intended_operator(key: str, operators: Collection[str]) -> str | None:
    word = _normalize(key)
    by_word = {_normalize(operator): operator for operator in operators}
    if word in by_word:
        return by_word[word]
    if (synonym := OPERATOR_SYNONYMS.get(word)) in operators:
        return synonym
    for known, operator in by_word.items():
        if len(known) >= _MIN_TYPO_LENGTH and _is_one_edit(word, known):
            return operator
    return None


def _normalize(word: str) -> str:
    return word.lower().replace("_", "").replace("-", "").replace(" ", "").lstrip("$")


def _is_one_edit(left: str, right: str) -> bool:
    """Whether two words differ by one letter that is added, missing, changed or swapped with its neighbour."""
    shorter, longer = sorted((left, right), key=len)
    start = next((n for n, (one, other) in enumerate(zip(shorter, longer, strict=False)) if one != other), len(shorter))
    rest, other_rest = shorter[start:], longer[start:]
    if len(shorter) < len(longer):
        return rest == other_rest[1:]
    is_swapped = rest[:2] == other_rest[1::-1] and rest[2:] == other_rest[2:]
    return rest[1:] == other_rest[1:] or is_swapped
