"""The action `pass`: runs the real tool."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution


class Pass(Action):
    """Runs the real tool. As the only action of a rule, it exempts calls from the rules after it."""

    key: ClassVar[str] = "pass"
    seats: ClassVar[frozenset[str]] = frozenset({"tool", "model"})
    acts_inside_call: ClassVar[bool] = True
    replaces_result: ClassVar[bool] = True

    real: Literal[True] = Field(default=True, alias="pass")

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return the tool's result."""
        return await execution.run_tool()
