"""A result with values of a type that nobody expects there."""

from __future__ import annotations

import json
from typing import ClassVar

from pydantic import Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.actions.drop import ResultPaths
from adk_agent_sim.environment.json_patch import replace_at
from adk_agent_sim.environment.json_values import MISSING, get_at_path, parse_path
from adk_agent_sim.timeline.canonical_json import Json


class WrongType(Action):
    """Gives fields another type: a text becomes a list that holds it, anything else its JSON text."""

    key: ClassVar[str] = "wrong_type"
    acts_inside_call: ClassVar[bool] = True

    wrong_type: ResultPaths = Field(min_length=1, description="The fields, as `total` or `products.0.price`")

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """The result with those fields changed; those that it lacks do not matter."""
        changed = await execution.resolve_result(result)
        for path in map(parse_path, self.wrong_type):
            value = get_at_path(changed, path)
            if value is not MISSING:
                changed = replace_at(changed, path, _change_type(value))
        return changed


def _change_type(value: Json) -> Json:
    return [value] if isinstance(value, str) else json.dumps(value)
