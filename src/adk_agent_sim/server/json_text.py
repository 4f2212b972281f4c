"""JSON text from a browser, read strictly: 5 stays an integer, 5.0 a float, and what is no JSON is refused.

And JSON text for a browser, in which numbers keep all their digits.
"""

from __future__ import annotations

import json
import math
from typing import Any, cast

from adk_agent_sim.errors import MalformedValue
from adk_agent_sim.timeline.canonical_json import Json

MAX_DEPTH = 100
"""How many levels a value may have."""

_MAX_DIGITS = 300


def parse_json(text: str, label: str = "The value") -> Json:
    """The value of a JSON text."""
    try:
        value = json.loads(text, parse_constant=_reject_constant, parse_float=_parse_float, parse_int=_parse_int)
    except RecursionError:
        raise MalformedValue(label, f"it has more than {MAX_DEPTH} levels") from None
    except ValueError as error:
        raise MalformedValue(label, f"it is not JSON: {error}") from None
    if is_too_deep(value):
        raise MalformedValue(label, f"it has more than {MAX_DEPTH} levels")
    return value


def parse_json_object(text: str, label: str) -> dict[str, Json]:
    """The object of a JSON text."""
    value = parse_json(text, label)
    if not isinstance(value, dict):
        raise MalformedValue(label, 'it must be a JSON object, as {"a": 1}')
    return cast("dict[str, Json]", value)


def dump_json(value: Json, indent: int | None = None) -> str:
    """A value as JSON text; numbers that JSON does not have are their names."""
    return json.dumps(_replace_non_finite(value), ensure_ascii=False, indent=indent)


def _replace_non_finite(value: Json) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _replace_non_finite(inner) for key, inner in cast("dict[str, Any]", value).items()}
    return [_replace_non_finite(inner) for inner in cast("list[Any]", value)] if isinstance(value, list) else value


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _parse_float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"the number {digits[:40]} is too large")
    return number


def _parse_int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"the number {digits[:40]}... is too large")
    return int(digits)


def is_too_deep(value: Json) -> bool:
    """Whether a value has more levels than can be worked with; asked without recursion."""
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _list_children(outer)]
        if not level:
            return False
    return True


def _list_children(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return list(cast("dict[str, Json]", value).values())
    return cast("list[Json]", value) if isinstance(value, list) else []
