"""A result that was cut off."""

from __future__ import annotations

from typing import ClassVar, Self, cast

from pydantic import Field, model_validator

from adk_agent_sim.environment.actions.action import Acting, Action
from adk_agent_sim.environment.spec import Spec
from adk_agent_sim.timeline.canonical import Json


class Limits(Spec):
    """How much is left of each text and list, at any depth."""

    chars: int | None = Field(default=None, ge=0, description="Of a text")
    items: int | None = Field(default=None, ge=0, description="Of a list")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if self.chars is None and self.items is None:
            raise ValueError("give chars or items, or both")
        return self


class Truncate(Action):
    """Cuts texts and lists of the result."""

    key: ClassVar[str] = "truncate"
    inside: ClassVar[bool] = True

    truncate: Limits

    async def apply(self, acting: Acting, result: object) -> object:
        """What is left of the result."""
        return self._cut(await acting.result(result))

    def _cut(self, value: Json) -> Json:
        if isinstance(value, str):
            return value[: self.truncate.chars]
        if isinstance(value, list):
            return [self._cut(inner) for inner in cast("list[Json]", value)[: self.truncate.items]]
        if isinstance(value, dict):
            return {key: self._cut(inner) for key, inner in cast("dict[str, Json]", value).items()}
        return value
