"""Checks the names of the agents that alone get the tools of a world."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from google.adk.agents import BaseAgent
from google.adk.workflow import BaseNode

from adk_agent_sim.adk.loading.agent_tree import iter_agents
from adk_agent_sim.errors import InvalidRunOption


def check_world_agents(root: BaseNode | None, names: AbstractSet[str]) -> None:
    """Raise InvalidRunOption if no agent of a tree has one of the names: nobody would get the world's tools.

    Some names may belong to other agents of a bench. Workflows, which can make agents while they run, are not checked.
    """
    if not names or not isinstance(root, BaseAgent):
        return
    found = [agent.name for agent in iter_agents(root)]
    if names.isdisjoint(found):
        raise InvalidRunOption(
            "the world agent", ", ".join(sorted(names)), f"no agent has that name, only {', '.join(found)[:300]}"
        )
