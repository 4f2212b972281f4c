"""The action `wrong_type`: changes the type of fields of the result."""

from __future__ import annotations

import json
from typing import ClassVar

from pydantic import Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.actions.drop import ResultPaths
from adk_agent_sim.environment.json_values import MISSING, expand_wildcards, get_at_path, parse_path, replace_at
from adk_agent_sim.timeline.canonical_json import Json


class WrongType(Action):
    """Changes the type of fields: a string becomes a list that contains it, any other value its JSON text."""

    key: ClassVar[str] = "wrong_type"
    acts_inside_call: ClassVar[bool] = True
    changes_result: ClassVar[bool] = True
    only_makes_result: ClassVar[bool] = True

    wrong_type: ResultPaths = Field(
        min_length=1, description="The paths of the fields, such as `total`, `products.0.price` or `products.*.price`"
    )

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return the result with the fields changed; missing fields are ignored."""
        changed = await execution.resolve_result(result)
        for path in map(parse_path, self.wrong_type):
            for each in expand_wildcards(changed, path):
                value = get_at_path(changed, each)
                if value is not MISSING:
                    execution.has_effect = True
                    changed = replace_at(changed, each, _change_type(value))
        return changed


def _change_type(value: Json) -> Json:
    return [value] if isinstance(value, str) else json.dumps(value)
