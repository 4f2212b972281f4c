"""Finds the agents of an app, and the other nodes of its workflows, before they run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from google.adk.agents import (
    BaseAgent,
    LlmAgent,
    ParallelAgent,  # pyright: ignore[reportDeprecated] - users still have them
)
from google.adk.tools import AgentTool
from google.adk.workflow import BaseNode

from adk_agent_sim.adk.compat import list_child_nodes


def collect_agent_names(root: object) -> set[str]:
    """Return the names of an agent and of those that run below it.

    The set is empty for a workflow: its functions may run agents that are not known before.
    """
    return {agent.name for agent in iter_agents(root)} if isinstance(root, BaseAgent) else set()


def may_run_side_by_side(root: object) -> bool:
    """Return whether two agents of an app may run at the same time: in a ParallelAgent, or in a workflow."""
    parallel_type = ParallelAgent  # pyright: ignore[reportDeprecated]
    return not isinstance(root, BaseAgent) or any(isinstance(each, parallel_type) for each in iter_agents(root))


def iter_agents(root: object) -> Iterator[BaseAgent]:
    """Yield the agents of an app, each once: the root, sub-agents, agents used as tools, and those in workflows."""
    return (node for node in iter_nodes(root) if isinstance(node, BaseAgent))


def iter_nodes(root: object) -> Iterator[BaseNode]:
    """Yield the agents, workflows and functions of an app, each once and before what is in it."""
    # By identity: agents are pydantic models, which have no hash, and two different agents may be equal.
    seen_ids: set[int] = set()
    remaining: list[object] = [root]
    while remaining:
        node = remaining.pop()
        if not isinstance(node, BaseNode) or id(node) in seen_ids:
            continue
        seen_ids.add(id(node))
        yield node
        remaining += reversed(list_inner_nodes(node))


def list_inner_nodes(node: BaseNode) -> list[BaseNode]:
    """Return the nodes directly below a node, and the agents that it uses as tools."""
    tools = cast("list[object]", node.tools) if isinstance(node, LlmAgent) else []  # pyright: ignore[reportUnknownMemberType]
    # ADK does not list the agent of an AgentTool among the children of the agent that has the tool.
    return [*list_child_nodes(node), *(tool.agent for tool in tools if isinstance(tool, AgentTool))]
