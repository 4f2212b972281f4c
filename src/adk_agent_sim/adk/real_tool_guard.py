"""A guard against tools that run for real, whatever app they are in and whether or not it has a plugin of ours."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from google.adk.flows.llm_flows.tools import (
    _caller,  # pyright: ignore[reportPrivateUsage] - the one way that all calls take
    _live_caller,  # pyright: ignore[reportPrivateUsage] - and the one of live calls
)
from google.adk.tools import BaseTool, ToolContext

from adk_agent_sim.adk import tool_seat
from adk_agent_sim.adk.framework_tools import is_framework_tool
from adk_agent_sim.errors import RealToolRefused

_CALL_FUNCTION_NAME = "_call_tool_async"


@contextmanager
def refuse_real_tools() -> Generator[list[str]]:
    """While open, a tool whose own code would run raises instead. Gives the names of those that would have run."""
    refused: list[str] = []
    call = _caller._call_tool_async  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - see above

    def guard(tool: BaseTool, own_run: tool_seat.RunAsync) -> tool_seat.RunAsync:
        if is_framework_tool(tool):
            return own_run

        async def refuse(**_: Any) -> object:
            refused.append(tool.name)
            raise RealToolRefused(tool.name, "the test allows no real tools")

        return refuse

    async def call_guarded_tool(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> object:
        tool_seat.install_seat(tool)
        tool_seat.TOOL_GUARD.set(guard)
        return await call(tool, args=args, tool_context=tool_context)

    modules = (_caller, _live_caller)
    try:
        for module in modules:
            setattr(module, _CALL_FUNCTION_NAME, call_guarded_tool)
        yield refused
    finally:
        for module in modules:
            setattr(module, _CALL_FUNCTION_NAME, call)
