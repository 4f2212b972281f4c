"""Finding texts by a regular expression that may be hostile."""

from __future__ import annotations

import re

from adk_agent_sim.forms.bounded_regex import is_match


class error(re.error):  # noqa: N801 - the name that agents have always seen; Python 3.13 has another
    """What was given is no regular expression."""


class SafeRegex:
    """A regular expression, looked for in upper and lower case, in bounded time."""

    def __init__(self, pattern: str) -> None:
        """Read the expression.

        Raises:
            error: It is none.
        """
        try:
            re.compile(pattern, re.IGNORECASE)
        except re.error as unreadable:
            raise error(str(unreadable)) from None
        self._pattern = f"(?i){pattern}"

    def has_match(self, text: str) -> bool:
        """Whether a text has a match; an expression that would take too long has none."""
        return is_match(self._pattern, text, if_unchecked=False)
