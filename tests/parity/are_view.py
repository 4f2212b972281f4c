"""Values of the ARE package as JSON; runs in the environment of the package and imports nothing of it."""

from __future__ import annotations

import base64
import enum
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, cast


def view(value: Any) -> Any:
    """Return a value as JSON, in the form of the corpus."""
    if isinstance(value, enum.Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: view(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, dict):
        return {str(view(key)): view(held) for key, held in cast("dict[Any, Any]", value).items()}
    if isinstance(value, set | frozenset):
        return sorted((view(each) for each in cast("set[Any]", value)), key=str)
    if isinstance(value, list | tuple):
        return [view(each) for each in cast("list[Any]", value)]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return "base64:" + base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return value.isoformat()
    plain = value is None or isinstance(value, str | int | float | bool)
    return value if plain else f"<{type(value).__name__}>"
