"""JSON text that a browser sends inside a request: parsed strictly, rejected as `MalformedValue`."""

from __future__ import annotations

from adk_agent_sim.errors import MalformedValue
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import MAX_DEPTH, InvalidJson, parse_json, parse_json_object


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
