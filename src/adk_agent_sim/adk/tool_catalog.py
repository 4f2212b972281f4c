"""The tools and agents of an app, found without running it: what rules can be compared with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.apps import App
from google.adk.tools import AgentTool, BaseTool
from google.adk.workflow import BaseNode, Workflow

from adk_agent_sim.adk.toolset_check import check_toolsets
from adk_agent_sim.environment.rule_lint import ToolCatalog
from adk_agent_sim.forms.json_schema import read_parameters_schema
from adk_agent_sim.timeline.json_conversion import to_json_value

_ADK_ADDED_TOOLS = ("transfer_to_agent", "set_model_response")
"""Tools that ADK adds itself when it asks a model."""


async def build_tool_catalog(app: App) -> ToolCatalog:
    """Everything that a model of the app can call; ToolsetUnavailable if a toolset does not load."""
    tools: dict[str, dict[str, Any]] = {name: {"additionalProperties": True} for name in _ADK_ADDED_TOOLS}
    agents: dict[str, BaseNode] = {}
    waiting: list[BaseNode] = [app.root_agent] if app.root_agent is not None else []
    while waiting:
        node = waiting.pop()
        if node.name in agents:
            continue
        agents[node.name] = node
        waiting += _iter_children(node)
        if isinstance(node, LlmAgent):
            await check_toolsets(node, None)
            for tool in await node.canonical_tools():
                tools[tool.name] = _read_parameters_schema(tool)
                if isinstance(tool, AgentTool):
                    waiting.append(tool.agent)
    return ToolCatalog(tools=tools, agents=sorted(agents))


def _iter_children(node: BaseNode) -> Iterator[BaseNode]:
    if isinstance(node, BaseAgent):
        yield from node.sub_agents
    if isinstance(node, Workflow) and node.graph is not None:
        yield from node.graph.nodes


def _read_parameters_schema(tool: BaseTool) -> dict[str, Any]:
    """The schema of the tool's arguments; anything fits a tool that does not declare itself."""
    declaration = None
    with suppress(NotImplementedError):
        declaration = tool._get_declaration()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - no public way
    return dict(read_parameters_schema(to_json_value(declaration))) if declaration else {"additionalProperties": True}
