"""One call of a tool, as rules look at it; what is seldom asked for is found out when it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from adk_agent_sim.environment.call_history import CallHistory, CallRecord
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.seeded_random import DrawKey


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

    def get_call_history(self) -> CallHistory:
        """The session's calls so far, this one among them."""
        ...

    def get_argument_defaults(self) -> Mapping[str, Json]:
        """The values of the tool's arguments that are left out, as the tool declares them."""
        ...


class IncomingCall:
    """A call that waits for an answer."""

    __slots__ = ("_args_with_defaults", "args", "call_id", "caller", "tool")

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
        self._args_with_defaults: Mapping[str, Json] | None = None

    @property
    def agent(self) -> str:
        """Who calls."""
        return self.caller.agent

    @property
    def record(self) -> CallRecord:
        """Where the model asked for it. A call that no model asked for is put behind the others."""
        conversation = self.caller.get_call_history()
        asked = conversation.find_call(self.call_id, self.agent)
        if asked is None or asked.tool != self.tool:
            conversation.record_calls([(self.call_id, self.tool, self.args)], self.agent, "")
            asked = conversation.find_call(self.call_id, self.agent)
            assert asked is not None  # noqa: S101 - it was added in the line before
        return asked

    @property
    def args_with_defaults(self) -> Mapping[str, Json]:
        """The arguments, with the tool's defaults where they are left out."""
        if self._args_with_defaults is None:
            self._args_with_defaults = {**self.caller.get_argument_defaults(), **self.args}
        return self._args_with_defaults

    def build_sibling(self, record: CallRecord) -> IncomingCall:
        """Another call of the same tool, as its model asked for it."""
        return IncomingCall(record.tool, record.args, record.call_id, _SiblingCaller(record.agent, self.caller))

    def build_random_key(self) -> tuple[DrawKey, ...]:
        """What a random decision about the call depends on: nothing that is random itself."""
        place = self.record
        return (self.caller.scope, place.agent, place.branch, self.tool, place.call_number)


class _SiblingCaller:
    """The same session and tool, another agent."""

    def __init__(self, agent: str, caller: Caller) -> None:
        self.agent = agent
        self.scope = caller.scope
        self.get_call_history = caller.get_call_history
        self.get_argument_defaults = caller.get_argument_defaults
