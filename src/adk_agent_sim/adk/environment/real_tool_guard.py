"""Refuses real tools in every app of the process, except those by which ADK steers a run.

Those reach nothing outside it, so they are never simulated.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from google.adk.tools import AgentTool, BaseTool, FunctionTool, ToolContext
from google.adk.tools.set_model_response_tool import SetModelResponseTool
from google.adk.tools.transfer_to_agent_tool import TransferToAgentTool

from adk_agent_sim.adk.compat import CallTool, is_node_tool, replace_tool_calls
from adk_agent_sim.adk.seats import tool_seat
from adk_agent_sim.errors import RealToolRefused
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS


def is_framework_tool(tool: BaseTool) -> bool:
    """Return whether a call of the tool is a step of the run itself.

    True for an agent or a workflow that is used as a tool: the tools inside it are calls of their own.
    """
    if tool.name in CONTROL_TOOLS or isinstance(tool, AgentTool | SetModelResponseTool | TransferToAgentTool):
        return True
    # A function is the most common tool and never a node, so it needs none of ADK's private names.
    return not isinstance(tool, FunctionTool) and is_node_tool(tool)


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
