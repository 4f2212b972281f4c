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

from adk_agent_sim.forms.formats import fits_format
from adk_agent_sim.forms.pattern import matches, work

_MOST_STEPS = 100_000
"""References that branch can make a small schema cost any time; a form that a person fills takes a few hundred."""

_MOST_ERRORS = 100
"""Nobody reads more."""

_NO_FETCHING: Registry[Any] = Registry()
_steps: ContextVar[list[int]] = ContextVar("_steps")

_Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]


class _Exhausted(Exception):
    """The check would take too long."""


def validator_of(schema: Mapping[str, Any]) -> Any:
    """A validator of a schema that `dialect.read` has read."""
    return _Validator(schema, registry=_NO_FETCHING)


def errors_of(validator: Any, value: object) -> list[ValidationError]:
    """What the validator finds until it ends, takes too long or goes too deep: what is found is found."""
    found: list[ValidationError] = []
    reset = _steps.set([_MOST_STEPS])
    try:
        for error in validator.iter_errors(value):
            found.append(error)
            if len(found) == _MOST_ERRORS:
                break
    except (_Exhausted, Unresolvable, RecursionError, ValueError):
        # A ValueError is Python's refusal to write an integer of thousands of digits into jsonschema's message.
        pass
    finally:
        _steps.reset(reset)
    return found


def _spend(steps: int) -> None:
    left = _steps.get()
    left[0] -= steps
    if left[0] < 0:
        raise _Exhausted


def _counted(keyword: _Keyword) -> _Keyword:
    def run(validator: Any, stated: Any, value: Any, schema: Any) -> Iterable[ValidationError] | None:
        _spend(1)
        return keyword(validator, stated, value, schema)

    return run


def _required(_validator: Any, names: Sequence[str], value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for name in names:
            if name not in value:
                yield ValidationError("is missing", path=[name])


def _additional_properties(validator: Any, stated: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(value, dict):
        return
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", ())
    for name, one in cast("dict[str, object]", value).items():
        _spend(1)
        if name in known or any(_matches(pattern, name) for pattern in patterns):
            continue
        if stated is False:
            yield ValidationError("is not known", path=[name])
        else:
            yield from validator.descend(one, stated, path=name)


def _pattern_properties(validator: Any, stated: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if not isinstance(value, dict):
        return
    for pattern, one in cast("dict[str, object]", stated).items():
        for name, below in cast("dict[str, object]", value).items():
            _spend(1)
            # A pattern that cannot be read names no fields: taking it for all of them would refuse what may fit.
            if _matches(pattern, name, unread=False):
                yield from validator.descend(below, one, path=name, schema_path=pattern)


def _property_names(validator: Any, stated: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for name in cast("dict[str, object]", value):
            for error in validator.descend(name, stated):
                yield ValidationError("its name does not fit", path=[name], context=[error])


def _dependent_required(_validator: Any, stated: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for name, needed in cast("dict[str, Sequence[str]]", stated).items():
            for other in needed if name in value else ():
                if other not in value:
                    yield ValidationError(f"is required, because {name} is given", path=[other])


def _pattern(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not _matches(pattern, value):
        yield ValidationError("does not match")


def _matches(pattern: str, text: str, *, unread: bool = True) -> bool:
    _spend(work(pattern, text) // 1_000)
    return matches(pattern, text, unread=unread)


def _format(_validator: Any, name: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not fits_format(name, value):
        yield ValidationError("is in another format")


def _enum(_validator: Any, choices: Sequence[Any], value: Any, _schema: Any) -> Iterator[ValidationError]:
    _spend(len(choices) // 100)
    # Python's own search is fast and takes too much (True for 1), never too little.
    if value not in choices or _key(value) not in map(_key, choices):
        yield ValidationError("is no choice")


def _const(_validator: Any, wanted: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if _key(value) != _key(wanted):
        yield ValidationError("is another value")


def _unique_items(_validator: Any, wanted: bool, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if wanted and isinstance(value, list):
        items = cast("list[object]", value)
        if len(set(map(_key, items))) < len(items):
            yield ValidationError("has an item twice")


def _key(value: Any) -> Hashable:
    """The value as something that is equal exactly when JSON says so: 1 is 1.0 and not true."""
    if isinstance(value, bool):
        return ("flag", value)
    if isinstance(value, list):
        return ("list", *map(_key, cast("list[object]", value)))
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value).items()
        return ("object", frozenset((name, _key(below)) for name, below in fields))
    return value


def _multiple_of(_validator: Any, factor: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
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


def _nothing(_validator: Any, _stated: Any, _value: Any, _schema: Any) -> None:
    """For a keyword that is not checked: it would need Python's own regular expressions."""


_OWN: Mapping[str, _Keyword] = {
    "required": _required,
    "additionalProperties": _additional_properties,
    "patternProperties": _pattern_properties,
    "propertyNames": _property_names,
    "dependentRequired": _dependent_required,
    "pattern": _pattern,
    "format": _format,
    "enum": _enum,
    "const": _const,
    "uniqueItems": _unique_items,
    "multipleOf": _multiple_of,
    "unevaluatedProperties": _nothing,
    "unevaluatedItems": _nothing,
}
_KEYWORDS = {**cast("Mapping[str, _Keyword]", Draft202012Validator.VALIDATORS), **_OWN}
_Validator = cast("Any", validators).extend(
    Draft202012Validator, {key: _counted(keyword) for key, keyword in _KEYWORDS.items()}
)
