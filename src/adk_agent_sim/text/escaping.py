"""Escapes text from models, tools, files, servers and other people, before a terminal or a log shows it.

A terminal interprets control characters (it sets titles, moves the cursor, hides text), and bidirectional controls let
a line read differently from what it says. An escaped character is written as in Python, such as `\\x1b` or `\\u202e`.
"""

from __future__ import annotations

import re

_UNSAFE = (
    r"\x00-\x1f\x7f-\x9f"  # control characters: C0 with ESC and CR, DEL, C1
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # bidirectional and other deprecated formatting controls
    r"\u200b\u2060-\u2065\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"  # invisible; not the joiners of emoji and scripts
    r"\u2028\u2029"  # line breaks
    r"\ud800-\udfff"  # halves of a surrogate pair, which no terminal can show
)
UNSAFE_CHARACTER = re.compile(f"[{_UNSAFE}]")
"""A character that is never shown as it is, except for the line breaks and tabs of a document."""

_UNSAFE_IN_DOCUMENT = re.compile(rf"(?![\n\t])[{_UNSAFE}]")


def escape_line(text: str) -> str:
    """Return a text in one line: line breaks and tabs are escaped too, so that a name cannot break a table row."""
    return UNSAFE_CHARACTER.sub(_escape_character, text)


def escape_document(text: str) -> str:
    """Return a text of several lines; only its line breaks and tabs stay. Windows line ends become line breaks."""
    return _UNSAFE_IN_DOCUMENT.sub(_escape_character, text.replace("\r\n", "\n"))


def escape_message(text: str) -> str:
    """Return a message, with all lines but the first indented, so that no line can be taken for another message."""
    return escape_document(text).replace("\n", "\n  ")


def escape_json(text: str) -> str:
    """Return a JSON text of the same value, with its unsafe characters as JSON escapes."""
    # Outside of strings, JSON has no other unsafe characters than line breaks and tabs.
    return _UNSAFE_IN_DOCUMENT.sub(_escape_json_character, text)


def _escape_character(match: re.Match[str]) -> str:
    return repr(match[0])[1:-1]


def _escape_json_character(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[index : index + 2].hex()}" for index in range(0, len(units), 2))
