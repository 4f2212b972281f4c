"""Snapshots of google.genai values: `snapshot == value` says whether the value still converts to the same JSON.

A comparison costs a fraction of a conversion. Texts are kept by reference, because they cannot change and survive the
copies that ADK makes, so that Python compares two references. Whatever can change in place is kept as a copy: the
fields of a model one by one, dicts and lists as bytes of `marshal`, which distinguishes 5, 5.0 and True.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from pydantic import BaseModel

from adk_agent_sim.timeline.canonical_json import encode_json
from adk_agent_sim.timeline.json_conversion import to_json_value

_MARSHAL_VERSION = 2
"""Later versions write shared objects as references, so that equal values would differ."""


def take_snapshot(value: object) -> object:
    """Return a snapshot of a value; it is equal to another value only if both convert to the same JSON."""
    kind = type(value)
    if value is None or kind is str:
        return value
    if _is_converted_by_field(kind):
        return _ModelSnapshot(kind, take_fields_snapshot(cast("BaseModel", value)))
    if kind is list and value and isinstance(cast("list[object]", value)[0], BaseModel):
        return _ListSnapshot([take_snapshot(item) for item in cast("list[object]", value)])
    return _DumpedSnapshot(kind, _dump_exactly(value))


def take_fields_snapshot(model: BaseModel) -> Mapping[str, object]:
    """Return a snapshot to compare with the `__dict__` of a google.genai model."""
    return {name: take_snapshot(value) for name, value in model.__dict__.items()}


@lru_cache(maxsize=512)
def _is_converted_by_field(kind: type) -> bool:
    """Return whether `to_json_value` converts the class field by field, and its fields are all there is to it."""
    return (
        issubclass(kind, BaseModel)
        and kind.__module__.startswith("google.")
        and kind.model_config.get("extra") != "allow"
    )


class _ModelSnapshot:
    """A model that is converted by field."""

    __slots__ = ("_fields", "_kind")
    __hash__ = None  # pyright: ignore[reportAssignmentType] - snapshots are only compared

    def __init__(self, kind: type, fields: Mapping[str, object]) -> None:
        self._kind = kind
        self._fields = fields

    def __eq__(self, other: object) -> bool:
        return type(other) is self._kind and other.__dict__ == self._fields


class _ListSnapshot:
    """A list of models."""

    __slots__ = ("_items",)
    __hash__ = None  # pyright: ignore[reportAssignmentType] - snapshots are only compared

    def __init__(self, items: Sequence[object]) -> None:
        self._items = items

    def __eq__(self, other: object) -> bool:
        return type(other) is list and self._items == other


class _DumpedSnapshot:
    """Any other value; of the same type, because 1 is True to Python, and an enum's member equals its value."""

    __slots__ = ("_dumped", "_kind")
    __hash__ = None  # pyright: ignore[reportAssignmentType] - snapshots are only compared

    def __init__(self, kind: type, dumped: bytes | str) -> None:
        self._kind = kind
        self._dumped = dumped

    def __eq__(self, other: object) -> bool:
        return type(other) is self._kind and _dump_exactly(other) == self._dumped


def _dump_exactly(value: Any) -> bytes | str:
    """Return the value as bytes; what `marshal` does not know, such as a date or a subclass, as its JSON text."""
    try:
        return marshal.dumps(value, _MARSHAL_VERSION)
    except ValueError:
        return encode_json(to_json_value(value)).decode("ascii")
