"""Checks of the values of schema keywords, so that the validator only sees well-formed keywords."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

_TYPE_NAMES = ("string", "integer", "number", "boolean", "object", "array", "null")


def is_list(value: object) -> bool:
    """Whether a value is a JSON list."""
    return isinstance(value, list)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_factor(value: Any) -> bool:
    return _is_number(value) and 0 < value < float("inf")


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and (isinstance(value, int) or value.is_integer())


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_name_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in cast("list[object]", value))


def _is_dependency_map(value: object) -> bool:
    return isinstance(value, Mapping) and all(map(_is_name_list, cast("Mapping[str, object]", value).values()))


def _is_type_keyword(value: Any) -> bool:
    kinds: Any = [value] if isinstance(value, str) else value
    return bool(kinds) and _is_name_list(kinds) and set(kinds) <= {*_TYPE_NAMES}


def _is_choice_list(value: object) -> bool:
    return isinstance(value, list) and bool(cast("list[object]", value))


COUNT_KEYWORDS = {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
"""The keywords that limit a length or a number of items."""

KEYWORD_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys([*COUNT_KEYWORDS, "minContains", "maxContains"], _is_count),
    **dict.fromkeys(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], _is_number),
    **dict.fromkeys(["$ref", "pattern", "format", "title", "description"], _is_text),
    "type": _is_type_keyword,
    "enum": _is_choice_list,
    "required": _is_name_list,
    "uniqueItems": _is_flag,
    "multipleOf": _is_factor,
    "dependentRequired": _is_dependency_map,
}
"""For each keyword whose value is not a schema: whether a value is well-formed."""
