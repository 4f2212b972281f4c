"""The interface by which calls are recorded or compared while rules answer them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import wrap_result
from adk_agent_sim.timeline.json_conversion import to_json_value

RunTool: TypeAlias = Callable[[], Awaitable[object]]
"""Runs the tool's own code."""


class CallWatcher(Protocol):
    """Sees every call that rules answer, and its result."""

    async def watch(
        self, call: IncomingCall, answer: Callable[[RunTool], Awaitable[object]], run_tool: RunTool
    ) -> object:
        """Return the result of a call.

        Args:
            call: The call.
            answer: Lets the rules answer; it gets how the tool's own code is run.
            run_tool: Runs the tool's own code.
        """
        ...


def build_error_response(error: Exception) -> dict[str, Json]:
    """Return a response that stands for an exception."""
    return {"error": {"type": type(error).__name__, "message": str(error)}}


def build_tool_response(result: object) -> dict[str, Json]:
    """Return the result of a tool as the model gets it."""
    return to_json_value(wrap_result(result))
