"""Canonical JSON text: how values are written to blocks and messages.

Key order and number types are preserved: decoding returns the encoded value, and distinguishes 5, 5.0 and True.
"""

from __future__ import annotations

import json
from typing import Any

Json = Any
"""A JSON value: None, bool, int, float, str, list, or dict with string keys."""


_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))  # json.dumps would create one per call


def encode_json(value: Json) -> bytes:
    """Return the canonical text of a JSON value, in ASCII."""
    return _ENCODER.encode(value).encode("ascii")


def decode_json(text: bytes) -> Json:
    """Parse a canonical text."""
    return json.loads(text)
