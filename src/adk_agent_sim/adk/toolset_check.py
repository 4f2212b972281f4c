"""Verifies that an agent's toolsets load. ADK only logs a failure, and runs the agent without those tools."""

from __future__ import annotations

from typing import Any, cast

from google.adk.agents import LlmAgent
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.tools.base_toolset import BaseToolset

from adk_agent_sim.adk.compat import find_connection_params
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
    """Return the toolset's class with the command or address that it connects to, if it has one."""
    kind = type(toolset).__name__
    connection = find_connection_params(toolset)
    server = getattr(connection, "server_params", connection)
    command = getattr(server, "command", None)
    target = " ".join([command, *getattr(server, "args", ())]) if command else getattr(server, "url", "")
    return f"{kind} ({target})" if target else kind
