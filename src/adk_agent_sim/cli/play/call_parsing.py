"""Parses tool calls as a person types them: `add a=2 b=2`, `add {"a": 2}`, or a JSON list of several calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from adk_agent_sim.errors import InvalidCallSyntax
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import MAX_DEPTH, InvalidJson, parse_json, parse_json_at, parse_json_object

_ARGUMENT_NAME = re.compile(r"\s*([^\s=]+)=")
_WORD = re.compile(r"'([^']*)'|(\S*)")
_PAIR = re.compile(r"[A-Za-z_][\w.-]*=")
_CALL_LIST = '[["add", {"a": 1, "b": 2}], ["add", {"a": 3, "b": 4}]]'


def parse_calls(line: str, schemas: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, dict[str, Json]]]:
    """Parse one line.

    Args:
        line: What the person typed.
        schemas: The JSON Schemas of the tools' arguments, by tool name.

    Returns:
        The name and arguments of each call.

    Raises:
        InvalidCallSyntax: The line is not a call.
    """
    if line.startswith("["):
        return _parse_call_list(line)
    name, _, rest = line.partition(" ")
    rest = rest.strip()
    if rest.startswith("{"):
        return [(name, _parse_json_object(rest))]
    if rest and name not in schemas and not _ARGUMENT_NAME.match(rest):
        raise InvalidCallSyntax(f"There is no tool {name!r} here. To send this text as the answer, write: say {line}")
    properties = cast("Mapping[str, Mapping[str, Any]]", schemas.get(name, {}).get("properties", {}))
    return [(name, parse_pairs(rest, properties))]


def _parse_call_list(line: str) -> list[tuple[str, dict[str, Json]]]:
    try:
        calls = parse_json(line, max_depth=MAX_DEPTH)
    except InvalidJson as error:
        raise InvalidCallSyntax(f"Write several calls as a JSON list, such as {_CALL_LIST}: {error}") from None
    try:
        return [(str(name), dict(args)) for name, args in calls]
    except (ValueError, TypeError):
        raise InvalidCallSyntax(f"Write several calls as a JSON list, such as {_CALL_LIST}") from None


def _parse_json_object(text: str) -> dict[str, Json]:
    try:
        return parse_json_object(text, max_depth=MAX_DEPTH)
    except InvalidJson as error:
        raise InvalidCallSyntax(f"The arguments are not a JSON object: {error}") from None


def parse_pairs(rest: str, properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Json]:
    """Parse arguments written as `a=1 b="two words" c={"d": [1]}`."""
    arguments: dict[str, Json] = {}
    position = 0
    while position < len(rest):
        name = _ARGUMENT_NAME.match(rest, position)
        if name is None:
            word = rest[position:].split(maxsplit=1)[0]
            raise InvalidCallSyntax(
                f"{word!r} is not an argument: write name=value, or the arguments as a JSON object."
            )
        arguments[name[1]], position = _parse_value(rest, name.end(), properties.get(name[1], {}))
        while position < len(rest) and rest[position].isspace():
            position += 1
    return arguments


def parse_value(line: str, schema: Mapping[str, Any], hint: str = "") -> Json:
    """Parse a value: JSON, or an object as `name=value ...`; `hint` ends the message if it is neither."""
    try:
        return parse_json(line)
    except InvalidJson as error:
        if _PAIR.match(line):
            return parse_pairs(line, schema.get("properties", {}))
        raise InvalidCallSyntax(f"This cannot be parsed: {error}. Write a JSON value or name=value{hint}.") from None


def _parse_value(rest: str, start: int, schema: Mapping[str, Any]) -> tuple[Json, int]:
    """Parse the value at `start`; returns it and the position after it.

    A value is JSON or a single word. For a field of type string a word is never parsed as JSON: 5 is the text "5".
    """
    if rest[start : start + 1] in ("{", "[", '"'):
        try:
            return parse_json_at(rest, start, max_depth=MAX_DEPTH)
        except InvalidJson as error:
            raise InvalidCallSyntax(f"{rest[start:][:200]!r} is not JSON: {error}") from None
    word = cast("re.Match[str]", _WORD.match(rest, start))
    if word[1] is not None or schema.get("type") == "string":
        return word[1] if word[1] is not None else word[2], word.end()
    try:
        return parse_json(word[2]), word.end()
    except InvalidJson:
        return word[2], word.end()
