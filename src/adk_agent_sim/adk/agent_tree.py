"""The agents of an app that can be known before they run."""

from __future__ import annotations

from typing import cast

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.tools import AgentTool


def collect_agent_names(root: object) -> set[str]:
    """The names of an agent, of the agents below it, and of those it has as tools; none for a workflow."""
    names: set[str] = set()
    ahead: list[object] = [root]
    while ahead:
        agent = ahead.pop()
        if not isinstance(agent, BaseAgent) or agent.name in names:
            continue
        names.add(agent.name)
        ahead += agent.sub_agents
        if isinstance(agent, LlmAgent):
            tools = cast("list[object]", agent.tools)  # pyright: ignore[reportUnknownMemberType]
            ahead += [tool.agent for tool in tools if isinstance(tool, AgentTool)]
    return names
