"""The seat of a rule: whether it applies to the calls of tools, or to those of the model (`seat: model`).

A rule for the model's seat is a rule for calls of `MODEL_SEAT`, which stands for the model where the name of a tool
does. So numbers of calls, random draws, counts and reports work as for tools.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast

from adk_agent_sim.environment.actions.action import Action
from adk_agent_sim.environment.rule_match import Match
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT

SeatName: TypeAlias = Literal["tool", "model"]

_TOOL_KEYS = ("tool", "args", "exactly", "defaults")


def prepare_model_rule(value: object) -> object:
    """Add the stand-in for the tool's name to the `match` of a rule for the model's seat, as written in a file."""
    if not isinstance(value, Mapping):
        return value
    rule = cast("Mapping[str, Any]", value)
    match = rule.get("match", {})
    if rule.get("seat") != "model" or not isinstance(match, Mapping):
        return rule
    conditions = cast("Mapping[str, Any]", match)
    if given := [key for key in _TOOL_KEYS if key in conditions]:
        raise ValueError(f"a rule for the model's seat cannot match by {' and '.join(given)}: a model call has none")
    return {**rule, "match": {**conditions, "tool": MODEL_SEAT}}


def check_seat(seat: SeatName, match: Match, actions: Sequence[Action]) -> None:
    """Raise ValueError if a match or an action is not for the seat."""
    if (seat == "model") != (match.tool == [MODEL_SEAT]):
        raise ValueError(f"{MODEL_SEAT} stands for the model: write `seat: model`, and no tool")
    for action in actions:
        if seat not in action.seats:
            (other,) = action.seats - {seat}
            raise ValueError(f"`{action.key}` acts in the {other}'s seat: write `seat: {other}`, or another action")


def describe_seats(schema: dict[str, Any]) -> None:
    """Let the JSON Schema of a rule require a tool in the tool's seat only."""
    match_schema = schema["properties"]["match"]
    schema["properties"]["match"] = {"description": match_schema.get("description", "")}
    schema["required"] = [name for name in schema["required"] if name != "match"]
    schema["if"] = {"properties": {"seat": {"const": "model"}}, "required": ["seat"]}
    allowed = [name for name in Match.model_fields if name not in _TOOL_KEYS]
    schema["then"] = {"properties": {"match": {"type": "object", "propertyNames": {"enum": allowed}}}}
    schema["else"] = {"properties": {"match": match_schema}, "required": ["match"]}
