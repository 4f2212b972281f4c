"""JSON text read strictly: whatever is not plain JSON is refused with its line, whatever the reader cannot hold too."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from adk_agent_sim.timeline.canonical import Json


class NotJson(ValueError):
    """The text is not JSON that can be kept as it is."""

    def __init__(self, why: str, line: int | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.line = line


def parsed(text: str | bytes) -> Json:
    """The value of a JSON text.

    Raises:
        NotJson: It is not JSON, holds a key twice, or a number or nesting beyond what can be read.
    """
    try:
        return json.loads(
            decoded(text),
            object_pairs_hook=_object,
            parse_constant=_no_number,
            parse_float=_finite,
            parse_int=_integer,
        )
    except json.JSONDecodeError as error:
        raise NotJson(f"it is not JSON: {error.msg}", error.lineno) from error
    except RecursionError as error:
        raise NotJson("it is nested too deeply to be read") from error


def decoded(text: str | bytes) -> str:
    """The text itself, without a byte order mark."""
    if isinstance(text, str):
        return text.removeprefix("\ufeff")
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotJson("it is not UTF-8 text", text.count(b"\n", 0, error.start) + 1) from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise NotJson(f"an object has the key {twice[:80]!r} twice, and only one could be kept")
    return made


def _no_number(name: str) -> Any:
    raise NotJson(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise NotJson(f"the number {digits[:40]} is too large")
    return number


def _integer(digits: str) -> int:
    if len(digits) > 300:
        raise NotJson(f"the number {digits[:40]}... is too large")
    return int(digits)
