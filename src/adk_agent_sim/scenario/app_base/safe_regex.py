"""Case-insensitive regular expressions with a time limit, for patterns written by a model."""

from __future__ import annotations

import re

from adk_agent_sim.forms.bounded_regex import check_syntax, is_match


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
