"""One call of a tool, as rules look at it; what is seldom asked for is found out when it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from adk_agent_sim.environment.conversation import Asked, Conversation
from adk_agent_sim.timeline.canonical import Json
from adk_agent_sim.timeline.chance import Key


class Caller(Protocol):
    """Where a call comes from."""

    @property
    def agent(self) -> str:
        """Who calls."""
        ...

    @property
    def scope(self) -> str:
        """The call that this one runs within, where an agent is used as a tool; else empty."""
        ...

    def conversation(self) -> Conversation:
        """The session's calls so far, this one among them."""
        ...

    def defaults(self) -> Mapping[str, Json]:
        """The values of the tool's arguments that are left out, as the tool declares them."""
        ...


class Call:
    """A call that waits for an answer."""

    __slots__ = ("_filled", "args", "call_id", "caller", "tool")

    def __init__(self, tool: str, args: Mapping[str, Json], call_id: str, caller: Caller) -> None:
        """Describe a call.

        Args:
            tool: The tool's name.
            args: What it is called with now; callbacks may have changed what the model said.
            call_id: Its id in the session.
            caller: Where it comes from.
        """
        self.tool = tool
        self.args = args
        self.call_id = call_id
        self.caller = caller
        self._filled: Mapping[str, Json] | None = None

    @property
    def agent(self) -> str:
        """Who calls."""
        return self.caller.agent

    @property
    def place(self) -> Asked:
        """Where the model asked for it. A call that no model asked for is put behind the others."""
        conversation = self.caller.conversation()
        asked = conversation.place(self.call_id, self.agent)
        if asked is None or asked.tool != self.tool:
            conversation.asked([(self.call_id, self.tool, self.args)], self.agent, "")
            asked = conversation.place(self.call_id, self.agent)
            assert asked is not None  # noqa: S101 - it was added in the line before
        return asked

    @property
    def filled(self) -> Mapping[str, Json]:
        """The arguments, with the tool's defaults where they are left out."""
        if self._filled is None:
            self._filled = {**self.caller.defaults(), **self.args}
        return self._filled

    def sibling(self, asked: Asked) -> Call:
        """Another call of the same tool, as its model asked for it."""
        return Call(asked.tool, asked.args, asked.call_id, _Sibling(asked.agent, self.caller))

    def key(self) -> tuple[Key, ...]:
        """What a random decision about the call depends on: nothing that is random itself."""
        place = self.place
        return (self.caller.scope, place.agent, place.branch, self.tool, place.number)


class _Sibling:
    """The same session and tool, another agent."""

    def __init__(self, agent: str, caller: Caller) -> None:
        self.agent = agent
        self.scope = caller.scope
        self.conversation = caller.conversation
        self.defaults = caller.defaults
