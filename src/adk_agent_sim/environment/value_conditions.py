"""Conditions on one value (`equals`, `regex`, `min` and the other operators): models, typos, and the compiled form."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, Self, TypeAlias, cast

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema, field_validator, model_validator
from pydantic_core import PydanticCustomError

from adk_agent_sim.environment.json_values import (
    MISSING,
    StrictModel,
    ValuePath,
    expand_wildcards,
    format_value,
    get_at_path,
    has_wildcard,
    parse_path,
)
from adk_agent_sim.environment.report_fold import Difference
from adk_agent_sim.forms import bounded_regex as patterns
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_equality import equals_value, is_number

OPERATOR_SYNONYMS: Mapping[str, str] = {
    "above": "min",
    "absent": "present",
    "atleast": "min",
    "atmost": "max",
    "below": "max",
    "choices": "any_of",
    "doesnotmatch": "not",
    "enum": "any_of",
    "eq": "equals",
    "equalto": "equals",
    "exists": "present",
    "greaterthan": "min",
    "gt": "min",
    "gte": "min",
    "in": "any_of",
    "includes": "contains",
    "is": "equals",
    "isin": "any_of",
    "lessthan": "max",
    "like": "regex",
    "lt": "max",
    "lte": "max",
    "match": "regex",
    "matches": "regex",
    "maximum": "max",
    "minimum": "min",
    "ne": "not",
    "neq": "not",
    "notequals": "not",
    "oneof": "any_of",
    "pattern": "regex",
    "re": "regex",
    "regexp": "regex",
    "regularexpression": "regex",
    "required": "present",
}
"""Operators of other tools, in lower case and without separators, with the one that is meant."""

_MIN_TYPO_LENGTH = 5
"""A shorter operator is too close to ordinary words: `note` is not a mistyped `not`."""


def find_intended_operators(keys: Collection[str], operators: Collection[str]) -> dict[str, str] | None:
    """Return the operator that each key probably means; None if a key does not look like an operator."""
    intended: dict[str, str] = {}
    for key in keys:
        operator = _find_intended_operator(str(key), operators)
        if operator is None:
            return None
        intended[key] = operator
    return intended or None


def _find_intended_operator(key: str, operators: Collection[str]) -> str | None:
    word = _normalize(key)
    by_word = {_normalize(operator): operator for operator in operators}
    if word in by_word:
        return by_word[word]
    if (synonym := OPERATOR_SYNONYMS.get(word)) in operators:
        return synonym
    for known, operator in by_word.items():
        if len(known) >= _MIN_TYPO_LENGTH and _is_one_edit(word, known):
            return operator
    return None


def _normalize(word: str) -> str:
    return word.lower().replace("_", "").replace("-", "").replace(" ", "").lstrip("$")


def _is_one_edit(left: str, right: str) -> bool:
    """Whether two words differ by one letter that is added, missing, changed or swapped with its neighbour."""
    shorter, longer = sorted((left, right), key=len)
    start = next((n for n, (one, other) in enumerate(zip(shorter, longer, strict=False)) if one != other), len(shorter))
    rest, other_rest = shorter[start:], longer[start:]
    if len(shorter) < len(longer):
        return rest == other_rest[1:]
    is_swapped = rest[:2] == other_rest[1::-1] and rest[2:] == other_rest[2:]
    return rest[1:] == other_rest[1:] or is_swapped


def _parse_condition(value: object) -> object:
    """Read a mapping of operators as conditions, and any other value as the value it must equal."""
    if isinstance(value, ArgumentCondition):
        return value
    keys = set(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else set[str]()
    if not keys & OPERATORS:
        _refuse_mistyped_operators(keys)
        return ArgumentCondition(equals=value)
    if keys - OPERATORS:
        raise ValueError(
            f"mixes conditions ({', '.join(sorted(keys & OPERATORS))}) with other keys "
            f"({', '.join(sorted(map(str, keys - OPERATORS)))}); write {{equals: ...}} to match the whole object"
        )
    return cast("Any", value)


def _refuse_mistyped_operators(keys: set[str]) -> None:
    """Refuse an object whose keys all look like operators: read as a value, it would never match."""
    if intended := find_intended_operators(keys, OPERATORS):
        raise PydanticCustomError(
            "unknown_operator",
            "{written} is not a condition",
            {
                "written": " and ".join(sorted(intended)),
                "intended": " and ".join(intended[key] for key in sorted(intended)),
            },
        )


CONDITION_MARK: Mapping[str, Any] = {"$comment": "condition"}
"""Stands for a condition in the JSON Schema that pydantic writes; `rules_schema.py` replaces it."""

_AS_CONDITION = (BeforeValidator(_parse_condition), WithJsonSchema(dict(CONDITION_MARK)))


class ArgumentCondition(StrictModel):
    """Conditions on one value; all of them must hold."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    equals: Any = Field(default=None, description="This value. 50 is also 50.0, but true is not 1, and '5' is not 5")
    regex: str | None = Field(
        default=None, description="A text that contains a match of this pattern; anchor it with ^ and $"
    )
    min: int | float | None = Field(default=None, description="A number greater than or equal to this")
    max: int | float | None = Field(default=None, description="A number less than or equal to this")
    any_of: list[Any] | None = Field(default=None, min_length=1, description="One of these values")
    contains: Any = Field(
        default=None, description="A text with this text, a list with this item, or an object with these fields"
    )
    any: Annotated[ArgumentCondition | None, *_AS_CONDITION] = Field(
        default=None, description="A list in which an item equals this value or meets these conditions"
    )
    negated: Annotated[ArgumentCondition | None, *_AS_CONDITION] = Field(
        default=None, alias="not", description="Not this value, or not these conditions; also if there is no value"
    )
    present: bool | None = Field(default=None, description="Whether there is a value at all")

    @field_validator("regex")
    @classmethod
    def _check_regex(cls, regex: str | None) -> str | None:
        if regex is None:
            return None
        try:
            patterns.check_syntax(regex)
        except ValueError as error:
            raise ValueError(f"is not a regular expression: {error}") from None
        # The results differ only for a pattern that is not evaluated, because matching could take too long.
        if patterns.is_match(regex, "", if_unchecked=True) and not patterns.is_match(regex, "", if_unchecked=False):
            raise ValueError("is a pattern that could take too long to match; write a simpler one")
        return regex

    @model_validator(mode="after")
    def _check_satisfiable(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("is empty: give one of " + ", ".join(sorted(OPERATORS)))
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"can never hold: min {self.min} is greater than max {self.max}")
        if self.present is False and self.model_fields_set - {"present", "negated"}:
            raise ValueError("can never hold: an argument that must be absent cannot have a value")
        return self


OPERATORS = frozenset(field.alias or name for name, field in ArgumentCondition.model_fields.items())

Conditions = Annotated[
    dict[Annotated[str, Field(min_length=1)], Annotated[ArgumentCondition, *_AS_CONDITION]], Field(min_length=1)
]
"""Conditions by the name or path of a value."""


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
