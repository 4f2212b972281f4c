"""Operations on JSON values for rules: copies and access by path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from adk_agent_sim.timeline.canonical_json import Json

MISSING: Any = object()
"""The absence of a value; None is a value."""

ValuePath: TypeAlias = tuple[str, ...]


class _Wildcard(str):
    """A step that stands for every child. A type of its own: a JSON Pointer may name a key `*`."""

    __slots__ = ()


WILDCARD = _Wildcard("*")
"""The step `*` of a path."""

_MAX_WILDCARD_PATHS = 10_000
"""The most places that a path with wildcards is followed to."""


def copy_value(value: Json) -> Json:
    """Return a deep copy of a JSON value; faster than `copy.deepcopy`, which handles any object."""
    if isinstance(value, dict):
        return {key: copy_value(inner) for key, inner in cast("dict[str, Json]", value).items()}
    if isinstance(value, list):
        return [copy_value(inner) for inner in cast("list[Json]", value)]
    return value


def make_copier(value: Json) -> Callable[[], Json]:
    """Return a function that deep-copies a value.

    It finds the nested lists and objects once, so that each copy only visits those.
    """
    if not isinstance(value, dict | list):
        return lambda: value
    container = cast("dict[Any, Json] | list[Json]", value)
    items = container.items() if isinstance(container, dict) else enumerate(container)
    nested = [(key, make_copier(inner)) for key, inner in items if isinstance(inner, dict | list)]
    if not nested:
        return container.copy

    def copy() -> Json:
        new: Any = container.copy()
        for key, copy_inner in nested:
            new[key] = copy_inner()
        return new

    return copy


def parse_path(text: str) -> ValuePath:
    """Parse `items.0.sku` or `items.*.sku`, or the JSON Pointer `/items/0/sku`, in which every name is literal."""
    if text.startswith("/"):
        return tuple(part.replace("~1", "/").replace("~0", "~") for part in text[1:].split("/"))
    return tuple(WILDCARD if step == "*" else step for step in text.split(".")) if text else ()


def escape_name(name: str) -> str:
    """Return the path of a key: the name itself, or a JSON Pointer if the name would be read as another path."""
    is_plain = bool(name) and name != "*" and "." not in name and not name.startswith("/")
    return name if is_plain else "/" + name.replace("~", "~0").replace("/", "~1")


def has_wildcard(path: ValuePath) -> bool:
    """Whether a path can lead to several values."""
    return any(step is WILDCARD for step in path)


def expand_wildcards(value: Json, path: ValuePath) -> list[ValuePath]:
    """Return the paths without wildcards that exist in a value, in its order."""
    found: list[tuple[ValuePath, Json]] = [((), value)]
    for step in path:
        found = [
            ((*parents, key), child)
            for parents, parent in found
            for key, child in (_list_children(parent) if step is WILDCARD else [(step, get_child(parent, step))])
            if child is not MISSING
        ]
        del found[_MAX_WILDCARD_PATHS:]
    return [each for each, _ in found]


def _list_children(value: Json) -> list[tuple[str, Json]]:
    if isinstance(value, Mapping):
        return list(cast("Mapping[str, Json]", value).items())
    if isinstance(value, list):
        return [(str(index), child) for index, child in enumerate(cast("list[Json]", value))]
    return []


def get_at_path(value: Json, path: ValuePath) -> Json:
    """Return the value at a path, or MISSING."""
    for step in path:
        value = get_child(value, step)
        if value is MISSING:
            break
    return value


def find_value(value: Json, name: str) -> Json:
    """Return the value with a name or at a path, or MISSING. A name with a dot takes precedence over a path."""
    if isinstance(value, Mapping) and name in value:
        return cast("Mapping[str, Json]", value)[name]
    return get_at_path(value, parse_path(name))


def get_child(value: Json, step: str) -> Json:
    """Return the value one step down, or MISSING."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, Json]", value).get(step, MISSING)
    if isinstance(value, list):
        values = cast("list[Json]", value)
        return values[int(step)] if is_index(step) and int(step) < len(values) else MISSING
    return MISSING


def is_index(step: str) -> bool:
    """Whether a step can be a list index: digits without leading zeros, as RFC 6901 requires."""
    return step.isascii() and step.isdigit() and (step == "0" or not step.startswith("0")) and len(step) < 10


def format_value(value: Json, max_length: int = 60) -> str:
    """Return a value as one line for messages, abbreviated to `max_length`."""
    text = "nothing" if value is MISSING else repr(value)
    return text if len(text) <= max_length else f"{text[: max_length - 3]}..."
