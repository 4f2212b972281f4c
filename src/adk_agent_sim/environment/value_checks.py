"""The compiled form of conditions on one value: functions that are fast to evaluate and can say what they accept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, cast

from adk_agent_sim.environment.json_values import (
    MISSING,
    ValuePath,
    expand_wildcards,
    format_value,
    get_at_path,
    has_wildcard,
    parse_path,
)
from adk_agent_sim.environment.skip_reason import Difference
from adk_agent_sim.environment.value_conditions import ArgumentCondition
from adk_agent_sim.forms import bounded_regex as patterns
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_equality import equals_value, is_number

_Check: TypeAlias = tuple[Callable[[Json], bool], str]
"""Whether a value is accepted, and a description of the values that are."""


class ValueCheck:
    """A condition on the value with a name, or at a path, in an object. With wildcards, one of the values meets it."""

    __slots__ = ("_checks", "_has_wildcard", "_is_pointer", "_path", "_regex", "name")

    def __init__(self, name: str, condition: ArgumentCondition) -> None:
        self.name = name
        self._path: ValuePath = parse_path(name)
        # A JSON Pointer is always a path, also to a name that itself looks like one.
        self._is_pointer = name.startswith("/")
        self._has_wildcard = has_wildcard(self._path)
        self._checks = list(_iter_checks(condition))
        self._regex = condition.regex

    def describe(self) -> str:
        """Return the condition in a few words."""
        return f"{self.name} is {_describe(self._checks)}"

    def is_met(self, values: Mapping[str, Json]) -> bool:
        """Whether the object has such a value."""
        return any(_is_accepted(value, self._checks) for value in self._read(values))

    def explain_mismatch(self, values: Mapping[str, Json]) -> str:
        """Return the reason, in a few words, if the object has no such value."""
        _, expected, found = self.compare(values)
        return f"{self.name} is {found}, not {expected}"

    def compare(self, values: Mapping[str, Json]) -> Difference:
        """Return what differs if the object has no such value."""
        if (text := self.find_unsearchable(values)) is not None:
            shown = f"a string of {len(text):,} characters, which is too long to be searched"
            return Difference(self.name, f"a string that matches {self._regex}", shown)
        found = self._read(values)
        expected = next((expected for check, expected in self._checks if not check(found[0])), "a match")
        shown = format_value(found[0]) if len(found) == 1 else f"one of {format_value(found)}"
        return Difference(self.name, expected, shown)

    def find_unsearchable(self, values: Mapping[str, Json]) -> str | None:
        """Return a text that is too long for the pattern to be searched in it; None if there is none."""
        if (regex := self._regex) is None:
            return None
        texts = (value for value in self._read(values) if isinstance(value, str))
        return next((text for text in texts if not patterns.can_search(regex, text)), None)

    def _read(self, values: Mapping[str, Json]) -> list[Json]:
        """Return the values at the path; MISSING if there are none."""
        if not self._is_pointer:
            value = values.get(self.name, MISSING)  # a name that contains a dot takes precedence over a path
            if value is not MISSING:
                return [value]
        # Without a value, MISSING is still checked: `present: false` and `not` hold for it.
        if self._has_wildcard:
            return [get_at_path(values, path) for path in expand_wildcards(values, self._path)] or [MISSING]
        return [get_at_path(values, self._path)]


def build_checks(conditions: Mapping[str, ArgumentCondition]) -> list[ValueCheck]:
    """Return the checks of conditions by name."""
    return [ValueCheck(name, condition) for name, condition in conditions.items()]


def _is_accepted(value: Json, checks: Sequence[_Check]) -> bool:
    return all(check(value) for check, _ in checks)


def _describe(checks: Sequence[_Check]) -> str:
    return " and ".join(expected for _, expected in checks)


def _iter_checks(condition: ArgumentCondition) -> Iterator[_Check]:
    given = condition.model_fields_set
    if "equals" in given:
        expected = condition.equals
        yield (lambda value: value is not MISSING and equals_value(value, expected)), format_value(expected)
    if (regex := condition.regex) is not None:
        yield (
            lambda value: isinstance(value, str) and patterns.is_match(regex, value, if_unchecked=False),
            f"a string that matches {regex}",
        )
    if (minimum := condition.min) is not None:
        yield (lambda value: is_number(value) and value >= minimum), f"{minimum} or more"
    if (maximum := condition.max) is not None:
        yield (lambda value: is_number(value) and value <= maximum), f"{maximum} or less"
    if (choices := condition.any_of) is not None:
        yield (lambda value: any(equals_value(value, choice) for choice in choices)), f"one of {format_value(choices)}"
    if "contains" in given:
        part = condition.contains
        yield (lambda value: _contains(value, part)), f"something that contains {format_value(part)}"
    if condition.any is not None:
        item_checks = list(_iter_checks(condition.any))
        yield (
            lambda value: (
                isinstance(value, list) and any(_is_accepted(item, item_checks) for item in cast("list[Json]", value))
            ),
            f"a list with {_describe(item_checks)}",
        )
    if condition.negated is not None:
        inner_checks = list(_iter_checks(condition.negated))
        yield (lambda value: not _is_accepted(value, inner_checks)), f"not {_describe(inner_checks)}"
    if (present := condition.present) is not None:
        yield (lambda value: (value is not MISSING) == present), "given" if present else "left out"


def _contains(value: Json, part: Json) -> bool:
    if isinstance(value, str):
        return isinstance(part, str) and part in value
    if isinstance(value, list):
        return any(equals_value(item, part) for item in cast("list[Json]", value))
    if isinstance(value, Mapping) and isinstance(part, Mapping):
        fields, required = cast("Mapping[str, Json]", value), cast("Mapping[str, Json]", part)
        return all(key in fields and equals_value(fields[key], inner) for key, inner in required.items())
    return False
