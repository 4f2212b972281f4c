"""The action `drop`: removes fields from the result."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.json_patch import remove_at
from adk_agent_sim.environment.json_values import MISSING, get_at_path, parse_path


def _wrap_in_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


ResultPaths = Annotated[
    list[Annotated[str, Field(min_length=1)]], BeforeValidator(_wrap_in_list, json_schema_input_type=str | list[str])
]
"""One or more paths in a result, such as `total` or `products.0.price`."""


class Drop(Action):
    """Removes fields from the result; missing fields are ignored."""

    key: ClassVar[str] = "drop"
    acts_inside_call: ClassVar[bool] = True
    changes_result: ClassVar[bool] = True

    drop: ResultPaths = Field(
        min_length=1, description="The paths of the fields, such as `total` or `products.0.price`"
    )

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Returns the result without the fields."""
        remaining = await execution.resolve_result(result)
        for path in map(parse_path, self.drop):
            execution.has_effect |= get_at_path(remaining, path) is not MISSING
            remove_at(remaining, path)
        return remaining
