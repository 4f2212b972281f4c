"""What each keyword of a schema wants, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from jsonschema.exceptions import ValidationError

from adk_agent_sim.forms.formats import FORMATS

_MOST_NAMES = 20


def message(error: ValidationError) -> str:
    """What is wrong with one value, by one keyword."""
    return _MESSAGES.get(cast("str", error.validator), _other)(error)


def _type(error: ValidationError) -> str:
    return f"is {shown(error.instance)}, must be {kinds_in_words(error.validator_value)}"


def _enum(error: ValidationError) -> str:
    return (
        f"is {shown(error.instance)}, must be one of: {choices_in_words(cast('Sequence[Any]', error.validator_value))}"
    )


def _unknown(error: ValidationError) -> str:
    if error.validator_value is not False:
        return _other(error)
    names = list(stated_by(error).get("properties", {}))
    known = _cut(names, ", ".join(names[:_MOST_NAMES])) or "none"
    return f"is not a field here; the fields are: {known}"


def _length(error: ValidationError) -> str:
    least, most = stated_by(error).get("minLength"), stated_by(error).get("maxLength")
    return f"is {shown(error.instance)}, must have {_range(least, most, 'character')}"


def _items(error: ValidationError) -> str:
    items = cast("Sequence[Any]", error.instance)
    least, most = stated_by(error).get("minItems"), stated_by(error).get("maxItems")
    return f"has {_count(len(items), 'item')}, must have {_range(least, most, 'item')}"


def _fields(error: ValidationError) -> str:
    fields = cast("Sequence[Any]", error.instance)
    least, most = stated_by(error).get("minProperties"), stated_by(error).get("maxProperties")
    return f"has {_count(len(fields), 'field')}, must have {_range(least, most, 'field')}"


def _too_many(error: ValidationError) -> str:
    if error.validator_value is not False:
        return _other(error)
    places = len(stated_by(error).get("prefixItems", ()))
    items = cast("Sequence[Any]", error.instance)
    return f"has {_count(len(items), 'item')}, must have at most {_count(places, 'item')}"


def _twice(error: ValidationError) -> str:
    items = cast("Sequence[Any]", error.instance)
    seen: list[Any] = []
    for item in items[:1_000]:
        if item in seen:
            return f"has {shown(item)} twice, must have each item once"
        seen.append(item)
    return "has an item twice, must have each item once"


def _format(error: ValidationError) -> str:
    return f"is {shown(error.instance)}, must be {FORMATS[cast('str', error.validator_value)].wanted}"


def _several(error: ValidationError) -> str:
    name = tag_of(error)
    how = f"; set {name} to say which" if name else ""
    return f"is {shown(error.instance)}, fits several variants and must fit exactly one{how}"


def _depends(error: ValidationError) -> str:
    return error.message


def _other(error: ValidationError) -> str:
    return f"is {shown(error.instance)}, which the schema does not take ({error.validator})"


def _says(words: str) -> Callable[[ValidationError], str]:
    """A message with the value and what the keyword states."""

    def message(error: ValidationError) -> str:
        return words.format(value=shown(error.instance), stated=shown(error.validator_value))

    return message


_MESSAGES: Mapping[str, Callable[[ValidationError], str]] = {
    "type": _type,
    "enum": _enum,
    "const": _says("is {value}, must be {stated}"),
    "additionalProperties": _unknown,
    "minimum": _says("{value} is less than the minimum of {stated}"),
    "maximum": _says("{value} is more than the maximum of {stated}"),
    "exclusiveMinimum": _says("is {value}, must be more than {stated}"),
    "exclusiveMaximum": _says("is {value}, must be less than {stated}"),
    "multipleOf": _says("is {value}, must be a multiple of {stated}"),
    "pattern": _says("is {value}, must match the pattern {stated}"),
    "minLength": _length,
    "maxLength": _length,
    "minItems": _items,
    "maxItems": _items,
    "minProperties": _fields,
    "maxProperties": _fields,
    "items": _too_many,
    "uniqueItems": _twice,
    "format": _format,
    "oneOf": _several,
    "dependentRequired": _depends,
    "not": _says("is {value}, which is ruled out"),
    "contains": _says("is {value}, lacks an item that it must have"),
}
_KINDS = {
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def kinds_in_words(stated: object) -> str:
    """What a `type` keyword wants."""
    kinds = [stated] if isinstance(stated, str) else cast("Sequence[str]", stated)
    return " or ".join(_KINDS.get(kind, kind) for kind in kinds)


def choices_in_words(values: Sequence[Any]) -> str:
    """Values to choose from, not too many."""
    return _cut(values, ", ".join(shown(value) for value in values[:_MOST_NAMES]))


def _cut(values: Sequence[Any], shown: str) -> str:
    more = len(values) - _MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def _range(least: int | None, most: int | None, noun: str) -> str:
    if least is not None and least == most:
        return f"exactly {_count(least, noun)}"
    if most is None:
        return f"at least {_count(least or 0, noun)}"
    return f"{least} to {_count(most, noun)}" if least else f"at most {_count(most, noun)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def tag_of(error: ValidationError) -> str | None:
    """The field that tells the variants of a union apart, if the schema says it."""
    stated = cast("object", stated_by(error).get("discriminator"))
    name = cast("Mapping[str, object]", stated).get("propertyName") if isinstance(stated, Mapping) else None
    return name if isinstance(name, str) else None


def stated_by(error: ValidationError) -> Mapping[str, Any]:
    """The schema that the value does not fit."""
    return cast("Mapping[str, Any]", error.schema)


def dotted(path: Iterable[str | int]) -> str:
    """A path as a person writes it."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def shown(value: object) -> str:
    """A value, cut where nobody reads on."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        # Nested deeper than the stack, or an integer with more digits than Python writes.
        return "too large to show"
    return text if len(text) <= 60 else f"{text[:57]}..."
