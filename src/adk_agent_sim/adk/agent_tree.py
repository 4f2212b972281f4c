"""Finds the agents of an app before they run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from google.adk.agents import (
    BaseAgent,
    LlmAgent,
    ParallelAgent,  # pyright: ignore[reportDeprecated] - users still have them
)
from google.adk.tools import AgentTool


def collect_agent_names(root: object) -> set[str]:
    """Return the names of an agent, its sub-agents and the agents it has as tools; an empty set for a workflow."""
    return {agent.name for agent in iter_agents(root)}


def may_run_side_by_side(root: object) -> bool:
    """Return whether two agents of an app may run at the same time: in a ParallelAgent, or in a workflow."""
    parallel_type = ParallelAgent  # pyright: ignore[reportDeprecated]
    return not isinstance(root, BaseAgent) or any(isinstance(each, parallel_type) for each in iter_agents(root))


def iter_agents(root: object) -> Iterator[BaseAgent]:
    """Yield an agent, its sub-agents and the agents it has as tools, each name once; nothing for a workflow."""
    names: set[str] = set()
    remaining: list[object] = [root]
    while remaining:
        agent = remaining.pop(0)
        if not isinstance(agent, BaseAgent) or agent.name in names:
            continue
        names.add(agent.name)
        yield agent
        remaining += agent.sub_agents
        if isinstance(agent, LlmAgent):
            tools = cast("list[object]", agent.tools)  # pyright: ignore[reportUnknownMemberType]
            remaining += [tool.agent for tool in tools if isinstance(tool, AgentTool)]
