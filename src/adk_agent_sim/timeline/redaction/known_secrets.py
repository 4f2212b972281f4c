"""Finds values that are known to be secret in texts, in the encodings in which they may occur, in linear time.

    prefilter (one character class per position) --> first six characters in a table --> walk a tree of the values

A walk that fails has read at most `_PARTIAL` characters; a longer agreement is masked although the end differs, because
the beginning of a long secret is one too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from urllib.parse import quote, quote_plus

MIN_LENGTH = 6
"""Shorter values would match parts of ordinary words."""

_PARTIAL = 64
_MAX_TREE_LENGTH = 1_024
_WHOLE_WORD_LENGTH = 12


@dataclass(slots=True)
class _Node:
    children: dict[str, _Node] = field(default_factory=dict[str, "_Node"])
    is_end: bool = False
    is_whole_word: bool = False
    rest: str = ""
    """What follows, if the value is longer than the tree is deep."""


class KnownSecrets:
    """A set of values, and the search for them."""

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._heads: dict[str, _Node] = {}
        self._prefilter: re.Pattern[str] | None = None

    def __len__(self) -> int:
        return len(self._values)

    def add(self, secret: str) -> None:
        """Add a value; short ones are ignored."""
        secret = secret.strip()
        if len(secret) < MIN_LENGTH or secret in self._values:
            return
        self._values.add(secret)
        self._prefilter = None
        # A word of letters only is masked as a whole word, not inside of longer words.
        is_whole_word = secret.isalpha() and len(secret) < _WHOLE_WORD_LENGTH
        for form in set(_iter_encodings(secret)):
            self._insert(form, is_whole_word=is_whole_word)

    def find_spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where values start and end in a text."""
        if not self._heads:
            return
        if self._prefilter is None:
            self._prefilter = _compile_prefilter(self._heads)
        position = 0
        while match := self._prefilter.search(text, position):
            start = match.start()
            head = self._heads.get(text[start : start + MIN_LENGTH])
            end = _walk(text, start, head) if head else None
            if end is not None:
                yield start, end
            position = end if end is not None else start + 1

    def _insert(self, form: str, *, is_whole_word: bool) -> None:
        node = self._heads.setdefault(form[:MIN_LENGTH], _Node())
        for char in form[MIN_LENGTH:_MAX_TREE_LENGTH]:
            node = node.children.setdefault(char, _Node())
        node.is_end = True
        node.is_whole_word = is_whole_word
        # Values that agree for the whole depth of the tree share a node; only the longest rest is compared.
        node.rest = max(node.rest, form[_MAX_TREE_LENGTH:], key=len)


def _compile_prefilter(heads: dict[str, _Node]) -> re.Pattern[str]:
    places = zip(*heads, strict=True)
    return re.compile("".join(f"[{''.join(map(re.escape, sorted(set(place))))}]" for place in places))


def _walk(text: str, start: int, node: _Node) -> int | None:
    """Return the end of the longest value that begins at `start`; None if there is none."""
    position, found = start + MIN_LENGTH, None
    while True:
        if node.is_end and not (node.is_whole_word and _is_inside_word(text, start, position)):
            found = _extend(text, position, node.rest)
        child = node.children.get(text[position]) if position < len(text) else None
        if child is None:
            break
        node, position = child, position + 1
    if position - start >= _PARTIAL:
        return max(found or 0, position)
    return found


def _extend(text: str, position: int, rest: str) -> int:
    for char in rest:
        if position >= len(text) or text[position] != char:
            break
        position += 1
    return position


def _is_inside_word(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()


def _iter_encodings(secret: str) -> Iterator[str]:
    """Yield the encodings in which a secret may occur: plain, in a URL, in HTML, and JSON-escaped up to three times."""
    yield from (secret, quote(secret, errors="replace"), quote(secret, safe="", errors="replace"))
    yield from (quote_plus(secret, errors="replace"), repr(secret)[1:-1], escape(secret))
    for ascii_only in (True, False):
        escaped = secret
        for _ in range(3):
            escaped = json.dumps(escaped, ensure_ascii=ascii_only)[1:-1]
            yield escaped
