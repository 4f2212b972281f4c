"""JSON text from a browser, read strictly: 5 stays an integer, 5.0 a float, and what is no JSON is refused.

And JSON text for a browser, in which numbers keep all their digits.
"""

from __future__ import annotations

import json
import math
from typing import Any, cast

from adk_agent_sim.errors import ValueUnreadable
from adk_agent_sim.timeline.canonical import Json

DEEPEST = 100
"""How many levels a value may have."""

_MOST_DIGITS = 300


def parsed(text: str, what: str = "The value") -> Json:
    """The value of a JSON text."""
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite, parse_int=_integer)
    except RecursionError:
        raise ValueUnreadable(what, f"it has more than {DEEPEST} levels") from None
    except ValueError as error:
        raise ValueUnreadable(what, f"it is not JSON: {error}") from None
    if is_deep(value):
        raise ValueUnreadable(what, f"it has more than {DEEPEST} levels")
    return value


def parsed_object(text: str, what: str) -> dict[str, Json]:
    """The object of a JSON text."""
    value = parsed(text, what)
    if not isinstance(value, dict):
        raise ValueUnreadable(what, 'it must be a JSON object, as {"a": 1}')
    return cast("dict[str, Json]", value)


def written(value: Json, indent: int | None = None) -> str:
    """A value as JSON text; numbers that JSON does not have are their names."""
    return json.dumps(_with_names(value), ensure_ascii=False, indent=indent)


def _with_names(value: Json) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _with_names(inner) for key, inner in cast("dict[str, Any]", value).items()}
    return [_with_names(inner) for inner in cast("list[Any]", value)] if isinstance(value, list) else value


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"the number {digits[:40]} is too large")
    return number


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"the number {digits[:40]}... is too large")
    return int(digits)


def is_deep(value: Json) -> bool:
    """Whether a value has more levels than can be worked with; asked without recursion."""
    level: list[Json] = [value]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return list(cast("dict[str, Json]", value).values())
    return cast("list[Json]", value) if isinstance(value, list) else []
