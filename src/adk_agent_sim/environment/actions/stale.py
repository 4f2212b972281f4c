"""A cache that was not refreshed."""

from __future__ import annotations

from typing import ClassVar, Literal

from adk_agent_sim.environment.actions.action import Acting, Action
from adk_agent_sim.environment.conversation import succeeded
from adk_agent_sim.environment.values import copied


class Stale(Action):
    """Answers with what the tool answered last in this session; a tool that has not answered yet runs."""

    key: ClassVar[str] = "stale"
    inside: ClassVar[bool] = True

    stale: Literal[True] = True

    async def apply(self, acting: Acting, result: object) -> object:
        """The last answer of the tool that was no failure."""
        call = acting.call
        for earlier in call.caller.conversation().seen_by(call.place, call.tool):
            if succeeded(earlier.response):
                return copied(earlier.response)
        return await acting.real()
