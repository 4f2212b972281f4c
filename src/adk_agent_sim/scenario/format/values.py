"""Argument values: text in the file, read as their `value_type` says, written as ARE reads them."""

from __future__ import annotations

import json
import re
from typing import Any

from adk_agent_sim.timeline.canonical import Json

_PLACEHOLDER = re.compile(r"\{\{([^{}]+)\}\}")

_NAMES: dict[type, str] = {bool: "bool", int: "int", float: "float", str: "str", list: "list", dict: "dict"}


_YES, _NO = ("true", "1", "t", "y", "yes"), ("false", "0", "f", "n", "no")


class ValueDoesNotFit(ValueError):
    """A text cannot be read as the type it should have."""


def placeholder(value: str | None) -> str | None:
    """What a placeholder names, `event_id` or `event_id.key`; only a whole value can be one."""
    found = _PLACEHOLDER.fullmatch(value) if value else None
    return found[1] if found else None


def placeholder_event(named: str, event_ids: frozenset[str] | set[str] | dict[str, Any]) -> str:
    """The event that a placeholder names: ids may have dots in them, so the longest id that exists is meant."""
    candidate = named
    while candidate not in event_ids and "." in candidate:
        candidate = candidate.rpartition(".")[0]
    return candidate if candidate in event_ids else named.partition(".")[0]


def text_of(value: Json) -> str | None:
    """A value as the file holds it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def type_of(value: Json) -> str | None:
    """The `value_type` of a value."""
    return next((name for kind, name in _NAMES.items() if isinstance(value, kind)), None)


def value_of(text: str | None, value_type: str | None) -> Json:
    """The value that a text stands for.

    Raises:
        ValueDoesNotFit: The text is not of that type.
    """
    if text is None or value_type is None:
        return text
    base = value_type.split("|")[0].strip().partition("[")[0].lower()
    reader = _READERS.get(base)
    return reader(text) if reader else text


def _int(text: str) -> int:
    return int(_matching(text, r"[+-]?\d{1,300}", "an int, such as 5"))


def _float(text: str) -> float:
    return float(_matching(text, r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", "a float, such as 5.0"))


def _bool(text: str) -> bool:
    return _matching(text.lower(), "|".join(_YES + _NO), "a bool: True or False") in _YES


def _list(text: str) -> list[Json]:
    return _json(text, list, 'a list as JSON, such as ["a", "b"]')


def _dict(text: str) -> dict[str, Json]:
    return _json(text, dict, 'a dict as JSON, such as {"a": 1}')


def _matching(text: str, pattern: str, what: str) -> str:
    if re.fullmatch(pattern, text.strip()) is None:
        raise ValueDoesNotFit(f"{text[:80]!r} is not {what}")
    return text.strip()


def _json(text: str, kind: type, what: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueDoesNotFit(f"{text[:80]!r} is not {what}") from error
    if not isinstance(value, kind):
        raise ValueDoesNotFit(f"{text[:80]!r} is not {what}")
    return value


_READERS = {"int": _int, "float": _float, "bool": _bool, "list": _list, "dict": _dict}
