"""Keys of argument values: what a checker accepts has the same key as the expected value.

The other direction need not hold. A judge uses keys to find the few actions that an expected event can match, and then
compares those with the checker itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, cast

from adk_agent_sim.scenario.verdict.argument_checkers import keep_digits, normalize_path, parse_time


class NoKey(Exception):
    """A value has no key: it must be compared with every action."""


def compute_key(checker: str, value: Any) -> Hashable:
    """Return the key of a value for one of `KEYED_CHECKERS`; raise NoKey if it has none."""
    try:
        return _KEYS[checker](value)
    except (TypeError, ValueError, AttributeError):
        # Values that the checker cannot compare only count if they are equal.
        return _key_equal(value)


def _key_equal(value: Any) -> Hashable:
    if isinstance(value, list):
        return "list", tuple(map(_key_equal, cast("list[Any]", value)))
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return "dict", frozenset((name, _key_equal(inner)) for name, inner in items)
    # Equal numbers such as 1 and 1.0 have the same hash, so they share a key, as `==` demands.
    try:
        hash(value)
    except TypeError:
        raise NoKey from None
    return value


def _key_unordered(value: Any) -> Hashable:
    return frozenset(value or ())


def _key_path(value: Any) -> Hashable:
    return None if value is None else normalize_path(value)


def _key_paths(value: Any) -> Hashable:
    return frozenset(map(normalize_path, value or ()))


def _key_time(value: Any) -> Hashable:
    return None if value is None else parse_time(value)


def _key_number(value: Any) -> Hashable:
    return None if value is None else keep_digits(value)


def _key_stripped(value: Any) -> Hashable:
    return value.strip() if value else ""


_KEYS: Final[Mapping[str, Callable[[Any], Hashable]]] = {
    "equal": _key_equal,
    "unordered": _key_unordered,
    "path": _key_path,
    "paths": _key_paths,
    "datetime": _key_time,
    "phone": _key_number,
    "stripped": _key_stripped,
}

KEYED_CHECKERS: Final = frozenset(_KEYS)
"""The checkers that compare two values by a normal form; the others accept values of many forms."""
