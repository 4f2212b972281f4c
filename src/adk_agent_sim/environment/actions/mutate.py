"""The action `mutate`: changes the result by a JSON Patch."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.json_values import PatchNotApplicable, PatchOperation, apply_patch
from adk_agent_sim.errors import RuleFailed
from adk_agent_sim.timeline.canonical_json import Json


class Mutate(Action):
    """Changes the result by a JSON Patch."""

    key: ClassVar[str] = "mutate"
    acts_inside_call: ClassVar[bool] = True
    only_makes_result: ClassVar[bool] = True

    mutate: list[PatchOperation] = Field(min_length=1, description="The operations of a JSON Patch (RFC 6902)")

    @property
    def template(self) -> Json:
        """The values of the operations."""
        return [operation.value for operation in self.mutate]

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return the changed result.

        Raises:
            RuleFailed: The patch does not apply to the result.
        """
        before = await execution.resolve_result(result)
        operations = self._render_operations(execution) if self.has_references else self.mutate
        try:
            return apply_patch(before, operations)
        except PatchNotApplicable as error:
            raise RuleFailed(
                execution.rule, execution.call.tool, f"the patch does not apply to the result: {error}"
            ) from error

    def _render_operations(self, execution: RuleExecution) -> list[PatchOperation]:
        values = execution.render(self.template)
        return [
            operation.model_copy(update={"value": value}) for operation, value in zip(self.mutate, values, strict=True)
        ]
