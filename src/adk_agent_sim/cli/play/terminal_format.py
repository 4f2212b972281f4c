"""Formats tools, requests and history entries for the terminal session."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from adk_agent_sim.adk.steps.steps import ModelTurn
from adk_agent_sim.forms.json_schema import JsonSchema, read_parameters_schema
from adk_agent_sim.text.escaping import escape_message
from adk_agent_sim.text.terminal_output import TerminalText, join_text, make_document, stack_lines, style
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import get_parts
from adk_agent_sim.timeline.history import FinalResponse, HistoryEntry, ToolCall, ToolError, ToolOutput
from adk_agent_sim.timeline.json_conversion import to_json_value

_TYPE_NAMES = {"string": "text", "integer": "int", "number": "number", "boolean": "true|false", "null": "null"}
_MAX_RESULT_LENGTH = 400


def read_tool_schemas(turn: ModelTurn) -> dict[str, JsonSchema]:
    """Return the argument schemas of the tools of a turn, by tool name."""
    return {name: read_parameters_schema(tool.model_dump(exclude_none=True)) for name, tool in turn.tools.items()}


def format_tools(turn: ModelTurn) -> TerminalText:
    """Return one line per tool of the turn."""
    if not turn.tools:
        return make_document("  There are no tools. Answer with say TEXT.")
    schemas = read_tool_schemas(turn)
    return stack_lines(_format_tool(name, schemas[name], tool.description or "") for name, tool in turn.tools.items())


def format_tool_details(turn: ModelTurn, name: str) -> str:
    """Return the description and the full schema of one tool."""
    if name not in turn.tools:
        return f"  There is no tool {name!r}. The tools are: {', '.join(turn.tools)}."
    schema = json.dumps(read_tool_schemas(turn)[name], indent=2, ensure_ascii=False)
    return f"{turn.tools[name].description or ''}\n{schema}"


def format_request(turn: ModelTurn) -> TerminalText:
    """Return the request as the model would get it: instruction, tools, conversation."""
    contents = json.dumps(to_json_value(turn.request.contents), indent=2, ensure_ascii=False)
    return stack_lines([make_document(turn.instruction), "", format_tools(turn), "", make_document(contents)])


def format_entry(history_entry: HistoryEntry) -> TerminalText:
    """Return a history entry as one line; empty for entries that the person has just typed."""
    match history_entry:
        case ToolCall():
            arguments = json.dumps(history_entry.arguments, ensure_ascii=False)
            return join_text("  ", style("call", fg="yellow"), f"    {history_entry.tool_name} {arguments}")
        case ToolOutput():
            duration = f"({history_entry.duration_ms:.0f} ms)"
            result = _format_result(history_entry.result)
            return join_text("  ", style("result", fg="green"), f"  {result}  {duration}")
        case ToolError():
            message = escape_message(f"{history_entry.error_type}: {history_entry.error_message}")
            return join_text("  ", style("Tool Error", fg="red"), "  ", make_document(message))
        case FinalResponse(content="", raw=raw) if _has_only_results(raw):
            return TerminalText()  # the run waits for the user after a call: its result was printed
        case FinalResponse():
            answer = make_document(f"  {escape_message(history_entry.content)}\n\n")
            return join_text("  ", style("answer", fg="blue"), answer)
        case _:
            return TerminalText()


def _has_only_results(content: Json) -> bool:
    parts = get_parts(content)
    return bool(parts) and all("function_response" in part for part in parts)


def _format_tool(name: str, schema: JsonSchema, description: str) -> TerminalText:
    first = description.strip().splitlines()[0] if description.strip() else ""
    return join_text("  ", style(name, bold=True), f"({_format_fields(schema, schema)})  {first}".rstrip())


def _format_fields(schema: JsonSchema, root: JsonSchema) -> str:
    required = cast("list[str]", schema.get("required", []))
    properties = cast("Mapping[str, JsonSchema]", schema.get("properties", {}))
    return ", ".join(
        f"{name}{'' if name in required else '?'}: {format_type(field, root)}" for name, field in properties.items()
    )


def format_type(schema: Mapping[str, Any], root: JsonSchema, depth: int = 0) -> str:
    """Return an abbreviated type; `/tools NAME` shows the full schema of a tool's arguments."""
    schema = _resolve_definition(schema, root)
    if depth > 3:
        return "..."
    if "enum" in schema:
        return "|".join(str(choice) for choice in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(format_type(variant, root, depth + 1) for variant in schema["anyOf"])
    if schema.get("type") == "array":
        return f"[{format_type(schema.get('items', {}), root, depth + 1)}]"
    if "properties" in schema:
        inner = (f"{name}: {format_type(field, root, depth + 1)}" for name, field in schema["properties"].items())
        return f"{{{', '.join(inner)}}}"
    types = schema.get("type", "any")
    return _TYPE_NAMES.get(types, str(types)) if isinstance(types, str) else " or ".join(map(str, types))


def _resolve_definition(schema: Mapping[str, Any], root: JsonSchema) -> Mapping[str, Any]:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return root.get("$defs", {}).get(name, {}) if name else schema


def _format_result(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MAX_RESULT_LENGTH else f"{text[:_MAX_RESULT_LENGTH]}... ({len(text)} characters)"
