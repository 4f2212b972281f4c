"""Canonical JSON text: how values are written to blocks and messages.

Key order and number types are preserved: decoding returns the encoded value, and distinguishes 5, 5.0 and True.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

Json = Any
"""A JSON value: None, bool, int, float, str, list, or dict with string keys."""


_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))  # json.dumps would create one per call


def encode_json(value: Json) -> bytes:
    """Return the canonical text of a JSON value, in ASCII."""
    return _ENCODER.encode(value).encode("ascii")


def decode_json(text: bytes) -> Json:
    """Parse a canonical text."""
    return json.loads(text)


def normalize_value(value: Json) -> Json:
    """Return the value that stands for all that differ only in the order of keys, or in how a number is written."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Json]", value)
        return {key: normalize_value(mapping[key]) for key in sorted(mapping)}
    if isinstance(value, list):
        return [normalize_value(inner) for inner in cast("list[Json]", value)]
    return value
