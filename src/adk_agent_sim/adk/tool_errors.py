"""A tool that raises becomes an answer that the model can read, and the run goes on."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.plugins import BasePlugin
from google.adk.tools import BaseTool, ToolContext


class ToolErrorPlugin(BasePlugin):
    """Answers `{"error": {"type": ..., "message": ...}}` for a tool that raised.

    Put it into the App that `adk eval` evaluates, so that a golden case with a tool error meets the same answer there:

        app = App(name="shop", root_agent=root_agent, plugins=[ToolErrorPlugin()])

    The agent's own `on_tool_error_callback`, if it has one, is asked first. A name that the model made up is not a tool
    that raised: ADK answers that itself, with the list of tools.
    """

    def __init__(self, name: str = "adksim_tool_errors") -> None:
        super().__init__(name=name)

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: BaseException
    ) -> dict[str, Any] | None:
        """The answer for the model; None leaves it to ADK."""
        if not isinstance(error, Exception) or type(tool) is BaseTool:
            return None
        own = await _call_agent_callbacks(tool, tool_args, tool_context, error)
        return own if own is not None else {"error": {"type": type(error).__name__, "message": str(error)}}


async def _call_agent_callbacks(
    tool: BaseTool, args: dict[str, Any], context: ToolContext, error: Exception
) -> dict[str, Any] | None:
    """What the agent's own callbacks say: ADK asks them only after every plugin has passed."""
    agent = context._invocation_context.agent  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - no public way
    if not isinstance(agent, LlmAgent):
        return None
    for callback in agent.canonical_on_tool_error_callbacks:
        answer = _call_callback(callback, tool=tool, args=args, tool_context=context, error=error)
        answer = await answer if inspect.isawaitable(answer) else answer
        if answer is not None:
            return answer
    return None


def _call_callback(callback: Callable[..., Any], **named: Any) -> Any:
    """Call as ADK does: by name, and by position where the callback chose other names."""
    try:
        inspect.signature(callback).bind(**named)
    except TypeError:
        return callback(*named.values())
    return callback(**named)
