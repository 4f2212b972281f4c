"""Checks values against a JSON Schema and reports problems by field: which one it is, and what it accepts.

Schemas come from tools and are untrusted: references are never fetched, malformed keywords are ignored, and time is
bounded for every schema and value. A valid value is never rejected; a few invalid ones are accepted.

The messages for single keywords are in `problem_messages.py`. This module handles what needs the whole schema or all
variants of a union.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from jsonschema.exceptions import ValidationError

from adk_agent_sim.errors import Problem
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
from adk_agent_sim.forms.schema_validator import build_validator, collect_errors
from adk_agent_sim.forms.text_formats import TEXT_FORMATS

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
