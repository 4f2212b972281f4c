"""Says what the validator found in words for the person who fills a form: the field, and what would fit there.

The words for one keyword are in `messages.py`; here is what needs the whole schema, or all variants of a union.
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
from adk_agent_sim.forms.schema_dialect import JsonSchema, resolve_reference
from adk_agent_sim.forms.text_formats import TEXT_FORMATS


class ProblemWriter:
    """The words for one schema."""

    def __init__(self, root: JsonSchema) -> None:
        self._root = root

    def write_problems(self, error: ValidationError) -> Iterable[Problem]:
        """One error of the validator as problems at the fields they concern."""
        if error.validator in ("anyOf", "oneOf") and error.context:
            return self._explain_no_variant(error)
        return [Problem(path=format_path(error.absolute_path), message=self._write_message(error))]

    def _write_message(self, error: ValidationError) -> str:
        if error.validator == "required":
            wanted = self._describe_expected(get_failed_schema(error).get("properties", {}).get(error.path[-1]))
            return f"is required ({wanted})" if wanted else "is required"
        if error.validator == "propertyNames" and error.context:
            return f"its name {self._write_message(error.context[0])}"
        return format_message(error)

    def _explain_no_variant(self, error: ValidationError) -> Iterable[Problem]:
        """A value that fits no variant of a union: what is wrong with the variant that was meant, if that is clear."""
        if missing := _find_missing_discriminator(error):
            return [missing]
        groups = _group_by_variant(error)
        meant = [errors for errors in groups if not any(map(_is_type_mismatch, errors))]
        tagged = [errors for errors in meant if not any(map(_is_discriminator_mismatch, errors))]
        if len(tagged) == 1 or len(meant) == 1:
            return [problem for one in (tagged or meant)[0] for problem in self.write_problems(one)]
        if meant and not tagged and (wrong := _find_wrong_discriminator(meant)):
            return [wrong]
        return [Problem(path=format_path(error.absolute_path), message=self._describe_no_match(error, groups, meant))]

    def _describe_no_match(self, error: ValidationError, groups: Sequence[Any], candidates: Sequence[Any]) -> str:
        variants = cast("Sequence[Any]", error.validator_value)
        kinds = [self._describe_type(variant) for variant in variants]
        if all(kinds) and (not candidates or len(set(kinds)) == len(kinds)):
            distinct = dict.fromkeys(cast("list[str]", kinds))
            if len(distinct) == len(kinds):
                return f"is {abbreviate_value(error.instance)}, must be {' or '.join(distinct)}"
        closest = min(candidates, key=len) if candidates else None
        hint = f"; closest: {next(iter(self.write_problems(closest[0])))}" if closest else ""
        return f"is {abbreviate_value(error.instance)}, fits none of {len(variants)} variants{hint}"

    def _describe_type(self, schema: object) -> str | None:
        """What a schema wants, in a word or two; None if that takes more."""
        found = self._follow_references(schema)
        if "const" in found:
            return abbreviate_value(found["const"])
        if "enum" in found:
            return f"one of: {format_choices(found['enum'])}"
        stated = found.get("type")
        return format_types(stated) if stated else None

    def _describe_expected(self, schema: object) -> str | None:
        found = self._follow_references(schema)
        if isinstance(name := found.get("format"), str) and name in TEXT_FORMATS:
            return TEXT_FORMATS[name].expected
        variants = cast("Sequence[Any]", found.get("anyOf") or found.get("oneOf") or ())
        kinds = dict.fromkeys(self._describe_type(variant) for variant in variants)
        if variants and all(kinds):
            return " or ".join(map(str, kinds))
        return self._describe_type(found)

    def _follow_references(self, schema: object) -> Mapping[str, Any]:
        """The schema, or what its reference names; a chain of references is followed a little way only."""
        for _ in range(5):
            if not isinstance(schema, Mapping):
                return {}
            found = cast("Mapping[str, Any]", schema)
            if "$ref" not in found:
                return found
            schema = resolve_reference(self._root, found["$ref"])
        return {}


def _group_by_variant(error: ValidationError) -> list[list[ValidationError]]:
    variants: dict[object, list[ValidationError]] = {}
    for one in error.context or ():
        variants.setdefault(one.relative_schema_path[0], []).append(one)
    return list(variants.values())


def _is_type_mismatch(error: ValidationError) -> bool:
    """Whether the value itself, not something in it, is of another type than the variant."""
    return error.validator in ("type", "const", "enum") and not error.relative_path


def _is_discriminator_mismatch(error: ValidationError) -> bool:
    """Whether a field of the value says that another variant was meant."""
    return error.validator in ("const", "enum") and len(error.relative_path) == 1


def _find_missing_discriminator(error: ValidationError) -> Problem | None:
    """What to say when the field that tells the variants apart is not there."""
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
    """What to say when one field, in every variant, wants other values than it has."""
    fields = [{one.relative_path[0]: one for one in errors if _is_discriminator_mismatch(one)} for errors in groups]
    shared = [name for name in fields[0] if all(name in tags for tags in fields)]
    if not shared:
        return None
    tags = [one[shared[0]] for one in fields]
    wanted = [value for tag in tags for value in _get_allowed_values(tag)]
    message = f"is {abbreviate_value(tags[0].instance)}, must be one of: {format_choices(wanted)}"
    return Problem(path=format_path(tags[0].absolute_path), message=message)


def _get_allowed_values(error: ValidationError) -> Sequence[Any]:
    stated = cast("Any", error.validator_value)
    return stated if error.validator == "enum" else [stated]
