"""Verifies that an agent's toolsets load. ADK only logs a failure, and runs the agent without those tools."""

from __future__ import annotations

from typing import Any, cast

from google.adk.agents import LlmAgent
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.tools.base_toolset import BaseToolset

from adk_agent_sim.adk.compat import find_connection_params
from adk_agent_sim.errors import ToolsetUnavailable


class ToolsetCheck:
    """Verifies the toolsets of each agent once in a session.

    Toolsets that need a credential cannot load before ADK has it. ADK asks the user for it after the callbacks of the
    agent, and has it at the first model call: they are verified only then.
    """

    def __init__(self) -> None:
        self._checked: set[tuple[str, bool]] = set()

    async def check(self, agent: LlmAgent, context: ReadonlyContext, *, has_credentials: bool) -> None:
        """Raise ToolsetUnavailable if a toolset does not load.

        Args:
            agent: The agent whose toolsets are verified.
            context: The callback's context.
            has_credentials: Verify the toolsets that need a credential, instead of the others.
        """
        if (key := (agent.name, has_credentials)) not in self._checked:
            for toolset in list_toolsets(agent):
                if needs_credential(toolset) is has_credentials:
                    await check_toolset(toolset, agent.name, context)
            # Only after all of them have loaded: the next run checks again, when a server that was down may be up.
            self._checked.add(key)


async def check_toolsets(agent: LlmAgent, context: ReadonlyContext | None) -> None:
    """Raise ToolsetUnavailable for the first toolset that does not load."""
    for toolset in list_toolsets(agent):
        await check_toolset(toolset, agent.name, context)


def list_toolsets(agent: LlmAgent) -> list[BaseToolset]:
    """Return the toolsets among the agent's tools."""
    tools = cast("list[object]", cast("Any", agent).tools)
    return [toolset for toolset in tools if isinstance(toolset, BaseToolset)]


def needs_credential(toolset: BaseToolset) -> bool:
    """Return whether ADK gets a credential for the toolset before it lists the tools."""
    return toolset.get_auth_config() is not None


async def check_toolset(toolset: BaseToolset, agent_name: str, context: ReadonlyContext | None) -> None:
    """Raise ToolsetUnavailable, which names the server, if the toolset does not load."""
    try:
        await toolset.get_tools_with_prefix(context)
    except Exception as error:
        needs_one = needs_credential(toolset)
        raise ToolsetUnavailable(agent_name, _describe_toolset(toolset), error, needs_credential=needs_one) from error


def _describe_toolset(toolset: BaseToolset) -> str:
    """Return the toolset's class with the command or address that it connects to, if it has one."""
    kind = type(toolset).__name__
    connection = find_connection_params(toolset)
    server = getattr(connection, "server_params", connection)
    command = getattr(server, "command", None)
    target = " ".join([command, *getattr(server, "args", ())]) if command else getattr(server, "url", "")
    return f"{kind} ({target})" if target else kind
