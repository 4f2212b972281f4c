"""Canonical JSON text: the one way in which values are written into blocks, and read back.

Key order and number types are kept, so decode(encode(x)) is x for any JSON value, 5, 5.0 and True told apart.
"""

from __future__ import annotations

import json
import re
from typing import Any

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict with text keys."""


def encode(value: Json) -> bytes:
    """The canonical text of a JSON value, in ASCII."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def decode(text: bytes) -> Json:
    """The JSON value of a canonical text."""
    return json.loads(text)


_HALF_PAIR = re.compile(
    rb"(?<!\\)((?:\\\\)*)"  # an even number of backslashes, so that the next one escapes
    rb"(?:(\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\ud[89a-f][0-9a-f]{2})"
)


def mended(text: bytes) -> bytes:
    """A canonical text whose half surrogate pairs are U+FFFD: strict readers, pydantic among them, refuse them."""
    return _HALF_PAIR.sub(lambda found: found[1] + (found[2] or b"\\ufffd"), text)
