"""Reads what mocks need to know about ADK's tools, of a call or an app: declarations, and schemas of results.

output schema of an MCP tool, of a declaration, of an agent --> else the function's return annotation --> else none
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast, get_type_hints

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.tools import AgentTool, BaseTool, FunctionTool
from google.adk.tools.base_toolset import BaseToolset
from google.genai import types
from pydantic import PydanticUserError
from pydantic.errors import PydanticSchemaGenerationError

from adk_agent_sim.adk.compat import get_declaration
from adk_agent_sim.adk.loading.agent_tree import iter_agents
from adk_agent_sim.forms.json_schema import JsonSchema, read_parameters_schema, to_json_schema
from adk_agent_sim.mocks.mocked_call import ToolSpec
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


_MAX_TOOLS = 10_000
"""The most tools that are kept: a toolset may make up new names for each session."""


class MockedTools:
    """Reads the specs of tools, each once."""

    def __init__(self) -> None:
        self._specs: dict[str, tuple[object, ToolSpec]] = {}
        self._unread_tools: dict[str, BaseTool] = {}
        """Tools whose specs nobody has asked for: to read those of many tools takes as long as to open a session."""
        self._listed_agents: set[str] = set()

    def get_spec(self, tool: BaseTool) -> ToolSpec:
        """Return what is known about a tool."""
        # ADK wraps a function again in each run, and agents may have different tools of one name.
        source = getattr(tool, "func", tool)
        known_source, spec = self._specs.get(tool.name, (None, None))
        if spec is None or known_source is not source:
            spec = read_tool_spec(tool)
            if len(self._specs) < _MAX_TOOLS:
                self._specs[tool.name] = (source, spec)
        return spec

    def add_tools(self, tools: Iterable[BaseTool]) -> None:
        """Add the tools that a model is offered, also those of toolsets."""
        for tool in tools:
            if tool.name not in self._specs and len(self._unread_tools) < _MAX_TOOLS:
                self._unread_tools.setdefault(tool.name, tool)

    def list_specs(self, agent: object) -> Sequence[ToolSpec]:
        """Return the specs of all tools that are known, among them those of all agents of the app.

        Toolsets are left out until a model was offered their tools: they may have to connect to a server.
        """
        # By name: ADK copies the agents for each run.
        if isinstance(agent, BaseAgent) and agent.name not in self._listed_agents:
            for each in (agent, *iter_agents(agent.root_agent)):
                self._add_listed_tools(each)
        for name, tool in self._unread_tools.items():
            if name not in self._specs:
                self.get_spec(tool)
        self._unread_tools.clear()
        return [spec for _, spec in self._specs.values()]

    def _add_listed_tools(self, agent: BaseAgent) -> None:
        if agent.name in self._listed_agents:
            return
        self._listed_agents.add(agent.name)
        own_tools: Sequence[Any] = cast("Any", agent).tools if isinstance(agent, LlmAgent) else ()
        self.add_tools(
            each if isinstance(each, BaseTool) else FunctionTool(each)
            for each in own_tools
            if not isinstance(each, BaseToolset)
        )
