"""The messages for failed keywords of a schema. `schema_checker.py` handles what needs the whole schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from jsonschema.exceptions import ValidationError

from adk_agent_sim.forms.text_formats import TEXT_FORMATS

_MAX_NAMES = 20


def format_message(error: ValidationError) -> str:
    """Return the message for one value that violates one keyword."""
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
    minimum, maximum = get_failed_schema(error).get("minLength"), get_failed_schema(error).get("maxLength")
    return f"is {abbreviate_value(error.instance)}, must have {_format_range(minimum, maximum, 'character')}"


def _format_item_count_error(error: ValidationError) -> str:
    items = cast("Sequence[Any]", error.instance)
    minimum, maximum = get_failed_schema(error).get("minItems"), get_failed_schema(error).get("maxItems")
    return f"has {_format_count(len(items), 'item')}, must have {_format_range(minimum, maximum, 'item')}"


def _format_field_count_error(error: ValidationError) -> str:
    fields = cast("Sequence[Any]", error.instance)
    minimum, maximum = get_failed_schema(error).get("minProperties"), get_failed_schema(error).get("maxProperties")
    return f"has {_format_count(len(fields), 'field')}, must have {_format_range(minimum, maximum, 'field')}"


def _format_extra_items_error(error: ValidationError) -> str:
    if error.validator_value is not False:
        return _format_other_error(error)
    max_items = len(get_failed_schema(error).get("prefixItems", ()))
    items = cast("Sequence[Any]", error.instance)
    return f"has {_format_count(len(items), 'item')}, must have at most {_format_count(max_items, 'item')}"


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
    hint = f"; set {name} to choose one" if name else ""
    return f"is {abbreviate_value(error.instance)}, matches several variants but must match exactly one{hint}"


def _format_dependency_error(error: ValidationError) -> str:
    return error.message


def _format_other_error(error: ValidationError) -> str:
    return f"is {abbreviate_value(error.instance)}, which the schema does not accept ({error.validator})"


def _make_formatter(template: str) -> Callable[[ValidationError], str]:
    """Return a formatter that fills the value and the keyword's value into a template."""

    def format_error(error: ValidationError) -> str:
        return template.format(value=abbreviate_value(error.instance), limit=abbreviate_value(error.validator_value))

    return format_error


_FORMATTERS: Mapping[str, Callable[[ValidationError], str]] = {
    "type": _format_type_error,
    "enum": _format_enum_error,
    "const": _make_formatter("is {value}, must be {limit}"),
    "additionalProperties": _format_unknown_field_error,
    "minimum": _make_formatter("{value} is less than the minimum of {limit}"),
    "maximum": _make_formatter("{value} is more than the maximum of {limit}"),
    "exclusiveMinimum": _make_formatter("is {value}, must be more than {limit}"),
    "exclusiveMaximum": _make_formatter("is {value}, must be less than {limit}"),
    "multipleOf": _make_formatter("is {value}, must be a multiple of {limit}"),
    "pattern": _make_formatter("is {value}, must match the pattern {limit}"),
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
    "not": _make_formatter("is {value}, which is not allowed"),
    "contains": _make_formatter("is {value}, which lacks a required item"),
}
_TYPE_NAMES = {
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def format_types(types: object) -> str:
    """Return the types of a `type` keyword in words."""
    kinds = [types] if isinstance(types, str) else cast("Sequence[str]", types)
    return " or ".join(_TYPE_NAMES.get(kind, kind) for kind in kinds)


def format_choices(values: Sequence[Any]) -> str:
    """Return the first choices as a list in one line, and how many more there are."""
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
    """Return the name of the discriminator field of a union, if the schema has one."""
    keyword = cast("object", get_failed_schema(error).get("discriminator"))
    name = cast("Mapping[str, object]", keyword).get("propertyName") if isinstance(keyword, Mapping) else None
    return name if isinstance(name, str) else None


def get_failed_schema(error: ValidationError) -> Mapping[str, Any]:
    """Return the schema that the value violates."""
    return cast("Mapping[str, Any]", error.schema)


def format_path(path: Iterable[str | int]) -> str:
    """Return a path as text, such as `items[0].price`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def abbreviate_value(value: object) -> str:
    """Return the value as text, cut to 60 characters."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        # Nested deeper than the stack, or an integer with more digits than Python converts to text (4,300).
        return "too large to show"
    return text if len(text) <= 60 else f"{text[:57]}..."
