"""JSON values as rules look at them: compared with their types, copied, found by a path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from adk_agent_sim.timeline.canonical_json import Json

MISSING: Any = object()
"""Stands where there is no value; None is a value."""

ValuePath: TypeAlias = tuple[str, ...]


def is_same_value(left: Json, right: Json) -> bool:
    """Whether two values are equal, types too: 1 is neither 1.0 nor True. The order of keys does not count."""
    if left.__class__ is not right.__class__:
        return False
    if isinstance(left, dict):
        mapping, other = cast("dict[str, Json]", left), cast("dict[str, Json]", right)
        return mapping.keys() == other.keys() and all(
            is_same_value(value, other[key]) for key, value in mapping.items()
        )
    if isinstance(left, list):
        values, others = cast("list[Json]", left), cast("list[Json]", right)
        return len(values) == len(others) and all(map(is_same_value, values, others))
    return left == right


def copy_value(value: Json) -> Json:
    """The value with lists and objects of its own: who gets it may change it."""
    if isinstance(value, dict):
        return {key: copy_value(inner) for key, inner in cast("dict[str, Json]", value).items()}
    if isinstance(value, list):
        return [copy_value(inner) for inner in cast("list[Json]", value)]
    return value


def make_copier(value: Json) -> Callable[[], Json]:
    """What makes copies of a value, quicker than looking at all of it each time."""
    if not isinstance(value, dict | list):
        return lambda: value
    held = cast("dict[Any, Json] | list[Json]", value)
    places = held.items() if isinstance(held, dict) else enumerate(held)
    deeper = [(place, make_copier(inner)) for place, inner in places if isinstance(inner, dict | list)]
    if not deeper:
        return held.copy

    def copy() -> Json:
        new: Any = held.copy()
        for place, inner in deeper:
            new[place] = inner()
        return new

    return copy


def parse_path(text: str) -> ValuePath:
    """`items.0.sku`, or `/items/0/sku` where a name holds a dot."""
    if text.startswith("/"):
        return tuple(part.replace("~1", "/").replace("~0", "~") for part in text[1:].split("/"))
    return tuple(text.split(".")) if text else ()


def get_at_path(value: Json, path: ValuePath) -> Json:
    """The value at a path, or MISSING."""
    for step in path:
        value = get_child(value, step)
        if value is MISSING:
            break
    return value


def get_child(value: Json, step: str) -> Json:
    """The value one step further, or MISSING."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, Json]", value).get(step, MISSING)
    if isinstance(value, list):
        values = cast("list[Json]", value)
        return values[int(step)] if is_index(step) and int(step) < len(values) else MISSING
    return MISSING


def is_index(step: str) -> bool:
    """Whether a step can be a place in a list: digits, written in one way only."""
    return step.isascii() and step.isdigit() and (step == "0" or not step.startswith("0")) and len(step) < 10


def format_value(value: Json, max_length: int = 60) -> str:
    """A value for people, on one line, not too long."""
    text = "nothing" if value is MISSING else repr(value)
    return text if len(text) <= max_length else f"{text[: max_length - 3]}..."
