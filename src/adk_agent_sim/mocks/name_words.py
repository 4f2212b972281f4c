"""Splits the names of tools and fields into words, and converts nouns between singular and plural."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_IRREGULAR = {"people": "person", "children": "child", "indices": "index", "analyses": "analysis"}
_IRREGULAR_PLURALS = {singular: plural for plural, singular in _IRREGULAR.items()}
_UNCHANGED = frozenset(
    {"status", "address", "news", "series", "business", "access", "process", "weather", "sms", "gps"}
)


@lru_cache(maxsize=4096)
def split_words(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case: `getOrderById`, `get-order_by id` and `GET /order/by/id` are alike."""
    return tuple(word.lower() for word in _WORD.findall(name))


@lru_cache(maxsize=4096)
def fold_name(name: str) -> str:
    """Return a name such that `order_id`, `orderId` and `Order-ID` are equal."""
    return "".join(split_words(name)) or name


def is_plural(word: str) -> bool:
    """Whether a noun is probably a plural."""
    return word in _IRREGULAR or (
        len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) and word not in _UNCHANGED
    )


def to_singular(word: str) -> str:
    """Return the singular of an English noun."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if not is_plural(word):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def to_plural(word: str) -> str:
    """Return the plural of an English noun."""
    if is_plural(word) or word in ("news", "series", "weather"):
        return word
    if word in _IRREGULAR_PLURALS:
        return _IRREGULAR_PLURALS[word]
    if word.endswith("y") and not word.endswith(("ay", "ey", "oy", "uy")):
        return f"{word[:-1]}ies"
    if word.endswith(("s", "sh", "ch", "x", "z")):
        return f"{word}es"
    return f"{word}s"
