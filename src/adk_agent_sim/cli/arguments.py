"""Reads a tool call as a person types it: `add a=2 b=2`, `add {"a": 2}`, or a JSON list of several calls."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any, cast

from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.timeline.canonical import Json


class Unreadable(SimulatorError):
    """The line is not a call."""


def read_calls(line: str, schemas: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, dict[str, Json]]]:
    """The calls of a line; `schemas` are those of the tools' arguments, by tool."""
    if line.startswith("["):
        return [(name, args) for name, args in _several(line)]
    name, _, rest = line.partition(" ")
    rest = rest.strip()
    if rest.startswith("{"):
        return [(name, _object(rest))]
    properties = cast("Mapping[str, Mapping[str, Any]]", schemas.get(name, {}).get("properties", {}))
    return [(name, dict(_pair(word, properties) for word in _words(rest)))]


def _several(line: str) -> list[tuple[str, dict[str, Json]]]:
    try:
        found = json.loads(line)
        return [(str(name), dict(args)) for name, args in found]
    except (ValueError, TypeError) as error:
        raise Unreadable(
            f'Several calls are a JSON list, as [["add", {{"a": 1}}], ["add", {{"a": 2}}]]: {error}'
        ) from None


def _object(text: str) -> dict[str, Json]:
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError) as error:
        raise Unreadable(f"The arguments are not a JSON object: {error}") from None


def _words(rest: str) -> list[str]:
    try:
        return shlex.split(rest)
    except ValueError as error:
        raise Unreadable(f"The arguments cannot be read: {error}") from None


def _pair(word: str, properties: Mapping[str, Mapping[str, Any]]) -> tuple[str, Json]:
    key, equals, value = word.partition("=")
    if not equals:
        raise Unreadable(f"{word!r} is not an argument: write name=value, or the arguments as a JSON object.")
    return key, _value(value, properties.get(key, {}))


def _value(text: str, schema: Mapping[str, Any]) -> Json:
    """A text field takes the text as it is; any other takes JSON, and text where it is not JSON."""
    if schema.get("type") == "string":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
