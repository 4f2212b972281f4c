"""jsonschema's validator, hardened for untrusted schemas and values.

It limits its steps, matches patterns in linear time, and finds duplicates in lists without comparing every pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, cast

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

from adk_agent_sim.forms.bounded_regex import estimate_steps, is_match
from adk_agent_sim.forms.text_formats import is_in_format

_MAX_STEPS = 100_000
"""Branching references can make a small schema arbitrarily expensive; a usual form takes a few hundred steps."""

_MAX_ERRORS = 100
"""The most errors that are collected; nobody reads more."""

_EMPTY_REGISTRY: Registry[Any] = Registry()
# jsonschema passes nothing of ours to the checks of keywords; a context variable keeps concurrent checks apart.
_remaining_steps: ContextVar[list[int]] = ContextVar("adksim_remaining_steps")

_KeywordCheck = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]


class _StepsExhausted(Exception):
    """The check has used up its steps."""


def build_validator(schema: Mapping[str, Any]) -> Any:
    """Return a validator of a schema that `normalize_schema` has converted."""
    # With its default registry, jsonschema fetches references to other documents from the network.
    return _BoundedValidator(schema, registry=_EMPTY_REGISTRY)


def collect_errors(validator: Any, value: object) -> list[ValidationError]:
    """Return the errors of a value; an incomplete list if the check takes too long or nests too deeply."""
    errors: list[ValidationError] = []
    token = _remaining_steps.set([_MAX_STEPS])
    try:
        for error in validator.iter_errors(value):
            errors.append(error)
            if len(errors) == _MAX_ERRORS:
                break
    except (_StepsExhausted, Unresolvable, RecursionError, ValueError):
        # A ValueError comes from Python's limit on digits when jsonschema formats a huge integer into a message.
        pass
    finally:
        _remaining_steps.reset(token)
    return errors


def _spend_steps(steps: int) -> None:
    remaining = _remaining_steps.get()
    remaining[0] -= steps
    if remaining[0] < 0:
        raise _StepsExhausted


def _count_steps(keyword: _KeywordCheck) -> _KeywordCheck:
    def run_check(validator: Any, keyword_value: Any, value: Any, schema: Any) -> Iterable[ValidationError] | None:
        _spend_steps(1)
        return keyword(validator, keyword_value, value, schema)

    return run_check


def _check_required(_validator: Any, names: Sequence[str], value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for name in names:
            if name not in value:
                # At the field, where a form shows it; jsonschema reports a missing field at its object.
                yield ValidationError("is missing", path=[name])


def _check_additional_properties(validator: Any, allowed: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(value, dict):
        return
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", ())
    for name, field in cast("dict[str, object]", value).items():
        _spend_steps(1)
        if name in known or any(_is_match(pattern, name) for pattern in patterns):
            continue
        if allowed is False:
            yield ValidationError("is not known", path=[name])
        else:
            yield from validator.descend(field, allowed, path=name)


def _check_pattern_properties(validator: Any, schemas: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if not isinstance(value, dict):
        return
    for pattern, subschema in cast("dict[str, object]", schemas).items():
        for name, field in cast("dict[str, object]", value).items():
            _spend_steps(1)
            # A pattern that is not evaluated matches no field: matching all would reject values that may be valid.
            if _is_match(pattern, name, if_unchecked=False):
                yield from validator.descend(field, subschema, path=name, schema_path=pattern)


def _check_property_names(validator: Any, name_schema: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for name in cast("dict[str, object]", value):
            for error in validator.descend(name, name_schema):
                yield ValidationError("its name is invalid", path=[name], context=[error])


def _check_dependent_required(
    _validator: Any, dependencies: Any, value: Any, _schema: Any
) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for name, needed in cast("dict[str, Sequence[str]]", dependencies).items():
            for other in needed if name in value else ():
                if other not in value:
                    yield ValidationError(f"is required, because {name} is given", path=[other])


def _check_pattern(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not _is_match(pattern, value):
        yield ValidationError("does not match")


def _is_match(pattern: str, text: str, *, if_unchecked: bool = True) -> bool:
    _spend_steps(estimate_steps(pattern, text) // 1_000)
    return is_match(pattern, text, if_unchecked=if_unchecked)


def _check_format(_validator: Any, name: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not is_in_format(name, value):
        yield ValidationError("is in another format")


def _check_enum(_validator: Any, choices: Sequence[Any], value: Any, _schema: Any) -> Iterator[ValidationError]:
    _spend_steps(len(choices) // 100)
    # Python's `in` is fast but too lenient (True equals 1), so only values that it finds are compared exactly.
    if value not in choices or _to_hashable(value) not in map(_to_hashable, choices):
        yield ValidationError("is not one of the choices")


def _check_const(_validator: Any, expected: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if _to_hashable(value) != _to_hashable(expected):
        yield ValidationError("is another value")


def _check_unique_items(_validator: Any, is_required: bool, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if is_required and isinstance(value, list):
        items = cast("list[object]", value)
        if len(set(map(_to_hashable, items))) < len(items):
            yield ValidationError("has an item twice")


def _to_hashable(value: Any) -> Hashable:
    """Return a hashable value whose equality is that of JSON Schema: 1 equals 1.0 but not true."""
    if isinstance(value, bool):
        return ("flag", value)
    if isinstance(value, list):
        return ("list", *map(_to_hashable, cast("list[object]", value)))
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value).items()
        return ("object", frozenset((name, _to_hashable(field)) for name, field in fields))
    return value


def _check_multiple_of(_validator: Any, factor: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    if not _is_multiple(value, factor):
        yield ValidationError("is not a multiple")


def _is_multiple(value: float, factor: float) -> bool:
    """Whether `value` is a multiple by pydantic's rule: 0.3 is a multiple of 0.1, although the floats are not exact."""
    if isinstance(value, int) and isinstance(factor, int):
        return value % factor == 0
    if isinstance(value, float) and not math.isfinite(value):
        return False
    remainder = Fraction(value) % Fraction(factor)
    return min(remainder, Fraction(factor) - remainder) <= abs(Fraction(value)) / 10**9


def _skip_check(_validator: Any, _keyword_value: Any, _value: Any, _schema: Any) -> None:
    """Accept everything: jsonschema's own check of these keywords uses Python's unbounded regular expressions."""


_OWN_CHECKS: Mapping[str, _KeywordCheck] = {
    "required": _check_required,
    "additionalProperties": _check_additional_properties,
    "patternProperties": _check_pattern_properties,
    "propertyNames": _check_property_names,
    "dependentRequired": _check_dependent_required,
    "pattern": _check_pattern,
    "format": _check_format,
    "enum": _check_enum,
    "const": _check_const,
    "uniqueItems": _check_unique_items,
    "multipleOf": _check_multiple_of,
    "unevaluatedProperties": _skip_check,
    "unevaluatedItems": _skip_check,
}
_ALL_CHECKS = {**cast("Mapping[str, _KeywordCheck]", Draft202012Validator.VALIDATORS), **_OWN_CHECKS}
_BoundedValidator = cast("Any", validators).extend(
    Draft202012Validator, {key: _count_steps(keyword) for key, keyword in _ALL_CHECKS.items()}
)
