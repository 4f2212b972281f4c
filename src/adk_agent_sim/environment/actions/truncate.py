"""The action `truncate`: shortens texts and lists of the result."""

from __future__ import annotations

from typing import ClassVar, Self, cast

from pydantic import ConfigDict, Field, model_validator

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.json_values import StrictModel
from adk_agent_sim.timeline.canonical_json import Json


class TruncateLimits(StrictModel):
    """The lengths to which texts and lists are cut, at any depth."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    chars: int | None = Field(default=None, ge=0, description="Maximum characters of a string")
    items: int | None = Field(default=None, ge=0, description="Maximum items of a list")

    @model_validator(mode="after")
    def _require_a_limit(self) -> Self:
        if self.chars is None and self.items is None:
            raise ValueError("give chars or items, or both")
        return self


class Truncate(Action):
    """Cuts texts and lists of the result."""

    key: ClassVar[str] = "truncate"
    acts_inside_call: ClassVar[bool] = True
    changes_result: ClassVar[bool] = True
    only_makes_result: ClassVar[bool] = True

    truncate: TruncateLimits

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return the shortened result."""
        whole = await execution.resolve_result(result)
        truncated = self._truncate_value(whole)
        execution.has_effect |= truncated != whole
        return truncated

    def _truncate_value(self, value: Json) -> Json:
        if isinstance(value, str):
            return value[: self.truncate.chars]
        if isinstance(value, list):
            return [self._truncate_value(inner) for inner in cast("list[Json]", value)[: self.truncate.items]]
        if isinstance(value, dict):
            return {key: self._truncate_value(inner) for key, inner in cast("dict[str, Json]", value).items()}
        return value
