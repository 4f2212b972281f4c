"""An entity of an app: its JSON object, with the name and the text under which agents know it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar


class Entity(dict[str, Any]):
    """A JSON object that prints as `Contact(first_name='Ada', ...)`. It is a copy: changing it changes no app."""

    fields: ClassVar[tuple[str, ...]] = ()
    """The fields that are printed, in this order, absent ones as None; all, if there are none here."""

    enums: ClassVar[Mapping[str, str]] = {}
    """The fields that hold a choice, each with the name of the choice."""

    defaults: ClassVar[Mapping[str, Any]] = {}
    """What fields hold that a scenario file leaves out."""

    def __init__(self, entity: Mapping[str, Any] | None = None, /, **fields: Any) -> None:
        """Copy an entity.

        Args:
            entity: The JSON object that the app holds.
            fields: Fields to put in place of the entity's own.
        """
        super().__init__(entity or {}, **fields)
        for name, value in self.defaults.items():
            self.setdefault(name, value)
        for name, value in self.items():
            if isinstance(value, list | dict):
                self[name] = copy(value)  # pyright: ignore[reportUnknownArgumentType]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={self.render_field(name)}" for name in self.fields or self)
        return f"{type(self).__name__}({shown})"

    def render_field(self, field_name: str) -> str:
        """How a field is printed."""
        value = self.get(field_name)
        choice = self.enums.get(field_name)
        if choice is None or value is None:
            return repr(value)
        return f"<{choice}.{str(value).upper()}: {value!r}>"


def get_list(entity: Mapping[str, Any], key: str) -> list[Any]:
    """The list under a key; an empty one if the file has none there."""
    return entity.get(key) or []


def get_object(entity: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under a key; an empty one if the file has none there."""
    return entity.get(key) or {}
