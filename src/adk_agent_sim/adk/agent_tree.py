"""Finds the agents of an app before they run."""

from __future__ import annotations

from typing import cast

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.tools import AgentTool


def collect_agent_names(root: object) -> set[str]:
    """Return the names of an agent, its sub-agents and the agents it has as tools; an empty set for a workflow."""
    names: set[str] = set()
    remaining: list[object] = [root]
    while remaining:
        agent = remaining.pop()
        if not isinstance(agent, BaseAgent) or agent.name in names:
            continue
        names.add(agent.name)
        remaining += agent.sub_agents
        if isinstance(agent, LlmAgent):
            tools = cast("list[object]", agent.tools)  # pyright: ignore[reportUnknownMemberType]
            remaining += [tool.agent for tool in tools if isinstance(tool, AgentTool)]
    return names
