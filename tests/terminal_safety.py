"""Texts that attack a terminal, and the check that none of their characters reaches it."""

from __future__ import annotations

from unicodedata import bidirectional, category

ATTACKS = {
    "a title (OSC)": "\x1b]0;owned\x07",
    "a link (OSC 8)": "\x1b]8;;http://evil.test\x1b\\here\x1b]8;;\x1b\\",
    "the clipboard (OSC 52)": "\x1b]52;c;ZXZpbA==\x07",
    "a cleared screen (CSI)": "\x1b[2J\x1b[H",
    "C1 controls": "\x9b31m\x9d0;owned\x9c\x85",
    "carriage return": "real\rfake",
    "backspaces and bell": "real\b\b\b\bfake\x07\x7f",
    "bidirectional override": "\u202egnp.exe\u202c \u2066isolate\u2069 \u200f\u061c",
    "line separators": "a\u2028b\u2029c",
    "half a surrogate pair": "a\ud83d b",
}
HOSTILE = "|".join(ATTACKS.values())
"""All attacks in one text, without a line break."""

_BIDIRECTIONAL_CONTROLS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def find_unsafe_characters(text: str, allowed: str = "\n\t") -> set[str]:
    """Return the characters that a terminal would interpret, by Unicode's own tables and not by the product's."""
    return {
        character
        for character in set(text) - set(allowed)
        if category(character) in {"Cc", "Cs", "Zl", "Zp"}
        or bidirectional(character) in _BIDIRECTIONAL_CONTROLS
        or character in "\u200e\u200f\u061c"
    }
