"""A result with values of a type that nobody expects there."""

from __future__ import annotations

import json
from typing import ClassVar

from pydantic import Field

from adk_agent_sim.environment.actions.action import Acting, Action
from adk_agent_sim.environment.actions.drop import Paths
from adk_agent_sim.environment.patch import replace_at
from adk_agent_sim.environment.values import MISSING, found_at, path_of
from adk_agent_sim.timeline.canonical import Json


class WrongType(Action):
    """Gives fields another type: a text becomes a list that holds it, anything else its JSON text."""

    key: ClassVar[str] = "wrong_type"
    inside: ClassVar[bool] = True

    wrong_type: Paths = Field(min_length=1, description="The fields, as `total` or `products.0.price`")

    async def apply(self, acting: Acting, result: object) -> object:
        """The result with those fields changed; those that it lacks do not matter."""
        changed = await acting.result(result)
        for path in map(path_of, self.wrong_type):
            value = found_at(changed, path)
            if value is not MISSING:
                changed = replace_at(changed, path, _other_type(value))
        return changed


def _other_type(value: Json) -> Json:
    return [value] if isinstance(value, str) else json.dumps(value)
