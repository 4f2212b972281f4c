"""Turns an exception of a tool into a response that the model can read, so that the run continues."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.plugins import BasePlugin
from google.adk.tools import BaseTool, ToolContext

from adk_agent_sim.adk.compat import get_invocation_context


class ToolErrorPlugin(BasePlugin):
    """Responds `{"error": {"type": ..., "message": ...}}` for a tool that raised.

    Put it into the App that `adk eval` evaluates, so that a golden case with a tool error gets the same response there:

        app = App(name="shop", root_agent=root_agent, plugins=[ToolErrorPlugin()])

    The agent's own `on_tool_error_callback`, if it has one, is called first. A call of a tool that does not exist is
    not handled here: ADK responds with the list of tools.
    """

    def __init__(self, name: str = "adksim_tool_errors") -> None:
        super().__init__(name=name)

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: BaseException
    ) -> dict[str, Any] | None:
        """Return the response for the model, or None to leave the error to ADK."""
        # ADK also reports that a call was cancelled, which is no error for the model to read.
        # For a name that the model made up, ADK passes a plain BaseTool that stands for the missing tool.
        if not isinstance(error, Exception) or type(tool) is BaseTool:
            return None
        own = await _call_agent_callbacks(tool, tool_args, tool_context, error)
        return own if own is not None else {"error": {"type": type(error).__name__, "message": str(error)}}


async def _call_agent_callbacks(
    tool: BaseTool, args: dict[str, Any], context: ToolContext, error: Exception
) -> dict[str, Any] | None:
    """Return what the agent's own callbacks respond.

    ADK calls them only if no plugin has responded, and this plugin always does; so they are called from here.
    """
    agent = get_invocation_context(context).agent
    if not isinstance(agent, LlmAgent):
        return None
    for callback in agent.canonical_on_tool_error_callbacks:
        response = _call_callback(callback, tool=tool, args=args, tool_context=context, error=error)
        response = await response if inspect.isawaitable(response) else response
        if response is not None:
            return response
    return None


def _call_callback(callback: Callable[..., Any], **named: Any) -> Any:
    """Call as ADK does: by keyword, or by position if the callback has other parameter names."""
    try:
        inspect.signature(callback).bind(**named)
    except TypeError:
        return callback(*named.values())
    return callback(**named)
