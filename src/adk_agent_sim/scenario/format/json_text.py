"""Strict JSON parsing: anything that is not standard JSON, or that Python cannot represent exactly, is rejected."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from adk_agent_sim.timeline.canonical_json import Json


class InvalidJson(ValueError):
    """The text is not JSON that can be read without loss."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def parse_json(text: str | bytes) -> Json:
    """Return the value of a JSON text.

    Raises:
        InvalidJson: The text is not JSON, contains a key twice, or a number or nesting that is too large.
    """
    try:
        return json.loads(
            decode_text(text),
            object_pairs_hook=_build_object,
            parse_constant=_reject_constant,
            parse_float=_parse_float,
            parse_int=_parse_int,
        )
    except json.JSONDecodeError as error:
        raise InvalidJson(f"it is not JSON: {error.msg}", error.lineno) from error
    except RecursionError as error:
        raise InvalidJson("it is nested too deeply to be read") from error


def decode_text(text: str | bytes) -> str:
    """Return the decoded text without a byte order mark.

    Raises:
        InvalidJson: The bytes are not UTF-8.
    """
    if isinstance(text, str):
        return text.removeprefix("\ufeff")
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidJson("it is not UTF-8 text", text.count(b"\n", 0, error.start) + 1) from error


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        duplicate = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise InvalidJson(f"an object has the key {duplicate[:80]!r} twice")
    return made


def _reject_constant(name: str) -> Any:
    raise InvalidJson(f"{name} is not a JSON number")


def _parse_float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise InvalidJson(f"the number {digits[:40]} is too large")
    return number


def _parse_int(digits: str) -> int:
    # Python limits int() to 4300 digits by default, and a float has at most 309.
    if len(digits) > 300:
        raise InvalidJson(f"the number {digits[:40]}... is too large")
    return int(digits)
