"""Replaces halves of surrogate pairs, which Python's strings can contain and UTF-8 cannot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def replace_lone_surrogates(text: str) -> str:
    """Replace each lone surrogate by U+FFFD and join the halves of a pair: ADK and protobuf reject both."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def replace_surrogates_in_json(value: Any) -> Any:
    """Return a JSON value whose texts, those of keys too, have no lone surrogates: ADK's models cannot be written."""
    if isinstance(value, str):
        return replace_lone_surrogates(value)
    if isinstance(value, Mapping):
        entries = cast("Mapping[str, Any]", value)
        return {replace_lone_surrogates(key): replace_surrogates_in_json(inner) for key, inner in entries.items()}
    if isinstance(value, list | tuple):
        return [replace_surrogates_in_json(inner) for inner in cast("list[Any]", value)]
    return value
