"""The action `respond`: responds with a value, which may refer to the call."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

from pydantic import Field

from adk_agent_sim.environment.actions.action import Action, RuleExecution
from adk_agent_sim.environment.json_values import copy_value, make_copier
from adk_agent_sim.timeline.canonical_json import Json


class Respond(Action):
    """Responds with a value; each call gets its own copy, because callbacks may change it."""

    key: ClassVar[str] = "respond"
    gives_result: ClassVar[bool] = True
    replaces_result: ClassVar[bool] = True
    only_makes_result: ClassVar[bool] = True

    respond: Any = Field(
        description="The response, which may refer to the call: {{args.id}}. "
        "What is not an object arrives as {result: ...}"
    )

    @property
    def template(self) -> Json:
        """The response."""
        return self.respond

    @cached_property
    def _copy_response(self) -> Callable[[], Json]:
        return make_copier(copy_value(self.respond))

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return a copy of the value."""
        return execution.render(self.respond) if self.has_references else self._copy_response()
