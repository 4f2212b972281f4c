"""Converts any Python value to JSON for recording; never modifies or consumes the value, and never fails.

Tools can return anything: iterators, cyclic structures, lone surrogates, objects that are not serializable. The result
is a copy, in which a value without a JSON form is replaced by its `repr`.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from binascii import a2b_base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import dump_json, is_too_deep

_MAX_DEPTH = 250
"""Values nested deeper than this are replaced by their `repr`."""

_MAX_LINE_CHARS = 70


def to_json_value(value: object) -> Json:
    """Convert a value to JSON; unset fields are left out of google.genai and ADK models, but not of other models."""
    return _convert_value(value, ())


def format_json_value(value: Json) -> str:
    """Return a value as JSON text, on one line if it is short."""
    exact = to_json_value(value)
    line = dump_json(exact)
    return line if len(line) <= _MAX_LINE_CHARS else dump_json(exact, indent=2)


def decode_base64(text: str) -> bytes:
    """Return the bytes of a base64 text; raise ValueError if it is invalid.

    google.genai writes the URL-safe alphabet, other clients the standard one, some without padding.
    """
    return a2b_base64(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4))


def _convert_value(value: object, ancestor_ids: tuple[int, ...]) -> Json:
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Enum):
        return _convert_value(value.value, ancestor_ids)
    if isinstance(value, int | float):
        return value
    if isinstance(value, bytes | bytearray):
        return urlsafe_b64encode(value).decode("ascii")
    # Only ancestors make a cycle: a value may well occur several times side by side.
    if id(value) in ancestor_ids or len(ancestor_ids) >= _MAX_DEPTH:
        return _safe_repr(value)
    deeper = (*ancestor_ids, id(value))
    if isinstance(value, Mapping):
        mapping = cast("Mapping[object, object]", value)
        return {_convert_key(key): _convert_value(inner, deeper) for key, inner in mapping.items()}
    if isinstance(value, list | tuple | AbstractSet):
        return [_convert_value(inner, deeper) for inner in _list_in_order(cast("Iterable[object]", value))]
    if isinstance(value, BaseModel):
        return _convert_model(value, deeper)
    return _convert_with_pydantic(value, len(ancestor_ids))


def _convert_model(model: BaseModel, ancestor_ids: tuple[int, ...]) -> Json:
    if not type(model).__module__.startswith("google."):
        return _convert_with_pydantic(model, len(ancestor_ids))
    set_fields = {name: inner for name, inner in model.__dict__.items() if inner is not None}
    set_fields |= {name: inner for name, inner in (model.__pydantic_extra__ or {}).items() if inner is not None}
    return {
        name: _convert_value(inner, ancestor_ids) for name, inner in set_fields.items() if _is_serialized(model, name)
    }


def _is_serialized(model: BaseModel, name: str) -> bool:
    field = type(model).model_fields.get(name)
    return field is None or not field.exclude


def _convert_with_pydantic(value: object, depth: int) -> Json:
    """Convert dates, paths, dataclasses and other models at a depth the way pydantic does."""
    if isinstance(value, Iterator):
        # Pydantic would consume the iterator, and the agent would find it empty.
        return _safe_repr(cast("object", value))
    try:
        converted = to_jsonable_python(value, fallback=_safe_repr, inf_nan_mode="constants", serialize_unknown=True)
        return _safe_repr(value) if is_too_deep(converted, max(_MAX_DEPTH - depth, 1)) else converted
    except Exception:  # noqa: BLE001 - a custom serializer may raise anything, but recording must not fail
        return _safe_repr(value)


def _list_in_order(values: Iterable[object]) -> Sequence[object]:
    """Return the values as a list; sets are sorted, so that equal sets give equal JSON."""
    listed = list(values)
    return sorted(listed, key=repr) if isinstance(values, AbstractSet) else listed


def _convert_key(key: object) -> str:
    if isinstance(key, Enum):
        return _convert_key(key.value)
    # As JSON encoders write it: Python's own text of True and False begins with a capital.
    if isinstance(key, bool):
        return str(key).lower()
    return key if isinstance(key, str) else str(key)


def _safe_repr(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a custom __repr__ may raise anything
        text = object.__repr__(value)
    return text if len(text) <= 10_000 else f"{text[:10_000]}..."
