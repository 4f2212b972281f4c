"""Makes sure that an agent's toolsets load: ADK only logs one that does not, and runs the agent without its tools."""

from __future__ import annotations

from typing import Any, cast

from google.adk.agents import LlmAgent
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.tools.base_toolset import BaseToolset

from adk_agent_sim.errors import ToolsetUnavailable


async def check_toolsets(agent: LlmAgent, context: ReadonlyContext | None) -> None:
    """Raise ToolsetUnavailable, which names the server, for the first toolset that does not load."""
    for toolset in cast("list[object]", cast("Any", agent).tools):
        if isinstance(toolset, BaseToolset):
            try:
                await toolset.get_tools_with_prefix(context)
            except Exception as error:
                raise ToolsetUnavailable(agent.name, _describe_toolset(toolset), error) from error


def _describe_toolset(toolset: BaseToolset) -> str:
    """The toolset with what it connects to; ADK keeps that to itself."""
    kind = type(toolset).__name__
    connection = cast("Any", getattr(toolset, "_connection_params", None))
    server = getattr(connection, "server_params", connection)
    command = getattr(server, "command", None)
    target = " ".join([command, *getattr(server, "args", ())]) if command else getattr(server, "url", "")
    return f"{kind} ({target})" if target else kind
