"""A result with fields missing."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from adk_agent_sim.environment.actions.action import Acting, Action
from adk_agent_sim.environment.patch import remove_at
from adk_agent_sim.environment.values import path_of


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


Paths = Annotated[
    list[Annotated[str, Field(min_length=1)]], BeforeValidator(_listed, json_schema_input_type=str | list[str])
]
"""A place in a result, as `total` or `products.0.price`, or several."""


class Drop(Action):
    """Takes fields out of the result; those that it lacks do not matter."""

    key: ClassVar[str] = "drop"
    inside: ClassVar[bool] = True

    drop: Paths = Field(min_length=1, description="The fields, as `total` or `products.0.price`")

    async def apply(self, acting: Acting, result: object) -> object:
        """The result without them."""
        left = await acting.result(result)
        for path in self.drop:
            remove_at(left, path_of(path))
        return left
