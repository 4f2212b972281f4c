"""Strict JSON: parses text from outside without losing or guessing anything, and writes text that every reader accepts.

It owns the JSON of files and browsers. `canonical_json` owns the text of stored blocks, which we wrote ourselves.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from typing import Any, cast

from adk_agent_sim.errors import MalformedValue
from adk_agent_sim.timeline.canonical_json import Json


def parse_json_input(text: str, label: str = "The value") -> Json:
    """Return the value of a JSON text.

    Raises:
        MalformedValue: The text is not JSON or is beyond the limits; the message begins with `label`.
    """
    try:
        return parse_json(text, max_depth=MAX_DEPTH, allow_duplicate_keys=True)
    except InvalidJson as error:
        raise MalformedValue(label, _describe_problem(error)) from None


def parse_json_object_input(text: str, label: str) -> dict[str, Json]:
    """Return the object of a JSON text, and otherwise behaves as `parse_json_input`."""
    try:
        return parse_json_object(text, max_depth=MAX_DEPTH, allow_duplicate_keys=True)
    except InvalidJson as error:
        raise MalformedValue(label, _describe_problem(error)) from None


def _describe_problem(error: InvalidJson) -> str:
    return error.reason if error.line is None else f"{error.reason} (line {error.line}, column {error.column})"


MAX_DEPTH = 100
"""How many nesting levels a value may have where it is shown to people or passed on to an agent."""

_MAX_DIGITS = 300


class InvalidJson(ValueError):
    """The text is not JSON, or is JSON that could not be kept exactly."""

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        """Line of the error, from 1; None if it is not known."""
        self.column = column
        """Column of the error, from 1; None if it is not known."""


def parse_json(text: str | bytes, *, max_depth: int | None = None, allow_duplicate_keys: bool = False) -> Json:
    """Return the value of a JSON text: 5 is an int, 5.0 a float, and a leading byte order mark is ignored.

    Args:
        text: The text, or its bytes in UTF-8.
        max_depth: How many nesting levels are allowed; None: as many as Python's parser can read.
        allow_duplicate_keys: Whether the last of several equal keys wins, as in a browser's JSON.parse. Files are
            rejected instead: writing them back would drop a value.

    Raises:
        InvalidJson: The text is not JSON, repeats a key, or holds a number or nesting beyond the limits.
    """
    decoder = _LENIENT_DECODER if allow_duplicate_keys else _DECODER
    value, _ = _decode(lambda: (decoder.decode(decode_text(text)), 0), max_depth)
    return value


def parse_json_at(text: str, start: int, *, max_depth: int | None = None) -> tuple[Json, int]:
    """Return the JSON value that begins at a position of a text, and the position after it.

    Raises:
        InvalidJson: As `parse_json`.
    """
    return _decode(lambda: _DECODER.raw_decode(text, start), max_depth)


def _decode(decode: Callable[[], tuple[Json, int]], max_depth: int | None) -> tuple[Json, int]:
    try:
        value, end = decode()
    except json.JSONDecodeError as error:
        raise InvalidJson(f"it is not JSON: {error.msg}", error.lineno, error.colno) from error
    except RecursionError as error:
        raise _too_deep(max_depth) from error
    if max_depth is not None and is_too_deep(value, max_depth):
        raise _too_deep(max_depth)
    return value, end


def parse_json_object(
    text: str | bytes, *, max_depth: int | None = None, allow_duplicate_keys: bool = False
) -> dict[str, Json]:
    """Return the object of a JSON text, as `parse_json`.

    Raises:
        InvalidJson: As `parse_json`, or the value is not an object.
    """
    value = parse_json(text, max_depth=max_depth, allow_duplicate_keys=allow_duplicate_keys)
    if not isinstance(value, dict):
        raise InvalidJson('it must be a JSON object, such as {"a": 1}')
    return cast("dict[str, Json]", value)


def dump_json(value: Json, indent: int | None = None, *, ensure_ascii: bool = False) -> str:
    """Return a value as JSON text; NaN and infinities, which JSON lacks, become strings."""
    try:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, allow_nan=False)
    except ValueError:  # rare, so that the usual value is not copied
        return json.dumps(_replace_non_finite(value), ensure_ascii=ensure_ascii, indent=indent)


def decode_text(text: str | bytes) -> str:
    """Return the text without a byte order mark.

    Raises:
        InvalidJson: The bytes are not UTF-8.
    """
    if isinstance(text, str):
        return text.removeprefix("\ufeff")
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidJson("it is not UTF-8 text", text.count(b"\n", 0, error.start) + 1) from error


def is_too_deep(value: Json, max_depth: int = MAX_DEPTH) -> bool:
    """Whether a value has more than `max_depth` nesting levels."""
    # Level by level instead of recursively: the values to be found here are those that exhaust the stack.
    level: list[Json] = [value]
    for _ in range(max_depth):
        level = [inner for outer in level for inner in _list_children(outer)]
        if not level:
            return False
    return True


def _list_children(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return list(cast("dict[str, Json]", value).values())
    return cast("list[Json]", value) if isinstance(value, list) else []


def _replace_non_finite(value: Json) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _replace_non_finite(inner) for key, inner in cast("dict[str, Any]", value).items()}
    return [_replace_non_finite(inner) for inner in cast("list[Any]", value)] if isinstance(value, list) else value


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) != len(pairs):
        repeated = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise InvalidJson(f"an object has the key {repeated[:80]!r} twice, and only one could be kept")
    return built


def _too_deep(max_depth: int | None) -> InvalidJson:
    return InvalidJson(
        "it is nested too deeply to be read" if max_depth is None else f"it has more than {max_depth} levels"
    )


def _reject_constant(name: str) -> Any:
    raise InvalidJson(f"{name} is not a JSON number")


def _parse_float(digits: str) -> float:
    number = float(digits)
    # Python parses 1e999 to infinity without an error.
    if math.isinf(number):
        raise InvalidJson(f"the number {digits[:40]} is too large")
    return number


def _parse_int(digits: str) -> int:
    # Python itself refuses to convert more than 4,300 digits, with a message that does not name the number.
    if len(digits) > _MAX_DIGITS:
        raise InvalidJson(f"the number {digits[:40]}... is too large")
    return int(digits)


_LENIENT_DECODER = json.JSONDecoder(parse_constant=_reject_constant, parse_float=_parse_float, parse_int=_parse_int)
_DECODER = json.JSONDecoder(
    object_pairs_hook=_build_object, parse_constant=_reject_constant, parse_float=_parse_float, parse_int=_parse_int
)
