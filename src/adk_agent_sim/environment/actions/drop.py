"""The action `drop`: removes fields from the result."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.json_values import MISSING, expand_wildcards, get_at_path, parse_path, remove_at


def _wrap_in_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


_ResultPath = Annotated[str, Field(min_length=1)]
ResultPaths = Annotated[
    list[_ResultPath],
    BeforeValidator(
        _wrap_in_list, json_schema_input_type=_ResultPath | Annotated[list[_ResultPath], Field(min_length=1)]
    ),
]
"""One or more paths in a result, such as `total`, `products.0.price` or `products.*.price`."""


class Drop(Action):
    """Removes fields from the result; missing fields are ignored."""

    key: ClassVar[str] = "drop"
    acts_inside_call: ClassVar[bool] = True
    changes_result: ClassVar[bool] = True
    only_makes_result: ClassVar[bool] = True

    drop: ResultPaths = Field(
        min_length=1, description="The paths of the fields, such as `total`, `products.0.price` or `products.*.price`"
    )

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return the result without the fields."""
        remaining = await execution.resolve_result(result)
        for path in self.drop:
            # From the end, so that the indexes of the other items stay the same.
            for each in reversed(expand_wildcards(remaining, parse_path(path))):
                execution.has_effect |= get_at_path(remaining, each) is not MISSING
                remove_at(remaining, each)
        return remaining
