"""jsonschema's validator, made safe for schemas and values that nobody vouches for.

It counts its steps, matches patterns in linear time and compares large lists without comparing every pair.
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
"""References that branch can make a small schema cost any time; a form that a person fills takes a few hundred."""

_MAX_ERRORS = 100
"""Nobody reads more."""

_EMPTY_REGISTRY: Registry[Any] = Registry()
_remaining_steps: ContextVar[list[int]] = ContextVar("_steps")

_KeywordCheck = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]


class _StepsExhausted(Exception):
    """The check would take too long."""


def build_validator(schema: Mapping[str, Any]) -> Any:
    """A validator of a schema that `dialect.read` has read."""
    return _BoundedValidator(schema, registry=_EMPTY_REGISTRY)


def collect_errors(validator: Any, value: object) -> list[ValidationError]:
    """What the validator finds until it ends, takes too long or goes too deep: what is found is found."""
    found: list[ValidationError] = []
    reset = _remaining_steps.set([_MAX_STEPS])
    try:
        for error in validator.iter_errors(value):
            found.append(error)
            if len(found) == _MAX_ERRORS:
                break
    except (_StepsExhausted, Unresolvable, RecursionError, ValueError):
        # A ValueError is Python's refusal to write an integer of thousands of digits into jsonschema's message.
        pass
    finally:
        _remaining_steps.reset(reset)
    return found


def _spend_steps(steps: int) -> None:
    left = _remaining_steps.get()
    left[0] -= steps
    if left[0] < 0:
        raise _StepsExhausted


def _count_steps(keyword: _KeywordCheck) -> _KeywordCheck:
    def run_check(validator: Any, stated: Any, value: Any, schema: Any) -> Iterable[ValidationError] | None:
        _spend_steps(1)
        return keyword(validator, stated, value, schema)

    return run_check


def _check_required(_validator: Any, names: Sequence[str], value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for name in names:
            if name not in value:
                yield ValidationError("is missing", path=[name])


def _check_additional_properties(validator: Any, stated: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(value, dict):
        return
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", ())
    for name, one in cast("dict[str, object]", value).items():
        _spend_steps(1)
        if name in known or any(_is_match(pattern, name) for pattern in patterns):
            continue
        if stated is False:
            yield ValidationError("is not known", path=[name])
        else:
            yield from validator.descend(one, stated, path=name)


def _check_pattern_properties(validator: Any, stated: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if not isinstance(value, dict):
        return
    for pattern, one in cast("dict[str, object]", stated).items():
        for name, below in cast("dict[str, object]", value).items():
            _spend_steps(1)
            # A pattern that cannot be read names no fields: taking it for all of them would refuse what may fit.
            if _is_match(pattern, name, if_unchecked=False):
                yield from validator.descend(below, one, path=name, schema_path=pattern)


def _check_property_names(validator: Any, stated: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for name in cast("dict[str, object]", value):
            for error in validator.descend(name, stated):
                yield ValidationError("its name does not fit", path=[name], context=[error])


def _check_dependent_required(_validator: Any, stated: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for name, needed in cast("dict[str, Sequence[str]]", stated).items():
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
    # Python's own search is fast and takes too much (True for 1), never too little.
    if value not in choices or _to_hashable(value) not in map(_to_hashable, choices):
        yield ValidationError("is no choice")


def _check_const(_validator: Any, wanted: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if _to_hashable(value) != _to_hashable(wanted):
        yield ValidationError("is another value")


def _check_unique_items(_validator: Any, wanted: bool, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if wanted and isinstance(value, list):
        items = cast("list[object]", value)
        if len(set(map(_to_hashable, items))) < len(items):
            yield ValidationError("has an item twice")


def _to_hashable(value: Any) -> Hashable:
    """The value as something that is equal exactly when JSON says so: 1 is 1.0 and not true."""
    if isinstance(value, bool):
        return ("flag", value)
    if isinstance(value, list):
        return ("list", *map(_to_hashable, cast("list[object]", value)))
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value).items()
        return ("object", frozenset((name, _to_hashable(below)) for name, below in fields))
    return value


def _check_multiple_of(_validator: Any, factor: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    if not _is_multiple(value, factor):
        yield ValidationError("is no multiple")


def _is_multiple(value: float, factor: float) -> bool:
    """Whether `value` is a multiple, as pydantic counts: 0.3 is one of 0.1, although its float is not."""
    if isinstance(value, int) and isinstance(factor, int):
        return value % factor == 0
    if isinstance(value, float) and not math.isfinite(value):
        return False
    rest = Fraction(value) % Fraction(factor)
    return min(rest, Fraction(factor) - rest) <= abs(Fraction(value)) / 10**9


def _skip_check(_validator: Any, _stated: Any, _value: Any, _schema: Any) -> None:
    """For a keyword that is not checked: it would need Python's own regular expressions."""


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
