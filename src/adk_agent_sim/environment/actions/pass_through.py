"""The tool itself."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution


class Pass(Action):
    """Lets the tool run; as a whole rule, it keeps calls away from the rules after it."""

    key: ClassVar[str] = "pass"
    acts_inside_call: ClassVar[bool] = True

    real: Literal[True] = Field(default=True, alias="pass")

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """What the tool returns."""
        return await execution.run_tool()
