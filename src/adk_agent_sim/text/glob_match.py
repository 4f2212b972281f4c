"""Matches names against patterns with the wildcards `*` and `?`, without backtracking.

The time is at most the length of the pattern times the length of the name. A regular expression would try every way to
divide a name among several `*`, which a file of rules could use to stop the process.
"""

from __future__ import annotations

from collections.abc import Iterable


def is_glob(name: str) -> bool:
    """Whether a name contains wildcards."""
    return "*" in name or "?" in name


class GlobSet:
    """Names, some with wildcards: `*` matches any characters, `?` one character."""

    def __init__(self, names: Iterable[str]) -> None:
        """Sort the names into those with and those without wildcards."""
        names = tuple(names)
        self._literals = frozenset(name for name in names if not is_glob(name))
        self._globs = tuple(dict.fromkeys(name for name in names if is_glob(name)))

    def matches(self, name: str) -> bool:
        """Whether a name is matched as a whole by one of the patterns."""
        return name in self._literals or any(match_glob(pattern, name) for pattern in self._globs)


def match_glob(pattern: str, name: str) -> bool:
    """Whether a pattern matches a whole name."""
    place = position = 0
    # Where to continue if the rest does not match: after the last `*`, which then takes one character more. Earlier
    # ones never need to take more, because the last one could take the same characters instead.
    after_star, retry_at = -1, 0
    while position < len(name):
        if place < len(pattern) and pattern[place] == "*":
            place += 1
            after_star, retry_at = place, position
        elif place < len(pattern) and pattern[place] in ("?", name[position]):
            place += 1
            position += 1
        elif after_star >= 0:
            retry_at += 1
            place, position = after_star, retry_at
        else:
            return False
    return not pattern[place:].strip("*")
