"""Hypothesis strategies for google.genai and ADK models, derived from their annotations to cover all fields."""

from __future__ import annotations

import datetime
import types as python_types
from collections.abc import Callable
from enum import Enum
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

from google.adk.agents.context_cache_config import ContextCacheConfig
from google.adk.models.cache_metadata import CacheMetadata
from google.genai import types
from hypothesis import strategies as st
from pydantic import BaseModel

T = TypeVar("T", bound=BaseModel)


def join_surrogates(text: str) -> str:
    """Return a text in which two surrogates that encode a character are that character: in JSON they are the same."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


TEXT = st.text(st.characters(exclude_categories=()), max_size=8).map(join_surrogates)
"""Any text, including lone surrogates."""

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**53 + 1, -(2**63), 10**400, 5, 5.0, True, -0.0])
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
JSON = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6
)
OBJECT = st.dictionaries(TEXT, JSON, max_size=3)

_TYPES: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXT,
    bool: st.booleans(),
    int: st.integers(),
    float: st.floats(allow_nan=False),
    bytes: st.binary(max_size=8),
    Any: JSON,
    datetime.datetime: st.datetimes(timezones=st.sampled_from([datetime.UTC, datetime.timezone.max])),
}


class Answer(BaseModel):
    """An output schema defined by a class."""

    zip: str
    age: int = 5


_FIELD_STRATEGIES: dict[str, Callable[[int], st.SearchStrategy[Any]]] = {
    "tools": lambda depth: st.lists(models(types.Tool, depth=depth), max_size=2),
    "response_schema": lambda depth: st.sampled_from([Answer, list[Answer], {"type": "object"}, types.Schema()]),
    "response_json_schema": lambda depth: OBJECT,
    "parsed": lambda depth: st.none(),
    "cache_config": lambda depth: st.builds(ContextCacheConfig, cache_intervals=st.integers(1, 100)),
    "cache_metadata": lambda depth: st.builds(CacheMetadata, fingerprint=TEXT, contents_count=st.integers(0)),
}
"""Fields whose annotation does not fully describe their values."""

_MAX_DEPTH = 5


@st.composite
def models(draw: st.DrawFn, kind: type[T], *, only: str = "", depth: int = _MAX_DEPTH) -> T:
    """Draw a value of `kind` with some of its fields; with `only`, with that field."""
    fields = {
        name: field.annotation
        for name, field in kind.model_fields.items()
        if _is_drawable(field.annotation) and not field.exclude
    }
    if depth <= 0 or not fields:
        return kind()
    names = [only] if only else draw(st.lists(st.sampled_from(sorted(fields)), max_size=3, unique=True))
    stated = {
        name: draw(
            _FIELD_STRATEGIES[name](depth - 1)
            if name in _FIELD_STRATEGIES
            else _build_strategy(fields[name], depth - 1)
        )
        for name in names
    }
    return kind.model_validate(stated)


def _build_strategy(annotation: Any, depth: int) -> st.SearchStrategy[Any]:
    if annotation in _TYPES:
        return _TYPES[annotation]
    arguments = get_args(annotation)
    match get_origin(annotation):
        case None:
            return _build_class_strategy(cast("type", annotation), depth)
        case origin if origin is Union or origin is python_types.UnionType:
            return st.one_of(
                *(_build_strategy(one, depth) for one in arguments if _is_drawable(one) and one is not type(None))
            )
        case origin if origin is Literal:
            return st.sampled_from(arguments)
        case origin if origin is list:
            return st.lists(_build_strategy(arguments[0], depth), max_size=2)
        case _:
            return st.dictionaries(TEXT, _build_strategy(arguments[1], depth), max_size=3)


def _build_class_strategy(kind: type, depth: int) -> st.SearchStrategy[Any]:
    if issubclass(kind, Enum):
        return st.sampled_from(list(kind))
    return st.deferred(lambda: models(cast("type[BaseModel]", kind), depth=depth))


def _is_drawable(annotation: Any) -> bool:
    """Return whether a value can be drawn: open connections and the code of tools cannot."""
    if annotation in _TYPES:
        return True
    if get_origin(annotation) is None:
        return isinstance(annotation, type) and issubclass(annotation, Enum | BaseModel)
    return any(map(_is_drawable, get_args(annotation)))
