"""A result with changes."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from adk_agent_sim.environment.actions.action import Acting, Action
from adk_agent_sim.environment.patch import Operation, PatchDoesNotApply, patched
from adk_agent_sim.errors import RuleFailed


class Mutate(Action):
    """Changes the result by a JSON Patch."""

    key: ClassVar[str] = "mutate"
    inside: ClassVar[bool] = True

    mutate: list[Operation] = Field(min_length=1, description="The operations of a JSON Patch (RFC 6902)")

    async def apply(self, acting: Acting, result: object) -> object:
        """The changed result; RuleFailed if it does not have what the patch needs."""
        before = await acting.result(result)
        try:
            return patched(before, self.mutate)
        except PatchDoesNotApply as error:
            raise RuleFailed(acting.rule, acting.call.tool, f"the patch does not fit the result: {error}") from error
