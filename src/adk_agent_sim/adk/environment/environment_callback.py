"""The simulated environment as a `before_tool_callback`: rules answer before the call, and a report says what they did.

A callback sees the calls of its agents only, and nothing of how they end. So it counts a call as real if no rule
answers it, and rules that act inside the call need the plugin.
"""

from __future__ import annotations

from typing import Any, Protocol, cast

from google.adk.tools import BaseTool, ToolContext

from adk_agent_sim.adk.environment.environment_plugin import answer_by_rules, record_rules
from adk_agent_sim.adk.environment.environment_registry import EnvironmentRegistry
from adk_agent_sim.adk.environment.llm_mock_setup import LlmMockSetup
from adk_agent_sim.adk.seats import tool_seat
from adk_agent_sim.environment.environment_report import EnvironmentReport
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS


class EnvironmentCallback(Protocol):
    """A function for `before_tool_callback`, with a report of the calls that it has seen."""

    async def __call__(self, tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any] | None:
        """Return the response of the rule that answers the call; None if no rule does, so that the tool runs."""
        ...

    def report(self) -> EnvironmentReport:
        """Return what happened to all calls so far, as the plugin's `report`."""
        ...


def create_environment_callback(rulebook: Rulebook, llm_setup: LlmMockSetup | None = None) -> EnvironmentCallback:
    """Return a callback for rules of which none acts inside a call."""
    registry = EnvironmentRegistry(rulebook, llm_setup)

    # A function with an attribute, because users and ADK recognize a coroutine function, not an object that is called.
    async def simulate(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any] | None:
        # ADK calls callbacks before it asks for consent, so a rule would answer a call that the user may refuse.
        if await _is_consent_pending(tool, args, tool_context):
            return None
        if rulebook.find_candidates(tool.name, by_name_only=tool.name in CONTROL_TOOLS):
            return await answer_by_rules(registry, tool, args, tool_context)
        registry.get_session_environment(tool_context.session).environment.tally.fold.real[tool.name] += 1
        if (calls := tool_seat.SESSION_CALLS.get()) is not None:
            await record_rules(registry, calls, tool, tool_context)
        return None

    vars(simulate)["report"] = registry.build_report
    return cast("EnvironmentCallback", simulate)


async def _is_consent_pending(tool: BaseTool, args: dict[str, Any], context: ToolContext) -> bool:
    """Return whether the call needs consent that was not given; then ADK responds to the call, not a rule."""
    consent = context.tool_confirmation
    if consent is not None and consent.confirmed:
        return False
    return await tool.check_require_confirmation(args, context) is True
