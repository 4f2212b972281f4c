"""Any Python value as plain JSON, safe to keep: looking at a value must never change it, use it up, or fail.

Tools return what they like: iterators, cycles, half surrogate pairs, objects without a JSON form. What is recorded is
a copy; what has no JSON form is shown as `repr` shows it.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from adk_agent_sim.timeline.canonical_json import Json

_MAX_DEPTH = 250
"""Beyond this depth a value is shown, not kept."""


def to_json_value(value: object) -> Json:
    """The value as JSON. Fields of ADK's own models that are not set are left out; other models keep all of theirs."""
    return _convert_value(value, ())


def _convert_value(value: object, ancestor_ids: tuple[int, ...]) -> Json:
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Enum):
        return _convert_value(value.value, ancestor_ids)
    if isinstance(value, int | float):
        return value
    if isinstance(value, bytes | bytearray):
        return urlsafe_b64encode(value).decode("ascii")
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
    return _convert_with_pydantic(value)


def _convert_model(model: BaseModel, ancestor_ids: tuple[int, ...]) -> Json:
    if not type(model).__module__.startswith("google."):
        return _convert_with_pydantic(model)
    set_fields = {name: inner for name, inner in model.__dict__.items() if inner is not None}
    set_fields |= {name: inner for name, inner in (model.__pydantic_extra__ or {}).items() if inner is not None}
    return {
        name: _convert_value(inner, ancestor_ids) for name, inner in set_fields.items() if _is_serialized(model, name)
    }


def _is_serialized(model: BaseModel, name: str) -> bool:
    field = type(model).model_fields.get(name)
    return field is None or not field.exclude


def _convert_with_pydantic(value: object) -> Json:
    """A date, a path, a dataclass, somebody's model: as pydantic writes it."""
    if isinstance(value, Iterator):
        return _safe_repr(cast("object", value))
    try:
        return to_jsonable_python(value, fallback=_safe_repr, inf_nan_mode="constants", serialize_unknown=True)
    except Exception:  # noqa: BLE001 - somebody's serializer may raise anything, and recording must not
        return _safe_repr(value)


def _list_in_order(values: Iterable[object]) -> Sequence[object]:
    """A set has no order of its own: it gets one, so that equal sets are written alike."""
    listed = list(values)
    return sorted(listed, key=repr) if isinstance(values, AbstractSet) else listed


def _convert_key(key: object) -> str:
    if isinstance(key, Enum):
        return _convert_key(key.value)
    if isinstance(key, bool):
        return str(key).lower()
    return key if isinstance(key, str) else str(key)


def _safe_repr(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - somebody's repr may raise anything
        text = object.__repr__(value)
    return text if len(text) <= 10_000 else f"{text[:10_000]}..."
