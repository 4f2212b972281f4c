"""Lists and describes the tools and agents of an app without running it, and verifies that its toolsets load.

ADK only logs that a toolset fails, and runs the agent without those tools.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, cast, get_type_hints

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.apps import App
from google.adk.tools import AgentTool, BaseTool, FunctionTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.workflow import BaseNode
from google.genai import types
from pydantic import PydanticUserError
from pydantic.errors import PydanticSchemaGenerationError

from adk_agent_sim.adk.compat import find_connection_params, get_declaration
from adk_agent_sim.adk.loading.agent_tree import iter_agents, iter_nodes, list_inner_nodes
from adk_agent_sim.adk.seats.model_seat import copy_with_seat
from adk_agent_sim.environment.rule_lint import ToolCatalog
from adk_agent_sim.errors import ToolsetUnavailable
from adk_agent_sim.forms.json_schema import JsonSchema, read_parameters_schema, to_json_schema
from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS, SET_MODEL_RESPONSE, TRANSFER_TO_AGENT
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
    allows_others = schema.get("additionalProperties") in (None, True)
    return said <= {"type"} and schema.get("type", "object") == "object" and allows_others


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


class ToolsetCheck:
    """Verifies the toolsets of each agent once in a session.

    Toolsets that need a credential cannot load before ADK has it. ADK asks the user for it after the callbacks of the
    agent, and has it at the first model call: they are verified only then.
    """

    def __init__(self) -> None:
        self._checked: set[tuple[str, bool]] = set()

    async def check(self, agent: LlmAgent, context: ReadonlyContext, *, has_credentials: bool) -> None:
        """Raise ToolsetUnavailable if a toolset does not load.

        Args:
            agent: The agent whose toolsets are verified.
            context: The callback's context.
            has_credentials: Verify the toolsets that need a credential, instead of the others.
        """
        if (key := (agent.name, has_credentials)) not in self._checked:
            for toolset in list_toolsets(agent):
                if needs_credential(toolset) is has_credentials:
                    await check_toolset(toolset, agent.name, context)
            # Only after all of them have loaded: the next run checks again, when a server that was down may be up.
            self._checked.add(key)


def list_toolsets(agent: LlmAgent) -> list[BaseToolset]:
    """Return the toolsets among the agent's tools."""
    tools = cast("list[object]", cast("Any", agent).tools)
    return [toolset for toolset in tools if isinstance(toolset, BaseToolset)]


def needs_credential(toolset: BaseToolset) -> bool:
    """Return whether ADK gets a credential for the toolset before it lists the tools."""
    return toolset.get_auth_config() is not None


async def check_toolset(toolset: BaseToolset, agent_name: str, context: ReadonlyContext | None) -> None:
    """Raise ToolsetUnavailable, which names the server, if the toolset does not load."""
    try:
        await toolset.get_tools_with_prefix(context)
    except Exception as error:
        needs_one = needs_credential(toolset)
        raise ToolsetUnavailable(agent_name, _describe_toolset(toolset), error, needs_credential=needs_one) from error


def _describe_toolset(toolset: BaseToolset) -> str:
    """Return the toolset's class with the command or address that it connects to, if it has one."""
    kind = type(toolset).__name__
    connection = find_connection_params(toolset)
    server = getattr(connection, "server_params", connection)
    command = getattr(server, "command", None)
    target = " ".join([command, *getattr(server, "args", ())]) if command else getattr(server, "url", "")
    return f"{kind} ({target})" if target else kind


_ADK_ADDED_TOOLS = (TRANSFER_TO_AGENT, SET_MODEL_RESPONSE)
"""Tools that ADK adds to a request by itself, so that no agent lists them."""


async def build_tool_catalog(app: App) -> ToolCatalog:
    """Return everything that a model of the app can call; raise ToolsetUnavailable if a toolset does not load."""
    tools: dict[str, Mapping[str, Any]] = {name: {"additionalProperties": True} for name in _ADK_ADDED_TOOLS}
    specs: dict[str, ToolSpec] = {}
    agents: dict[str, BaseNode] = {}
    agent_tools: dict[str, frozenset[str]] = {}
    seen_ids: set[int] = set()
    remaining: list[BaseNode] = [app.root_agent] if app.root_agent is not None else []
    while remaining:
        node = remaining.pop()
        # By identity: what runs a node in parallel has the name of that node.
        if id(node) in seen_ids:
            continue
        seen_ids.add(id(node))
        agents[node.name] = node
        remaining += list_inner_nodes(node)
        if isinstance(node, LlmAgent):
            with copy_with_seat(node) as agent:  # canonical_tools resolves the agent's model
                for toolset in list_toolsets(agent):
                    await check_toolset(toolset, agent.name, None)
                own_tools = await agent.canonical_tools()
            agent_tools[node.name] = frozenset({*_ADK_ADDED_TOOLS, *(tool.name for tool in own_tools)})
            for tool in own_tools:
                specs[tool.name] = read_tool_spec(tool)
                # A tool that does not declare itself accepts anything.
                tools[tool.name] = specs[tool.name].parameters or {"additionalProperties": True}
                if isinstance(tool, AgentTool):
                    remaining.append(tool.agent)
    return ToolCatalog(tools=tools, agents=sorted(agents), agent_tools=agent_tools, specs=specs)


def list_tool_names(app: App) -> Collection[str] | None:
    """Return the names of the tools that a model of the app can call; None if a toolset must be loaded to know them."""
    names = set(CONTROL_TOOLS)
    for node in iter_nodes(app.root_agent):
        own_tools = cast("Any", node).tools if isinstance(node, LlmAgent) else ()
        for tool in cast("Sequence[Callable[..., Any] | BaseTool | BaseToolset]", own_tools):
            if isinstance(tool, BaseToolset):
                return None
            names.add(tool.name if isinstance(tool, BaseTool) else FunctionTool(tool).name)
    return names
