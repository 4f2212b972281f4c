"""Escaping of text from files for terminals, which would interpret control characters."""

from __future__ import annotations


def escape_unprintable(text: str) -> str:
    """Return the text on one line, with unprintable characters as Python escapes."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
