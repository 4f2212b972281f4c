"""Canonical JSON text: the one way in which values are written into blocks, and read back.

Key order and number types are kept, so decode(encode(x)) is x for any JSON value, 5, 5.0 and True told apart.
"""

from __future__ import annotations

import json
from typing import Any

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict with text keys."""


_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))  # json.dumps would make one for every value


def encode_json(value: Json) -> bytes:
    """The canonical text of a JSON value, in ASCII."""
    return _ENCODER.encode(value).encode("ascii")


def decode_json(text: bytes) -> Json:
    """The JSON value of a canonical text."""
    return json.loads(text)
