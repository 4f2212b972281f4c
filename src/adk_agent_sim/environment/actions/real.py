"""The tool itself."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from adk_agent_sim.environment.actions.action import Acting, Action


class Pass(Action):
    """Lets the tool run; as a whole rule, it keeps calls away from the rules after it."""

    key: ClassVar[str] = "pass"
    inside: ClassVar[bool] = True

    real: Literal[True] = Field(default=True, alias="pass")

    async def apply(self, acting: Acting, result: object) -> object:
        """What the tool returns."""
        return await acting.real()
