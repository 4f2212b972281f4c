"""A result with fields missing."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.json_patch import remove_at
from adk_agent_sim.environment.json_values import parse_path


def _wrap_in_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


ResultPaths = Annotated[
    list[Annotated[str, Field(min_length=1)]], BeforeValidator(_wrap_in_list, json_schema_input_type=str | list[str])
]
"""A place in a result, as `total` or `products.0.price`, or several."""


class Drop(Action):
    """Takes fields out of the result; those that it lacks do not matter."""

    key: ClassVar[str] = "drop"
    acts_inside_call: ClassVar[bool] = True

    drop: ResultPaths = Field(min_length=1, description="The fields, as `total` or `products.0.price`")

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """The result without them."""
        left = await execution.resolve_result(result)
        for path in self.drop:
            remove_at(left, parse_path(path))
        return left
