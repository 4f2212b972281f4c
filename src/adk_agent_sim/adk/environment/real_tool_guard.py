"""Refuses real tools: in every app of the process, whether or not it has a plugin of this package."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from google.adk.tools import BaseTool, ToolContext

from adk_agent_sim.adk.compat import CallTool, replace_tool_calls
from adk_agent_sim.adk.seats import tool_seat
from adk_agent_sim.adk.seats.framework_tools import is_framework_tool
from adk_agent_sim.errors import RealToolRefused


@contextmanager
def refuse_real_tools() -> Generator[list[str]]:
    """Let every tool whose own code would run raise RealToolRefused inside the context.

    Yields:
        A list to which the name of each refused tool is appended, also if the agent catches the exception.
    """
    refused: list[str] = []

    def guard(tool: BaseTool, own_run: tool_seat.RunAsync) -> tool_seat.RunAsync:
        if is_framework_tool(tool):
            return own_run

        async def refuse(**_: Any) -> object:
            refused.append(tool.name)
            raise RealToolRefused(tool.name, "the test allows no real tools")

        return refuse

    def guard_calls(call_tool: CallTool) -> CallTool:
        async def call_guarded_tool(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> object:
            # The guard goes inside the seat, so that rules, which intercept before it, can still answer the call.
            tool_seat.install_seat(tool)
            tool_seat.TOOL_GUARD.set(guard)
            return await call_tool(tool, args=args, tool_context=tool_context)

        return call_guarded_tool

    with replace_tool_calls(guard_calls):
        yield refused
