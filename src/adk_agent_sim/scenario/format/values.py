"""Argument values: text in the file, parsed according to `value_type`, and written as ARE reads them."""

from __future__ import annotations

import json
import re
from typing import Any

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

_PLACEHOLDER_PATTERN = re.compile(r"\{\{([^{}]+)\}\}")

# bool comes before int, of which it is a subclass.
_TYPE_NAMES: dict[type, str] = {bool: "bool", int: "int", float: "float", str: "str", list: "list", dict: "dict"}


_DIGITS = r"\d(_?\d)*+"
_FLOAT_PATTERN = rf"[+-]?({_DIGITS}(\.({_DIGITS})?)?|\.{_DIGITS})([eE][+-]?\d(_?\d){{0,2}})?"

_TRUE_WORDS, _FALSE_WORDS = ("true", "1", "t", "y", "yes"), ("false", "0", "f", "n", "no")


class ValueDoesNotFit(ValueError):
    """A text cannot be parsed as its type."""


def parse_placeholder(value: str | None) -> str | None:
    """Return what a placeholder names, `event_id` or `event_id.key`; None if the whole text is not a placeholder."""
    found = _PLACEHOLDER_PATTERN.fullmatch(value.strip()) if value else None
    return found[1] if found else None


def find_placeholder_event(reference: str, event_ids: frozenset[str] | set[str] | dict[str, Any]) -> str:
    """Return the event id in a placeholder. Ids may contain dots, so the longest existing id is used."""
    candidate = reference
    while candidate not in event_ids and "." in candidate:
        candidate = candidate.rpartition(".")[0]
    return candidate if candidate in event_ids else reference.partition(".")[0]


def format_value(value: Json) -> str | None:
    """Return a value as text for the file."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def get_value_type(value: Json) -> str | None:
    """Return the `value_type` of a value."""
    return next((name for kind, name in _TYPE_NAMES.items() if isinstance(value, kind)), None)


def parse_value(text: str | None, value_type: str | None) -> Json:
    """Return the value of a text.

    Raises:
        ValueDoesNotFit: The text cannot be parsed as that type.
    """
    if text is None or value_type is None:
        return text
    base = value_type.split("|")[0].strip().partition("[")[0].lower()
    parse = _PARSERS.get(base)
    return parse(text) if parse else text


def _parse_int(text: str) -> int:
    # What int() accepts, as in ARE: digits of any script, and single underscores between them. Not int() alone, because
    # it is slow for very long texts.
    return int(_require_match(text, r"[+-]?\d(_?\d){0,299}", "an int, such as 5"))


def _parse_float(text: str) -> float:
    # What float() accepts, but for `nan` and `inf`, which JSON does not have.
    return float(_require_match(text, _FLOAT_PATTERN, "a float, such as 5.0"))


def _parse_bool(text: str) -> bool:
    return _require_match(text.lower(), "|".join(_TRUE_WORDS + _FALSE_WORDS), "a bool: True or False") in _TRUE_WORDS


def _parse_list(text: str) -> list[Json]:
    return _parse_json_as(text, list, 'a list as JSON, such as ["a", "b"]')


def _parse_dict(text: str) -> dict[str, Json]:
    return _parse_json_as(text, dict, 'a dict as JSON, such as {"a": 1}')


def _require_match(text: str, pattern: str, expected: str) -> str:
    if re.fullmatch(pattern, text.strip()) is None:
        raise ValueDoesNotFit(f"{text[:80]!r} is not {expected}")
    return text.strip()


def _parse_json_as(text: str, kind: type, expected: str) -> Any:
    try:
        value = parse_json(text, allow_duplicate_keys=True)
    except InvalidJson as error:
        raise ValueDoesNotFit(f"{text[:80]!r} is not {expected}") from error
    if not isinstance(value, kind):
        raise ValueDoesNotFit(f"{text[:80]!r} is not {expected}")
    return value


_PARSERS = {"int": _parse_int, "float": _parse_float, "bool": _parse_bool, "list": _parse_list, "dict": _parse_dict}
