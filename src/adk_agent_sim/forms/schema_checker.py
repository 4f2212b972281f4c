"""Checks values against a JSON Schema and reports problems by field: which one it is, and what it accepts.

Schemas come from tools and are untrusted: references are never fetched, malformed keywords are ignored, and time is
bounded for every schema and value. A valid value is never rejected; a few invalid ones are accepted.

jsonschema's validator is hardened for that: it limits its steps, matches patterns in linear time, and finds duplicates
in lists without comparing every pair.

The messages for single keywords are in `problem_messages.py`. This module handles what needs the whole schema or all
variants of a union.
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

from adk_agent_sim.errors import Problem
from adk_agent_sim.forms.bounded_regex import estimate_steps, is_match
from adk_agent_sim.forms.problem_messages import (
    abbreviate_value,
    find_discriminator,
    format_choices,
    format_message,
    format_path,
    format_types,
    get_failed_schema,
)
from adk_agent_sim.forms.schema_dialect import JsonSchema, normalize_schema, resolve_reference
from adk_agent_sim.forms.text_formats import TEXT_FORMATS, is_in_format

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


_COMPOSITION_KEYWORDS = frozenset({"$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"})


class SchemaChecker:
    """A compiled schema that can check many values.

    It differs from jsonschema in four points. Formats that a person mistypes are checked (`text_formats.py`). Patterns
    are matched with pydantic's engine (`bounded_regex.py`). Multiples of a fraction allow for rounding.
    `unevaluatedProperties` and `unevaluatedItems` are not checked.
    """

    def __init__(self, schema: JsonSchema) -> None:
        """Compile `schema`. A malformed keyword accepts everything."""
        normalized = normalize_schema(schema)
        self._validator = build_validator(normalized)
        self._problem_writer = ProblemWriter(normalized)

    def find_problems(self, value: object) -> list[Problem]:
        """Return the problems of `value`, in the order of the schema's fields."""
        return [
            problem
            for error in collect_errors(self._validator, value)
            for problem in self._problem_writer.write_problems(error)
        ]


def build_arguments_checker(schema: JsonSchema) -> SchemaChecker:
    """Return a checker of call arguments, which rejects unknown names unless the schema allows them.

    Schemas that combine others are left alone: their properties are not all listed at the top level.
    """
    if schema.get("properties") is not None and not {"additionalProperties", *_COMPOSITION_KEYWORDS} & schema.keys():
        schema = {**schema, "additionalProperties": False}
    return SchemaChecker(schema)


class ProblemWriter:
    """Writes the problems of values of one schema."""

    def __init__(self, root: JsonSchema) -> None:
        self._root = root

    def write_problems(self, error: ValidationError) -> Iterable[Problem]:
        """Convert one error of the validator to problems at the fields they concern."""
        # A oneOf error without context says that several variants match, rather than none.
        if error.validator in ("anyOf", "oneOf") and error.context:
            return self._explain_no_variant(error)
        return [Problem(path=format_path(error.absolute_path), message=self._write_message(error))]

    def _write_message(self, error: ValidationError) -> str:
        if error.validator == "required":
            expected = self._describe_expected(get_failed_schema(error).get("properties", {}).get(error.path[-1]))
            return f"is required ({expected})" if expected else "is required"
        if error.validator == "propertyNames" and error.context:
            return f"its name {self._write_message(error.context[0])}"
        return format_message(error)

    def _explain_no_variant(self, error: ValidationError) -> Iterable[Problem]:
        """Explain a value that matches no variant of a union, by the errors of the intended variant if it is clear."""
        if missing := _find_missing_discriminator(error):
            return [missing]
        groups = _group_by_variant(error)
        same_type = [errors for errors in groups if not any(map(_is_type_mismatch, errors))]
        same_tag = [errors for errors in same_type if not any(map(_is_discriminator_mismatch, errors))]
        if len(same_tag) == 1 or len(same_type) == 1:
            return [problem for each in (same_tag or same_type)[0] for problem in self.write_problems(each)]
        if same_type and not same_tag and (wrong := _find_wrong_discriminator(same_type)):
            return [wrong]
        message = self._describe_no_match(error, same_type)
        return [Problem(path=format_path(error.absolute_path), message=message)]

    def _describe_no_match(self, error: ValidationError, candidates: Sequence[Sequence[ValidationError]]) -> str:
        variants = cast("Sequence[Any]", error.validator_value)
        kinds = [self._describe_type(variant) for variant in variants]
        if all(kinds) and (not candidates or len(set(kinds)) == len(kinds)):
            distinct = dict.fromkeys(cast("list[str]", kinds))
            if len(distinct) == len(kinds):
                return f"is {abbreviate_value(error.instance)}, must be {' or '.join(distinct)}"
        closest = min(candidates, key=len) if candidates else None
        hint = f"; closest: {next(iter(self.write_problems(closest[0])))}" if closest else ""
        return f"is {abbreviate_value(error.instance)}, matches none of {len(variants)} variants{hint}"

    def _describe_type(self, schema: object) -> str | None:
        """Return what a schema accepts in a few words; None if that needs more."""
        target = self._follow_references(schema)
        if "const" in target:
            return abbreviate_value(target["const"])
        if "enum" in target:
            return f"one of: {format_choices(target['enum'])}"
        types = target.get("type")
        return format_types(types) if types else None

    def _describe_expected(self, schema: object) -> str | None:
        target = self._follow_references(schema)
        if isinstance(name := target.get("format"), str) and name in TEXT_FORMATS:
            return TEXT_FORMATS[name].expected
        variants = cast("Sequence[Any]", target.get("anyOf") or target.get("oneOf") or ())
        kinds = dict.fromkeys(self._describe_type(variant) for variant in variants)
        if variants and all(kinds):
            return " or ".join(map(str, kinds))
        return self._describe_type(target)

    def _follow_references(self, schema: object) -> Mapping[str, Any]:
        """Return the schema that a chain of at most five references leads to; references may form a cycle."""
        for _ in range(5):
            if not isinstance(schema, Mapping):
                return {}
            mapping = cast("Mapping[str, Any]", schema)
            if "$ref" not in mapping:
                return mapping
            schema = resolve_reference(self._root, mapping["$ref"])
        return {}


def _group_by_variant(error: ValidationError) -> list[list[ValidationError]]:
    variants: dict[object, list[ValidationError]] = {}
    for each in error.context or ():
        variants.setdefault(each.relative_schema_path[0], []).append(each)
    return list(variants.values())


def _is_type_mismatch(error: ValidationError) -> bool:
    """Whether the value itself, not something inside it, has another type than the variant."""
    return error.validator in ("type", "const", "enum") and not error.relative_path


def _is_discriminator_mismatch(error: ValidationError) -> bool:
    """Whether a field of the value selects another variant."""
    return error.validator in ("const", "enum") and len(error.relative_path) == 1


def _find_missing_discriminator(error: ValidationError) -> Problem | None:
    """Return the problem if the value lacks the discriminator field, otherwise None."""
    name = find_discriminator(error)
    value = cast("object", error.instance)
    if name is None or not isinstance(value, Mapping) or name in value:
        return None
    values = cast("object", get_failed_schema(error)["discriminator"].get("mapping"))
    known = (
        f" (one of: {format_choices(list(cast('Mapping[str, Any]', values)))})" if isinstance(values, Mapping) else ""
    )
    return Problem(path=format_path([*error.absolute_path, name]), message=f"is required{known}")


def _find_wrong_discriminator(groups: Sequence[Sequence[ValidationError]]) -> Problem | None:
    """Return the problem if one field has a value that no variant accepts, otherwise None."""
    fields = [{each.relative_path[0]: each for each in errors if _is_discriminator_mismatch(each)} for errors in groups]
    shared = [name for name in fields[0] if all(name in tags for tags in fields)]
    if not shared:
        return None
    tags = [each[shared[0]] for each in fields]
    allowed = [value for tag in tags for value in _get_allowed_values(tag)]
    message = f"is {abbreviate_value(tags[0].instance)}, must be one of: {format_choices(allowed)}"
    return Problem(path=format_path(tags[0].absolute_path), message=message)


def _get_allowed_values(error: ValidationError) -> Sequence[Any]:
    keyword_value = cast("Any", error.validator_value)
    return keyword_value if error.validator == "enum" else [keyword_value]
