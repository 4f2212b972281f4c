"""Searches of texts by agents: similar names, and regular expressions with a time limit."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rapidfuzz import fuzz, process

from adk_agent_sim.forms.bounded_regex import check_syntax, is_match

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


class error(re.error):  # noqa: N801 - agents see this name; Python 3.13 renamed it to PatternError
    """The text is not a valid regular expression."""


class SafeRegex:
    """A case-insensitive regular expression that is matched in bounded time."""

    def __init__(self, pattern: str) -> None:
        """Check the pattern.

        Raises:
            error: It is not a valid regular expression.
            TypeError: It is not a text: an expected action can pass what another event returned.
        """
        if not isinstance(pattern, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            is_container = isinstance(pattern, list | dict)
            unhashable = f"unhashable type: '{type(pattern).__name__}'"
            raise TypeError(unhashable if is_container else "first argument must be string or compiled pattern")
        try:
            check_syntax(pattern)
        except ValueError as invalid:
            raise error(str(invalid)) from None
        self._pattern = f"(?i){pattern}"

    def has_match(self, text: str) -> bool:
        """Return whether a text contains a match. A pattern that would take too long has none."""
        return is_match(self._pattern, text, if_unchecked=False)
