"""Counts at run time how often a value is converted on its way through our code: which shapes a text passes.

    call or return of a function of ours --> values that hold the text --> source shape -> new shape, by function

A shape is a value class (a dataclass, a pydantic model, a named tuple, a message of the protocol), of ours or of
ADK. Classes whose values contain each other are one shape: an event that is put into a batch is wrapped, not converted.
A conversion is a pair of shapes: a function that had a value of the one, and made a value of the other. A value that
was made while there was none of ours was made from JSON, which is a conversion too.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias, cast

from google.protobuf.message import Message
from pydantic import BaseModel

import adk_agent_sim

_SOURCES = str(Path(adk_agent_sim.__file__).parent)
_MAX_LENGTH = 50
"""Longer collections are not values that somebody has just clicked."""

Conversion: TypeAlias = tuple[type, type]


class ConversionTracer:
    """Records which value classes a text passes, while it is switched on."""

    def __init__(self, text: str) -> None:
        self.is_on = False
        self._text = text
        self._known: dict[int, object] = {}
        """The values that hold the text, by identity; kept, so that no other value gets the identity."""
        self._wrapped: set[frozenset[type]] = set()
        self._converted: dict[Conversion, str] = {}
        self._local = threading.local()

    @contextmanager
    def install(self) -> Generator[None]:
        """See the functions of this thread and of those that are started in the block."""
        threading.setprofile(self._on_event)
        sys.setprofile(self._on_event)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def list_conversions(self) -> Mapping[tuple[str, str], str]:
        """Return the first function of each conversion, by the names of its shapes, in order of appearance."""
        shapes = _Shapes(self._wrapped)
        found: dict[tuple[str, str], str] = {}
        for (source, target), function in self._converted.items():
            pair = shapes.name(source), shapes.name(target)
            if pair[0] != pair[1]:
                found.setdefault(pair, function)
        # The first value is where the way begins. A comprehension has no value of ours in its frame: JSON is a source
        # only of shapes that nothing else was converted to.
        first = next(iter(found), None)
        others = {target for source, target in found if source != "dict"}
        return {
            pair: function
            for pair, function in found.items()
            if pair[0] != "dict" or (pair != first and pair[1] not in others)
        }

    def _on_event(self, frame: FrameType, event: str, result: object) -> None:
        if not self.is_on or event not in ("call", "return") or getattr(self._local, "is_busy", False):
            return
        self._local.is_busy = True  # the functions that this calls are not traced
        try:
            caller = frame.f_back
            if event == "return" and _is_ours(frame):
                self._note_new(frame, [*frame.f_locals.values(), result])
            elif event == "call" and _is_ours(frame) and caller is not None and _is_ours(caller):
                # A value that is made in the arguments of a call was made by the caller.
                self._note_new(caller, frame.f_locals.values())
        finally:
            self._local.is_busy = False

    def _note_new(self, maker: FrameType, values: Iterable[object]) -> None:
        new = [value for value in self._iter_values(values) if id(value) not in self._known]
        if not new:
            return
        given = list(self._iter_values(maker.f_locals.values()))
        # Without another value of ours it was made from JSON, such as a request's body or arguments.
        sources = {type(value) for value in given if id(value) in self._known} or {dict}
        function = f"{Path(maker.f_code.co_filename).relative_to(_SOURCES)}: {maker.f_code.co_name}"
        for value in new:
            self._known[id(value)] = value
            self._wrapped |= {frozenset({type(value), type(part)}) for part in self._iter_values(_iter_parts(value))}
            for source in sources:
                self._converted.setdefault((source, type(value)), function)

    def _iter_values(self, values: Iterable[object]) -> Iterator[object]:
        """Yield the values of value classes that hold the text, also those in collections."""
        for value in values:
            if isinstance(value, list | tuple) and not hasattr(cast("object", value), "_fields"):
                items = cast("Sequence[object]", value)
                if len(items) < _MAX_LENGTH:
                    yield from self._iter_values(items)
            elif _is_value(value) and self._text in _describe(value):
                yield value


class _Shapes:
    """Value classes, grouped by which contain each other."""

    def __init__(self, wrapped: Iterable[frozenset[type]]) -> None:
        self._groups: dict[type, set[type]] = {}
        for pair in wrapped:
            merged = set(pair).union(*(self._groups.get(each, ()) for each in pair))
            self._groups.update(dict.fromkeys(merged, merged))

    def name(self, value_class: type) -> str:
        """Return the names of a shape's classes."""
        return " / ".join(sorted(each.__qualname__ for each in self._groups.get(value_class, {value_class})))


def _describe(value: Any) -> str:
    return str(value) if isinstance(value, Message) else repr(value)


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_SOURCES)


def _is_value(value: Any) -> bool:
    is_named_tuple = isinstance(value, tuple) and hasattr(cast("object", value), "_fields")
    return (
        isinstance(value, BaseModel | Message)
        or is_named_tuple
        or (is_dataclass(cast("object", value)) and not isinstance(value, type))
    )


def _iter_parts(value: Any) -> Iterator[object]:
    """Yield the values of the fields, also of those that are collections."""
    if isinstance(value, Message):
        yield from (part for _, part in value.ListFields())
        return
    if isinstance(value, BaseModel):
        names = list(type(value).model_fields)
    else:
        names = [field.name for field in fields(value)] if is_dataclass(value) else list(value._fields)
    for name in names:
        part = getattr(value, name, None)
        yield from part.values() if isinstance(part, Mapping) else [part]
