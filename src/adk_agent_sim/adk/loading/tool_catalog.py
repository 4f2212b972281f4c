"""Lists the tools and agents of an app without running it, so that rules can be checked against them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, cast

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.tools import AgentTool, BaseTool, FunctionTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.workflow import BaseNode

from adk_agent_sim.adk.environment.tool_spec_reader import read_tool_spec
from adk_agent_sim.adk.loading.agent_tree import iter_nodes, list_inner_nodes
from adk_agent_sim.adk.loading.toolset_check import check_toolsets
from adk_agent_sim.adk.seats.model_seat import copy_with_seat
from adk_agent_sim.environment.rule_lint import ToolCatalog
from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS, SET_MODEL_RESPONSE, TRANSFER_TO_AGENT

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
                await check_toolsets(agent, None)
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
