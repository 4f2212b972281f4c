"""Finds the actions that an expected event can match by its arguments, so that it is not compared with all others.

The first action that fits is taken, as in the reference, so an index lists actions in their order. Where a turn has
many calls of one tool in another order than expected, comparing each with each would be quadratic.

What a checker accepts has the same key as the expected value; the other direction need not hold. A judge uses keys to
find the few actions that an expected event can match, and then compares those with the checker itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from adk_agent_sim.scenario.verdict.argument_check_plan import ArgumentCheck
from adk_agent_sim.scenario.verdict.argument_checkers import keep_digits, normalize_path, parse_time
from adk_agent_sim.scenario.verdict.traced_action import TracedAction


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


def select_keyed_checks(checks: Sequence[ArgumentCheck]) -> tuple[ArgumentCheck, ...]:
    """Return the checks by which an index can find actions."""
    return tuple(each for each in checks if each.checker in KEYED_CHECKERS)


class CandidateIndex:
    """Actions with one tool by the keys of the arguments that some expected events check."""

    def __init__(
        self,
        candidates: Sequence[TracedAction],
        checks: Sequence[ArgumentCheck],
        read_argument: Callable[[TracedAction, str], Any],
    ) -> None:
        """Index actions.

        Args:
            candidates: The actions, to which more are appended later.
            checks: The checks, from `select_keyed_checks`.
            read_argument: Returns an argument of an action, or its default.
        """
        self._candidates = candidates
        self._checks = checks
        self._read_argument = read_argument
        self._by_key: dict[Hashable, list[TracedAction]] = {}
        self._heads: dict[Hashable, int] = {}
        self._count = 0
        self._is_complete = True

    def list_candidates(self, arguments: Mapping[str, Any]) -> Iterator[TracedAction] | None:
        """Return the unmatched actions that arguments can match, in their order; None if any of the tool can."""
        self._add_new_candidates()
        try:
            key = self._compute_key([arguments.get(each.argument) for each in self._checks])
        except NoKey:
            return None
        return self._iter_unmatched(key) if self._is_complete else None

    def _iter_unmatched(self, key: Hashable) -> Iterator[TracedAction]:
        found = self._by_key.get(key, [])
        head = self._heads.get(key, 0)
        while head < len(found) and found[head].is_matched:
            head += 1
        self._heads[key] = head
        return (each for each in found[head:] if not each.is_matched)

    def _add_new_candidates(self) -> None:
        for action in self._candidates[self._count :]:
            try:
                key = self._compute_key([self._read_argument(action, each.argument) for each in self._checks])
            except NoKey:
                # An action without a key may match any arguments, so the index can no longer exclude anything.
                self._is_complete = False
                continue
            self._by_key.setdefault(key, []).append(action)
        self._count = len(self._candidates)

    def _compute_key(self, values: Sequence[Any]) -> Hashable:
        return tuple(compute_key(check.checker, value) for check, value in zip(self._checks, values, strict=True))
