"""One tool call as rules see it. History and default arguments, which few rules use, are computed on demand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from adk_agent_sim.environment.call_history import CallHistory, CallRecord
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.seeded_random import DrawKey


class Caller(Protocol):
    """The origin of a call: its agent and its session."""

    @property
    def agent(self) -> str:
        """The name of the calling agent."""
        ...

    @property
    def scope(self) -> str:
        """The enclosing call if the agent runs as a tool of another agent; otherwise empty."""
        ...

    def get_call_history(self) -> CallHistory:
        """Returns the calls of the session so far, including this one."""
        ...

    def get_argument_defaults(self) -> Mapping[str, Json]:
        """Returns the tool's declared defaults, by argument."""
        ...


class IncomingCall:
    """A call that has no response yet."""

    __slots__ = ("_args_with_defaults", "args", "call_id", "caller", "tool")

    def __init__(self, tool: str, args: Mapping[str, Json], call_id: str, caller: Caller) -> None:
        """Describe a call.

        Args:
            tool: The tool's name.
            args: The arguments of the call; callbacks may have changed those that the model requested.
            call_id: The call's id in the session.
            caller: The origin of the call.
        """
        self.tool = tool
        self.args = args
        self.call_id = call_id
        self.caller = caller
        self._args_with_defaults: Mapping[str, Json] | None = None

    @property
    def agent(self) -> str:
        """The name of the calling agent."""
        return self.caller.agent

    @property
    def record(self) -> CallRecord:
        """The call's record in the history. A call that no model requested is appended to the history."""
        history = self.caller.get_call_history()
        record = history.find_call(self.call_id, self.agent)
        if record is None or record.tool != self.tool:
            history.record_calls([(self.call_id, self.tool, self.args)], self.agent, "")
            record = history.find_call(self.call_id, self.agent)
            assert record is not None  # noqa: S101 - it was added in the line before
        return record

    @property
    def args_with_defaults(self) -> Mapping[str, Json]:
        """The arguments, completed with the tool's defaults."""
        if self._args_with_defaults is None:
            self._args_with_defaults = {**self.caller.get_argument_defaults(), **self.args}
        return self._args_with_defaults

    def build_sibling(self, record: CallRecord) -> IncomingCall:
        """Returns another call of the same session as its model requested it."""
        return IncomingCall(record.tool, record.args, record.call_id, _SiblingCaller(record.agent, self.caller))

    def build_random_key(self) -> tuple[DrawKey, ...]:
        """Returns the key of random draws about this call. It contains no generated ids, so runs are repeatable."""
        record = self.record
        return (self.caller.scope, record.agent, record.branch, self.tool, record.call_number)


class _SiblingCaller:
    """The caller of another call in the same session."""

    def __init__(self, agent: str, caller: Caller) -> None:
        self.agent = agent
        self.scope = caller.scope
        self.get_call_history = caller.get_call_history
        self.get_argument_defaults = caller.get_argument_defaults
