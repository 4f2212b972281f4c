"""The JSON objects of an app's state: entities with the text that agents see, pages of them, and the shape of a state.

A shape describes what the app's code takes for granted. Unknown keys are allowed everywhere, and so is null, except for
required keys, items of lists and values of maps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar


class Entity(dict[str, Any]):
    """A JSON object that prints as `Contact(first_name='Ada', ...)`. It is a copy: changing it changes no app."""

    fields: ClassVar[tuple[str, ...]] = ()
    """The fields to print, in this order, absent ones as None. If empty, all fields are printed."""

    enums: ClassVar[Mapping[str, str]] = {}
    """The fields that hold an enumeration value, with the name of the enumeration."""

    defaults: ClassVar[Mapping[str, Any]] = {}
    """The values of fields that a scenario file may omit."""

    def __init__(self, entity: Mapping[str, Any] | None = None, /, **fields: Any) -> None:
        """Copy an entity.

        Args:
            entity: The JSON object that the app holds.
            fields: Fields that replace those of the entity.
        """
        super().__init__(entity or {}, **fields)
        for name, value in self.defaults.items():
            self.setdefault(name, value)
        for name, value in self.items():
            # Shallow: entities that contain entities copy those in their own constructors.
            if isinstance(value, list | dict):
                self[name] = copy(value)  # pyright: ignore[reportUnknownArgumentType]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={self.render_field(name)}" for name in self.fields or self)
        return f"{type(self).__name__}({fields})"

    def render_field(self, field_name: str) -> str:
        """Return the text of a field as it is printed."""
        value = self.get(field_name)
        choice = self.enums.get(field_name)
        if choice is None or not isinstance(value, str):
            return repr(value)
        return f"<{choice}.{value.upper()}: {value!r}>"


def get_list(entity: Mapping[str, Any], key: str) -> list[Any]:
    """Return the list under a key, or an empty list if the key is absent or null."""
    return entity.get(key) or []


def get_object(entity: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the object under a key, or an empty one if the key is absent or null."""
    return entity.get(key) or {}


PageItem = TypeVar("PageItem")


def slice_page(items: Sequence[PageItem], offset: int, limit: int) -> tuple[list[PageItem], tuple[int, int]]:
    """Return the items of a page, and the positions of its first item and after its last item, as shown to agents."""
    return list(items[offset : offset + limit]), (offset, min(offset + limit, len(items)))


_JSON_TYPE_NAMES: dict[type, str] = {
    dict: "an object", list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number"
}  # fmt: skip
_MAX_LISTED = 12

_Location = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True)
class ShapeProblem:
    """A value of another shape than its app expects."""

    path: _Location
    """The keys and positions that lead to the value in the state."""

    message: str
    """What is wrong."""

    advice: str
    """What would be valid."""

    breaks_run: bool
    """Whether tools fail; else the value is only shown and compared as it is."""


@dataclass(frozen=True)
class Scalar:
    """A text, number or boolean."""

    name: str
    types: tuple[type, ...]
    breaks_run: bool = False

    def describe(self) -> str:
        """Return what is valid."""
        return self.name

    def accepts(self, value: object) -> bool:
        """Return whether a value has this shape, without what it contains."""
        # A boolean is an int in Python, but no number in JSON.
        return isinstance(value, self.types) and (bool in self.types or not isinstance(value, bool))

    def list_children(self, value: Any) -> Iterable[tuple[str | int, Any, Shape, bool]]:
        """Return the values in a value: key, value, shape, and whether null is allowed."""
        return ()


TEXT = Scalar("a string", (str,))
BOOLEAN = Scalar("a boolean", (bool,))
NUMBER = Scalar("a number", (int, float), breaks_run=True)
"""Numbers are compared and calculated with, which fails with anything else."""


@dataclass(frozen=True)
class ListOf:
    """A list whose items have one shape; any if there is none."""

    item: Shape | None = None
    breaks_run: bool = True

    def describe(self) -> str:
        """Return what is valid."""
        return "a list" if self.item is None else f"a list, each item {self.item.describe()}"

    def accepts(self, value: object) -> bool:
        """Return whether a value has this shape, without what it contains."""
        return isinstance(value, list)

    def list_children(self, value: Any) -> Iterable[tuple[str | int, Any, Shape, bool]]:
        """Return the values in a value: key, value, shape, and whether null is allowed."""
        item = self.item
        return () if item is None else ((index, each, item, False) for index, each in enumerate(value))


@dataclass(frozen=True)
class MapOf:
    """An object whose keys are names or ids; its values have one shape, any if there is none."""

    value: Shape | None = None
    breaks_run: bool = True

    def describe(self) -> str:
        """Return what is valid."""
        return "an object" if self.value is None else f"an object, each value {self.value.describe()}"

    def accepts(self, value: object) -> bool:
        """Return whether a value has this shape, without what it contains."""
        return isinstance(value, dict)

    def list_children(self, value: Any) -> Iterable[tuple[str | int, Any, Shape, bool]]:
        """Return the values in a value: key, value, shape, and whether null is allowed."""
        shape = self.value
        return () if shape is None else ((key, each, shape, False) for key, each in value.items())


@dataclass(frozen=True)
class Fields:
    """An object with known keys."""

    fields: Mapping[str, Shape] = field(default_factory=dict[str, "Shape"])
    required: tuple[str, ...] = ()
    """The keys that the app's code takes for granted."""
    breaks_run: bool = True

    def describe(self) -> str:
        """Return what is valid."""
        names = [*self.required, *(name for name in self.fields if name not in self.required)]
        shown = ", ".join(names[:_MAX_LISTED]) + (", ..." if len(names) > _MAX_LISTED else "")
        return f"an object with the keys {shown}" if names else "an object"

    def accepts(self, value: object) -> bool:
        """Return whether a value has this shape, without what it contains."""
        return isinstance(value, dict)

    def list_children(self, value: Any) -> Iterable[tuple[str | int, Any, Shape, bool]]:
        """Return the values in a value: key, value, shape, and whether null is allowed."""
        return (
            (key, value[key], shape, key not in self.required) for key, shape in self.fields.items() if key in value
        )


Shape = Scalar | ListOf | MapOf | Fields


def find_shape_problems(shape: Shape, state: Any) -> Iterator[ShapeProblem]:
    """Yield the values of a state that do not have the shape that its app expects, in no particular order."""
    # A stack instead of recursion: folders can be nested more deeply than Python can call.
    pending: list[tuple[_Location, Any, Shape]] = [((), state, shape)]
    while pending:
        path, value, expected = pending.pop()
        if not expected.accepts(value):
            message = f"it must be {_name_kind(expected)}, but it is {_describe_value(value)}"
            advice = f"Write {expected.describe()}"
            yield ShapeProblem(path=path, message=message, advice=advice, breaks_run=expected.breaks_run)
            continue
        if isinstance(expected, Fields):
            yield from _find_missing_keys(path, value, expected)
        for key, child, child_shape, is_optional in expected.list_children(value):
            if child is not None or not is_optional:
                pending.append(((*path, key), child, child_shape))


def _find_missing_keys(path: _Location, value: Any, shape: Fields) -> Iterator[ShapeProblem]:
    for key in shape.required:
        if key not in value:
            advice = f"Add {key!r}, {shape.fields[key].describe()}"
            yield ShapeProblem(path=path, message=f"it has no {key!r}", advice=advice, breaks_run=True)


def _name_kind(shape: Shape) -> str:
    return shape.name if isinstance(shape, Scalar) else "a list" if isinstance(shape, ListOf) else "an object"


def _describe_value(value: object) -> str:
    if value is None:
        return "null"
    kind = _JSON_TYPE_NAMES.get(type(value), type(value).__name__)
    return f"{kind}, {value!r:.60}" if isinstance(value, str | int | float) else kind


class Choice:
    """An enumeration: the allowed values of a field and its name."""

    def __init__(self, name: str, *values: str) -> None:
        """Define the enumeration.

        Args:
            name: The name of the enumeration in error texts.
            values: The allowed values.
        """
        self.name = name
        self.values = values

    def parse_exact(self, value: object) -> str:
        """Return the value if it is spelled exactly as listed.

        Raises:
            ValueError: It is not an allowed value.
        """
        if isinstance(value, str) and value in self.values:
            return value
        raise ValueError(f"{value!r} is not a valid {self.name}")

    def parse_lenient(self, value: object) -> str:
        """Return the listed value, ignoring case and anything up to the last dot, such as the enumeration's name.

        Raises:
            ValueError: It is not an allowed value.
        """
        wanted = value.rpartition(".")[2] if isinstance(value, str) else value
        for each in self.values:
            if isinstance(wanted, str) and each.lower() == wanted.lower():
                return each
        raise ValueError(f"{wanted!r} is not a valid {self.name}")

    def format_qualified(self, value: object) -> str:
        """Return an allowed value with the name of the enumeration in front, as agents see it; others as they are."""
        return f"{self.name}.{value.upper()}" if isinstance(value, str) and value in self.values else str(value)
