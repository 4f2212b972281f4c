"""Escapes text from models, tools, files and other people for pages of HTML."""

from __future__ import annotations

import re
from html import escape

_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")
"""Characters that are not shown or change the order of others."""


def replace_invisible(text: str) -> str:
    """Return a text with a visible mark in place of each character that is not shown or reorders others."""
    return _INVISIBLE.sub("\N{REPLACEMENT CHARACTER}", text)


def escape_html(text: str) -> str:
    """Return a text for the content or an attribute of an element."""
    return escape(replace_invisible(text))
