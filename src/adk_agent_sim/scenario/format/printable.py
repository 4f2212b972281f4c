"""Text from a file, made safe to print: control characters would command the terminal."""

from __future__ import annotations


def escape_unprintable(text: str) -> str:
    """The text on one line, each sign that cannot be seen written as Python writes it."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
