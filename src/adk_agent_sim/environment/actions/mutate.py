"""The action `mutate`: changes the result by a JSON Patch."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.json_patch import PatchNotApplicable, PatchOperation, apply_patch
from adk_agent_sim.errors import RuleFailed


class Mutate(Action):
    """Changes the result by a JSON Patch."""

    key: ClassVar[str] = "mutate"
    acts_inside_call: ClassVar[bool] = True
    only_makes_result: ClassVar[bool] = True

    mutate: list[PatchOperation] = Field(min_length=1, description="The operations of a JSON Patch (RFC 6902)")

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Returns the changed result.

        Raises:
            RuleFailed: The patch does not apply to the result.
        """
        before = await execution.resolve_result(result)
        try:
            return apply_patch(before, self.mutate)
        except PatchNotApplicable as error:
            raise RuleFailed(
                execution.rule, execution.call.tool, f"the patch does not apply to the result: {error}"
            ) from error
