"""Checks a value against a JSON Schema and says what is wrong, field by field.

Schemas come from tools and are hostile text: a reference is never fetched, and a schema that cannot be read checks
nothing rather than failing the person who fills the form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

from adk_agent_sim.errors import Problem
from adk_agent_sim.forms.schema import JsonSchema

_NO_FETCHING: Registry[Any] = Registry()


class Check:
    """A schema made ready to check many values."""

    def __init__(self, schema: JsonSchema) -> None:
        """Make ready `schema`; a schema that is itself malformed accepts everything."""
        self._validator: Any = None
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError:
            return
        self._validator = Draft202012Validator(schema, registry=_NO_FETCHING)

    def problems(self, value: object) -> list[Problem]:
        """All that is wrong with `value`, in the order of the schema's fields."""
        if self._validator is None:
            return []
        try:
            found = cast("list[ValidationError]", list(self._validator.iter_errors(value)))
            return [problem for error in found for problem in _problems(error)]
        except (Unresolvable, RecursionError):
            return []


def arguments_check(schema: JsonSchema) -> Check:
    """The check of a call's arguments: a name that the schema does not have is a problem, unless it says otherwise."""
    if schema.get("properties") is not None and "additionalProperties" not in schema:
        schema = {**schema, "additionalProperties": False}
    return Check(schema)


def _problems(error: ValidationError) -> Iterable[Problem]:
    """One error of the validator as problems at the fields they concern."""
    where = list(error.absolute_path)
    if error.validator == "required":
        properties = _properties(error)
        missing = [name for name in cast("Sequence[str]", error.validator_value) if name not in _keys(error.instance)]
        for name in missing:
            if f"'{name}'" in error.message:
                yield Problem(path=dotted([*where, name]), message=f"is required{_wanted(properties.get(name))}")
        return
    if error.validator == "additionalProperties" and error.validator_value is False:
        known = _properties(error)
        names = ", ".join(known) or "none"
        for name in _keys(error.instance):
            if name not in known:
                yield Problem(path=dotted([*where, name]), message=f"is not a field here; the fields are: {names}")
        return
    if error.validator in ("anyOf", "oneOf") and error.context:
        yield from _no_variant(error)
        return
    yield Problem(path=dotted(where), message=_MESSAGES.get(cast("str", error.validator), _plain)(error))


def _no_variant(error: ValidationError) -> Iterable[Problem]:
    """A value that fits no variant of a union: what is wrong with the variant that was meant, if that is clear."""
    meant = [errors for errors in _by_variant(error) if not any(_is_other_kind(one) for one in errors)]
    if len(meant) == 1:
        return [problem for one in meant[0] for problem in _problems(one)]
    variants = cast("Sequence[JsonSchema]", error.validator_value)
    kinds = [_kind(variant) for variant in variants]
    where = dotted(error.absolute_path)
    if all(kinds):
        return [Problem(path=where, message=f"is {_shown(error.instance)}, must be {' or '.join(map(str, kinds))}")]
    closest = min(meant, key=len) if meant else None
    hint = f"; closest: {next(iter(_problems(closest[0])))}" if closest else ""
    return [Problem(path=where, message=f"is {_shown(error.instance)}, fits none of {len(variants)} variants{hint}")]


def _by_variant(error: ValidationError) -> Iterable[list[ValidationError]]:
    variants: dict[object, list[ValidationError]] = {}
    for one in error.context or ():
        variants.setdefault(one.relative_schema_path[0], []).append(one)
    return variants.values()


def _is_other_kind(error: ValidationError) -> bool:
    """Whether the value itself, not something in it, is of another type than the variant."""
    return error.validator == "type" and not error.relative_path


def _type(error: ValidationError) -> str:
    wanted = error.validator_value
    kinds = [wanted] if isinstance(wanted, str) else cast("Sequence[str]", wanted)
    return f"is {_shown(error.instance)}, must be {' or '.join(_KINDS.get(kind, kind) for kind in kinds)}"


def _enum(error: ValidationError) -> str:
    choices = ", ".join(_shown(choice) for choice in cast("Sequence[object]", error.validator_value))
    return f"is {_shown(error.instance)}, must be one of: {choices}"


def _plain(error: ValidationError) -> str:
    return error.message


_MESSAGES: Mapping[str, Callable[[ValidationError], str]] = {"type": _type, "enum": _enum}
_KINDS = {
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def _kind(schema: JsonSchema) -> str | None:
    stated = schema.get("type")
    simple = isinstance(stated, str) and not {"properties", "items", "enum", "const"} & schema.keys()
    return _KINDS.get(cast("str", stated)) if simple else None


def _wanted(schema: object) -> str:
    kind = _kind(cast("JsonSchema", schema)) if isinstance(schema, dict) else None
    return f" ({kind})" if kind else ""


def _properties(error: ValidationError) -> Mapping[str, Any]:
    schema = cast("Mapping[str, Any]", error.schema)
    return cast("Mapping[str, Any]", schema.get("properties", {}))


def _keys(value: object) -> Iterable[str]:
    return cast("Mapping[str, object]", value).keys() if isinstance(value, Mapping) else ()


def dotted(path: Iterable[str | int]) -> str:
    """A path to a field as people read it: `items[0].quantity`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
