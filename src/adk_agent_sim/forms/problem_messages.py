"""What each keyword of a schema wants, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from jsonschema.exceptions import ValidationError

from adk_agent_sim.forms.text_formats import TEXT_FORMATS

_MAX_NAMES = 20


def format_message(error: ValidationError) -> str:
    """What is wrong with one value, by one keyword."""
    return _FORMATTERS.get(cast("str", error.validator), _format_other_error)(error)


def _format_type_error(error: ValidationError) -> str:
    return f"is {abbreviate_value(error.instance)}, must be {format_types(error.validator_value)}"


def _format_enum_error(error: ValidationError) -> str:
    choices = format_choices(cast("Sequence[Any]", error.validator_value))
    return f"is {abbreviate_value(error.instance)}, must be one of: {choices}"


def _format_unknown_field_error(error: ValidationError) -> str:
    if error.validator_value is not False:
        return _format_other_error(error)
    names = list(get_failed_schema(error).get("properties", {}))
    known = _append_remaining_count(names, ", ".join(names[:_MAX_NAMES])) or "none"
    return f"is not a field here; the fields are: {known}"


def _format_length_error(error: ValidationError) -> str:
    least, most = get_failed_schema(error).get("minLength"), get_failed_schema(error).get("maxLength")
    return f"is {abbreviate_value(error.instance)}, must have {_format_range(least, most, 'character')}"


def _format_item_count_error(error: ValidationError) -> str:
    items = cast("Sequence[Any]", error.instance)
    least, most = get_failed_schema(error).get("minItems"), get_failed_schema(error).get("maxItems")
    return f"has {_format_count(len(items), 'item')}, must have {_format_range(least, most, 'item')}"


def _format_field_count_error(error: ValidationError) -> str:
    fields = cast("Sequence[Any]", error.instance)
    least, most = get_failed_schema(error).get("minProperties"), get_failed_schema(error).get("maxProperties")
    return f"has {_format_count(len(fields), 'field')}, must have {_format_range(least, most, 'field')}"


def _format_extra_items_error(error: ValidationError) -> str:
    if error.validator_value is not False:
        return _format_other_error(error)
    places = len(get_failed_schema(error).get("prefixItems", ()))
    items = cast("Sequence[Any]", error.instance)
    return f"has {_format_count(len(items), 'item')}, must have at most {_format_count(places, 'item')}"


def _format_duplicate_item_error(error: ValidationError) -> str:
    items = cast("Sequence[Any]", error.instance)
    seen: list[Any] = []
    for item in items[:1_000]:
        if item in seen:
            return f"has {abbreviate_value(item)} twice, must have each item once"
        seen.append(item)
    return "has an item twice, must have each item once"


def _format_text_format_error(error: ValidationError) -> str:
    return f"is {abbreviate_value(error.instance)}, must be {TEXT_FORMATS[cast('str', error.validator_value)].expected}"


def _format_ambiguous_variant_error(error: ValidationError) -> str:
    name = find_discriminator(error)
    how = f"; set {name} to say which" if name else ""
    return f"is {abbreviate_value(error.instance)}, fits several variants and must fit exactly one{how}"


def _format_dependency_error(error: ValidationError) -> str:
    return error.message


def _format_other_error(error: ValidationError) -> str:
    return f"is {abbreviate_value(error.instance)}, which the schema does not take ({error.validator})"


def _make_formatter(template: str) -> Callable[[ValidationError], str]:
    """A message with the value and what the keyword states."""

    def format_error(error: ValidationError) -> str:
        return template.format(value=abbreviate_value(error.instance), stated=abbreviate_value(error.validator_value))

    return format_error


_FORMATTERS: Mapping[str, Callable[[ValidationError], str]] = {
    "type": _format_type_error,
    "enum": _format_enum_error,
    "const": _make_formatter("is {value}, must be {stated}"),
    "additionalProperties": _format_unknown_field_error,
    "minimum": _make_formatter("{value} is less than the minimum of {stated}"),
    "maximum": _make_formatter("{value} is more than the maximum of {stated}"),
    "exclusiveMinimum": _make_formatter("is {value}, must be more than {stated}"),
    "exclusiveMaximum": _make_formatter("is {value}, must be less than {stated}"),
    "multipleOf": _make_formatter("is {value}, must be a multiple of {stated}"),
    "pattern": _make_formatter("is {value}, must match the pattern {stated}"),
    "minLength": _format_length_error,
    "maxLength": _format_length_error,
    "minItems": _format_item_count_error,
    "maxItems": _format_item_count_error,
    "minProperties": _format_field_count_error,
    "maxProperties": _format_field_count_error,
    "items": _format_extra_items_error,
    "uniqueItems": _format_duplicate_item_error,
    "format": _format_text_format_error,
    "oneOf": _format_ambiguous_variant_error,
    "dependentRequired": _format_dependency_error,
    "not": _make_formatter("is {value}, which is ruled out"),
    "contains": _make_formatter("is {value}, lacks an item that it must have"),
}
_TYPE_NAMES = {
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def format_types(types: object) -> str:
    """What a `type` keyword wants."""
    kinds = [types] if isinstance(types, str) else cast("Sequence[str]", types)
    return " or ".join(_TYPE_NAMES.get(kind, kind) for kind in kinds)


def format_choices(values: Sequence[Any]) -> str:
    """Values to choose from, not too many."""
    return _append_remaining_count(values, ", ".join(abbreviate_value(value) for value in values[:_MAX_NAMES]))


def _append_remaining_count(values: Sequence[Any], text: str) -> str:
    more = len(values) - _MAX_NAMES
    return f"{text} and {more} more" if more > 0 else text


def _format_range(minimum: int | None, maximum: int | None, noun: str) -> str:
    if minimum is not None and minimum == maximum:
        return f"exactly {_format_count(minimum, noun)}"
    if maximum is None:
        return f"at least {_format_count(minimum or 0, noun)}"
    return f"{minimum} to {_format_count(maximum, noun)}" if minimum else f"at most {_format_count(maximum, noun)}"


def _format_count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def find_discriminator(error: ValidationError) -> str | None:
    """The field that tells the variants of a union apart, if the schema says it."""
    stated = cast("object", get_failed_schema(error).get("discriminator"))
    name = cast("Mapping[str, object]", stated).get("propertyName") if isinstance(stated, Mapping) else None
    return name if isinstance(name, str) else None


def get_failed_schema(error: ValidationError) -> Mapping[str, Any]:
    """The schema that the value does not fit."""
    return cast("Mapping[str, Any]", error.schema)


def format_path(path: Iterable[str | int]) -> str:
    """A path as a person writes it."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def abbreviate_value(value: object) -> str:
    """A value, cut where nobody reads on."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        # Nested deeper than the stack, or an integer with more digits than Python writes.
        return "too large to show"
    return text if len(text) <= 60 else f"{text[:57]}..."
