"""Entities of apps: JSON objects with the class name and text representation that agents see, and pages of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
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
