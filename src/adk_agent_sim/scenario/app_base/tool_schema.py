"""JSON Schema of a tool's arguments, for forms and for model function declarations."""

from __future__ import annotations

import json
from typing import Any

from adk_agent_sim.scenario.app_base.argument_check import split_outside_brackets
from adk_agent_sim.scenario.app_base.tool import Argument, Tool

_TYPE_SCHEMAS: dict[str, dict[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "list": {"type": "array"},
    "dict": {"type": "object"},
}
"""Any other type gets an empty schema, which accepts every value."""


def build_parameters_schema(tool: Tool) -> dict[str, Any]:
    """Return the JSON Schema of the object that holds a tool's arguments."""
    named = [each for each in tool.arguments if not each.variadic]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {each.name: _build_property_schema(each) for each in named},
    }
    if tool.required_arguments:
        schema["required"] = list(tool.required_arguments)
    return schema | {"additionalProperties": len(named) < len(tool.arguments)}


def build_type_schema(annotation: str) -> dict[str, Any]:
    """Return the JSON Schema of a type given as Python source, such as `list[str] | None`."""
    if len(options := split_outside_brackets(annotation, "|")) > 1:
        return {"anyOf": [build_type_schema(each) for each in options]}
    outer, _, inner = annotation.removesuffix("]").partition("[")
    schema = dict(_TYPE_SCHEMAS.get(outer, {}))
    if outer == "list" and inner:
        schema["items"] = build_type_schema(inner)
    if outer == "dict" and inner:
        schema["additionalProperties"] = build_type_schema(split_outside_brackets(inner, ",")[-1])
    return schema


def _build_property_schema(argument: Argument) -> dict[str, Any]:
    schema = build_type_schema(argument.annotation)
    if argument.description:
        schema["description"] = argument.description
    if not argument.required and _is_json_serializable(argument.default):
        schema["default"] = argument.default
    return schema


def _is_json_serializable(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
