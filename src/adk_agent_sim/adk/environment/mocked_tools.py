"""What mocks know about the tools of an app: those that models were offered, and those that its agents list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.tools import BaseTool, FunctionTool
from google.adk.tools.base_toolset import BaseToolset

from adk_agent_sim.adk.environment.tool_spec_reader import read_tool_spec
from adk_agent_sim.adk.loading.agent_tree import iter_agents
from adk_agent_sim.mocks.tool_spec import ToolSpec

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
