"""Escaping of text from files for terminals, which would interpret control characters."""

from __future__ import annotations


def escape_unprintable(text: str) -> str:
    """Return the text on one line, with unprintable characters as Python escapes."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
