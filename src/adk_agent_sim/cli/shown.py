"""How the terminal shows tools, requests and what happened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

import click

from adk_agent_sim.adk.steps import ModelTurn
from adk_agent_sim.forms.schema import JsonSchema, parameters_schema
from adk_agent_sim.timeline.history import FinalResponse, HistoryEntry, ToolCall, ToolError, ToolOutput
from adk_agent_sim.timeline.jsonable import jsonable

_KINDS = {"string": "text", "integer": "int", "number": "number", "boolean": "true|false", "null": "null"}
_LONGEST = 400


def schemas(turn: ModelTurn) -> dict[str, JsonSchema]:
    """The schemas of the offered tools' arguments, by tool."""
    return {name: parameters_schema(tool.model_dump(exclude_none=True)) for name, tool in turn.tools.items()}


def tools(turn: ModelTurn) -> str:
    """The offered tools, a line each."""
    if not turn.tools:
        return "  There are no tools: answer with say TEXT."
    stated = schemas(turn)
    return "\n".join(_tool(name, stated[name], tool.description or "") for name, tool in turn.tools.items())


def tool_in_full(turn: ModelTurn, name: str) -> str:
    """One tool with its whole schema."""
    if name not in turn.tools:
        return f"  There is no tool {name!r}; there are: {', '.join(turn.tools)}."
    return f"{turn.tools[name].description or ''}\n{json.dumps(schemas(turn)[name], indent=2, ensure_ascii=False)}"


def request(turn: ModelTurn) -> str:
    """What the model would read: instruction, tools, conversation."""
    contents = json.dumps(jsonable(turn.request.contents), indent=2, ensure_ascii=False)
    return f"{turn.instruction}\n\n{tools(turn)}\n\n{contents}"


def entry(one: HistoryEntry) -> str:
    """One line of what happened; empty for what the person has just typed."""
    match one:
        case ToolCall():
            arguments = json.dumps(one.arguments, ensure_ascii=False)
            return f"  {click.style('call', fg='yellow')}    {one.tool_name} {arguments}"
        case ToolOutput():
            return f"  {click.style('result', fg='green')}  {_short(one.result)}  ({one.duration_ms:.0f} ms)"
        case ToolError():
            return f"  {click.style('Tool Error', fg='red')}  {one.error_type}: {one.error_message}"
        case FinalResponse():
            return f"  {click.style('answer', fg='blue')}  {one.content}\n"
        case _:
            return ""


def _tool(name: str, schema: JsonSchema, description: str) -> str:
    first = description.strip().splitlines()[0] if description.strip() else ""
    return f"  {click.style(name, bold=True)}({_fields(schema, schema)})  {first}".rstrip()


def _fields(schema: JsonSchema, root: JsonSchema) -> str:
    required = cast("list[str]", schema.get("required", []))
    properties = cast("Mapping[str, JsonSchema]", schema.get("properties", {}))
    return ", ".join(
        f"{name}{'' if name in required else '?'}: {_kind(field, root)}" for name, field in properties.items()
    )


def _kind(schema: Mapping[str, Any], root: JsonSchema, depth: int = 0) -> str:
    """A field's type in a few characters; `/tools NAME` shows all of it."""
    schema = _resolved(schema, root)
    if depth > 3:
        return "..."
    if "enum" in schema:
        return "|".join(str(choice) for choice in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_kind(one, root, depth + 1) for one in schema["anyOf"])
    if schema.get("type") == "array":
        return f"[{_kind(schema.get('items', {}), root, depth + 1)}]"
    if "properties" in schema:
        inner = (f"{name}: {_kind(field, root, depth + 1)}" for name, field in schema["properties"].items())
        return f"{{{', '.join(inner)}}}"
    stated = schema.get("type", "any")
    return _KINDS.get(stated, str(stated)) if isinstance(stated, str) else " or ".join(map(str, stated))


def _resolved(schema: Mapping[str, Any], root: JsonSchema) -> Mapping[str, Any]:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return root.get("$defs", {}).get(name, {}) if name else schema


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"
