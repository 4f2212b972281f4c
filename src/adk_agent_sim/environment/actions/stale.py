"""The action `stale`: repeats an earlier response, like a cache that was not refreshed."""

from __future__ import annotations

from typing import ClassVar, Literal

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.json_values import MISSING, copy_value


class Stale(Action):
    """Responds with the tool's last successful response in this session; without one, the real tool runs."""

    key: ClassVar[str] = "stale"
    seats: ClassVar[frozenset[str]] = frozenset({"tool", "model"})
    acts_inside_call: ClassVar[bool] = True
    changes_result: ClassVar[bool] = True
    replaces_result: ClassVar[bool] = True
    only_makes_result: ClassVar[bool] = True

    stale: Literal[True] = True

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return a copy of the last successful response."""
        earlier = execution.call.find_last_success()
        if earlier is MISSING:
            return await execution.run_tool()
        execution.has_effect = True
        return copy_value(earlier)
