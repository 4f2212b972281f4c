"""Reads what mocks need to know about a tool of ADK: its declaration, and the schema of its results.

output schema of an MCP tool, of a declaration, of an agent --> else the function's return annotation --> else none
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_type_hints

from google.adk.tools import AgentTool, BaseTool, FunctionTool
from google.genai import types
from pydantic import PydanticUserError
from pydantic.errors import PydanticSchemaGenerationError

from adk_agent_sim.adk.compat import get_declaration
from adk_agent_sim.forms.json_schema import JsonSchema, read_parameters_schema, to_json_schema
from adk_agent_sim.mocks.tool_spec import ToolSpec
from adk_agent_sim.timeline.json_conversion import to_json_value

_OUTPUT_SCHEMA = "output schema"
_RETURN_ANNOTATION = "return annotation"


def read_tool_spec(tool: BaseTool) -> ToolSpec:
    """Return what is known about a tool; nothing but its name if it does not declare itself."""
    declaration = get_declaration(tool)
    results, origin = _read_results(tool, declaration)
    return ToolSpec(
        name=tool.name,
        description=tool.description or "",
        parameters=read_parameters_schema(to_json_value(declaration)) if declaration else {},
        results=results,
        results_origin=origin,
        # By name, so that the package of MCP need not be imported.
        is_mcp=any(base.__name__ == "McpTool" for base in type(tool).__mro__),
    )


def _read_results(tool: BaseTool, declaration: types.FunctionDeclaration | None) -> tuple[JsonSchema | None, str]:
    candidates: list[tuple[object, str]] = []
    if isinstance(tool, AgentTool):
        candidates.append((getattr(tool.agent, "output_schema", None), _OUTPUT_SCHEMA))
    if declaration is not None:
        candidates.append((declaration.response_json_schema or declaration.response, _OUTPUT_SCHEMA))
    if isinstance(tool, FunctionTool):
        candidates.append((_read_return_annotation(tool), _RETURN_ANNOTATION))
    for schema, origin in candidates:
        converted = _convert_schema(schema) if schema is not None else None
        if converted is not None and not _allows_everything(converted):
            return converted, origin
    return None, ""


def _read_return_annotation(tool: FunctionTool) -> object:
    function = cast("Any", tool.func)
    try:
        return get_type_hints(function if hasattr(function, "__annotations__") else function.__call__).get("return")
    except (NameError, TypeError, AttributeError):
        return None  # an annotation that only a type checker can resolve


def _convert_schema(schema: object) -> JsonSchema | None:
    try:
        return to_json_schema(schema)
    except (PydanticSchemaGenerationError, PydanticUserError):
        return None  # the results are objects for which there is no schema


def _allows_everything(schema: Mapping[str, Any]) -> bool:
    """Whether a schema says nothing about the shape of the results, as that of `dict[str, Any]`."""
    notes = {"title", "description", "$defs", "additionalProperties"}
    said = {key for key in schema if key not in notes}
    return (
        said <= {"type"}
        and schema.get("type", "object") == "object"
        and schema.get("additionalProperties")
        in (
            None,
            True,
        )
    )
