"""Compares the response of a mock with that of the real tool, in shape and in values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from adk_agent_sim.mocks.response_errors import is_error_response
from adk_agent_sim.timeline.canonical_json import Json, encode_json, normalize_value
from adk_agent_sim.timeline.json_equality import equals_value

_MAX_SHOWN = 60
_MISSING = object()
_Place: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ResponseDrift:
    """How far a mocked response is from the real one."""

    shape: float
    """The share of fields, lists and objects that both have with the same type; 1 if the shape is the same."""

    values: float
    """The share of values that both have at the same place; 1 if the responses are equal."""

    differences: Sequence[str]
    """What differs, a line for each place."""


def compare_responses(mocked: Json, real: Json) -> ResponseDrift:
    """Compare two responses. If only one of them is an error, nothing is the same."""
    if is_error_response(mocked) != is_error_response(real):
        who, error = ("the mock", mocked) if is_error_response(mocked) else ("the real tool", real)
        return ResponseDrift(shape=0.0, values=0.0, differences=[f"only {who} failed: {_format(error)}"])
    shapes = set(_iter_shape(mocked, ())), set(_iter_shape(real, ()))
    found, wanted = dict(_iter_values(mocked, ())), dict(_iter_values(real, ()))
    places = [*wanted, *(place for place in found if place not in wanted)]
    different = [place for place in places if not equals_value(found.get(place, _MISSING), wanted.get(place, _MISSING))]
    return ResponseDrift(
        shape=_divide(len(shapes[0] & shapes[1]), len(shapes[0] | shapes[1])),
        values=_divide(len(places) - len(different), len(places)),
        differences=[_describe(place, found, wanted) for place in different],
    )


def has_same_shape(mocked: Json, real: Json) -> bool:
    """Whether two responses have the same fields with the same types; lists may have other lengths, and be empty."""
    if isinstance(mocked, Mapping) and isinstance(real, Mapping):
        fields, others = cast("Mapping[str, Json]", mocked), cast("Mapping[str, Json]", real)
        return fields.keys() == others.keys() and all(has_same_shape(fields[key], others[key]) for key in fields)
    if isinstance(mocked, list) and isinstance(real, list):
        items, others = cast("list[Json]", mocked), cast("list[Json]", real)
        return not items or not others or all(any(has_same_shape(item, each) for each in others) for item in items)
    return _name_type(mocked) == _name_type(real)


def _name_type(value: Json) -> str:
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "text"
        case list():
            return "list"
        case None:
            return "null"
        case _:
            return "object"


def _iter_shape(value: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every place with the type of its value; the items of a list have one place."""
    yield path, _name_type(value)
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Json]", value).items():
            yield from _iter_shape(inner, (*path, key))
    elif isinstance(value, list):
        for inner in cast("list[Json]", value):
            yield from _iter_shape(inner, (*path, "*"))


def _iter_values(value: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Yield every leaf with its place; an empty list or object is a leaf."""
    if isinstance(value, Mapping) and value:
        for key, inner in cast("Mapping[str, Json]", value).items():
            yield from _iter_values(inner, (*path, key))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(cast("list[Json]", value)):
            yield from _iter_values(inner, (*path, str(index)))
    else:
        yield path, normalize_value(value)


def _describe(place: _Place, found: Mapping[_Place, Json], wanted: Mapping[_Place, Json]) -> str:
    name = ".".join(place) or "the response"
    if place not in found:
        return f"{name}: missing; really {_format(wanted[place])}"
    if place not in wanted:
        return f"{name}: {_format(found[place])}, which the real tool does not have"
    return f"{name}: {_format(found[place])}; really {_format(wanted[place])}"


def _format(value: Json) -> str:
    text = encode_json(value).decode()
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}..."


def _divide(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
