"""Values that a player has seen in a world: texts and numbers by the name of their field, and ids by their form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

_ID = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f])")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}")

_MIN_ID_CHARS = 32
_MAX_PER_NAME = 64
_MAX_TEXT_CHARS = 200
"""Longer texts are not kept as values; ids are found in texts of any length up to `_MAX_SEARCHED_CHARS`."""
_MAX_SEARCHED_CHARS = 100_000
_MAX_VALUES = 50_000
"""How much of a state is read; the rest adds little variety."""

ID_NAME, ADDRESS_NAME = "id", "email"
"""The names under which ids and addresses of any field are kept."""


class KnownValues:
    """Values by the names of their fields, in the order in which they were first seen."""

    def __init__(self) -> None:
        self._by_name: dict[str, dict[Any, None]] = {}
        self._read_count = 0

    def find(self, name: str, kind: type) -> list[Any]:
        """Return the values of a field that have a type."""
        return [each for each in self._by_name.get(name, ()) if type(each) is kind]

    def add_state(self, state: Any) -> None:
        """Add the values of JSON, such as the states of apps."""
        pending: list[tuple[str, Any]] = [("", state)]
        while pending and self._read_count < _MAX_VALUES:
            name, value = pending.pop()
            self._read_count += 1
            if isinstance(value, Mapping):
                for key, each in cast("Mapping[Any, Any]", value).items():
                    self.add_text(str(key))
                    pending.append((str(key), each))
            elif isinstance(value, list):
                pending += [(name, each) for each in cast("list[Any]", value)]
            else:
                self._add(name, value)
                if isinstance(value, str):
                    self.add_text(value)

    def add_text(self, text: str) -> None:
        """Add the ids and addresses in a text, such as the result of a call."""
        searched = text[:_MAX_SEARCHED_CHARS]
        for each in _ID.findall(searched) if len(searched) >= _MIN_ID_CHARS else ():
            self._add(ID_NAME, each)
        for each in _ADDRESS.findall(searched) if "@" in searched else ():
            self._add(ADDRESS_NAME, each)

    def _add(self, name: str, value: Any) -> None:
        if not isinstance(value, str | int | float) or (isinstance(value, str) and len(value) > _MAX_TEXT_CHARS):
            return
        values = self._by_name.setdefault(name, {})
        if len(values) < _MAX_PER_NAME:
            values[value] = None
