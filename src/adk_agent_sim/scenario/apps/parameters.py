"""The arguments of a tool as a JSON Schema, for forms and for whoever offers the tool to a model."""

from __future__ import annotations

import json
from typing import Any

from adk_agent_sim.scenario.apps.fitting import parts_between
from adk_agent_sim.scenario.apps.tool import Argument, Tool

_PLAIN: dict[str, dict[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "list": {"type": "array"},
    "dict": {"type": "object"},
}
"""Types that are not among these accept everything."""


def parameters(tool: Tool) -> dict[str, Any]:
    """The schema of the object that holds a tool's arguments."""
    named = [each for each in tool.arguments if not each.variadic]
    schema: dict[str, Any] = {"type": "object", "properties": {each.name: _property(each) for each in named}}
    if tool.required:
        schema["required"] = list(tool.required)
    return schema | {"additionalProperties": len(named) < len(tool.arguments)}


def type_schema(annotation: str) -> dict[str, Any]:
    """The schema of a type as Python writes it, as `list[str] | None`."""
    if len(options := parts_between(annotation, "|")) > 1:
        return {"anyOf": [type_schema(each) for each in options]}
    outer, _, inner = annotation.removesuffix("]").partition("[")
    schema = dict(_PLAIN.get(outer, {}))
    if outer == "list" and inner:
        schema["items"] = type_schema(inner)
    if outer == "dict" and inner:
        schema["additionalProperties"] = type_schema(parts_between(inner, ",")[-1])
    return schema


def _property(argument: Argument) -> dict[str, Any]:
    schema = type_schema(argument.annotation)
    if argument.description:
        schema["description"] = argument.description
    if not argument.required and _is_json(argument.default):
        schema["default"] = argument.default
    return schema


def _is_json(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
