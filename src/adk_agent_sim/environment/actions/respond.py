"""A fixed answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

from pydantic import Field

from adk_agent_sim.environment.actions.action import Acting, Action
from adk_agent_sim.environment.values import copied, copier
from adk_agent_sim.timeline.canonical import Json


class Respond(Action):
    """Answers with a fixed value; each call gets a copy of its own."""

    key: ClassVar[str] = "respond"
    answers: ClassVar[bool] = True

    respond: Any = Field(description="The answer; what is no object reaches the model as {result: ...}")

    @cached_property
    def _copy(self) -> Callable[[], Json]:
        return copier(copied(self.respond))

    async def apply(self, acting: Acting, result: object) -> object:
        """The value."""
        return self._copy()
