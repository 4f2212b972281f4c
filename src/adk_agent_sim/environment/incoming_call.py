"""One tool call as rules see it, its random draws, and the interface by which calls are recorded or compared.

History and default arguments, which few rules use, are computed on demand. A draw is a pure function of (seed, session
key, rule, enclosing call, agent, branch, tool, n-th call). The session key is the label of the run if there is one.
Otherwise it is a digest of how the session begins: its first user message and its initial state. It is never the
session's id, which is random. So sessions that begin differently draw differently, and each draws the same again in the
next run.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol, TypeAlias

from adk_agent_sim.environment.call_history import CallHistory, CallRecord, is_success
from adk_agent_sim.environment.json_values import MISSING
from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.timeline.canonical_json import Json, encode_json
from adk_agent_sim.timeline.content_parts import wrap_result
from adk_agent_sim.timeline.framework_calls import EXACT_NAMES
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.seeded_random import DrawKey, draw_uniform

_SEED_BITS = 32
"""The size of a drawn seed: short enough to be copied from a report by hand."""


@dataclass(frozen=True, slots=True)
class SessionRandomness:
    """What the draws of a session depend on, besides the rule and the call."""

    seed: int
    """The seed of the rules, or the one that the session drew."""

    session_key: str
    """The run's label, or a digest of how the session begins."""

    is_drawn: bool = False
    """Whether the rules have no seed, so that the session drew one."""


def create_randomness(seed: int | None, label: str = "", beginning: Json = None) -> SessionRandomness:
    """Create the randomness of a session.

    Args:
        seed: The seed of the rules; None draws a new one.
        label: The label of the run, such as a scenario and the number of the run, or the id of a test.
        beginning: How the session begins, if the run has no label: the first user message and the initial state.
    """
    return SessionRandomness(
        seed=secrets.randbits(_SEED_BITS) if seed is None else seed,
        session_key=label or (_NO_BEGINNING if beginning is None else _compute_digest(beginning)),
        is_drawn=seed is None,
    )


def _compute_digest(beginning: Json) -> str:
    return blake2b(encode_json(beginning), digest_size=8).hexdigest()


_NO_BEGINNING = _compute_digest(None)


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

    @property
    def randomness(self) -> SessionRandomness:
        """What the random draws of the session depend on."""
        ...

    def get_call_history(self) -> CallHistory:
        """Return the calls of the session so far, including this one."""
        ...

    def get_argument_defaults(self) -> Mapping[str, Json]:
        """Return the tool's declared defaults, by argument."""
        ...

    def get_state(self) -> Mapping[str, Json]:
        """Return the session's state as the call sees it."""
        ...

    def get_tool_spec(self) -> ToolSpec:
        """Return what is known about the tool."""
        ...

    def list_tool_specs(self) -> Sequence[ToolSpec]:
        """Return what is known about all tools of the app."""
        ...


class IncomingCall:
    """A call that has no response yet."""

    __slots__ = ("_args_with_defaults", "args", "call_id", "caller", "steers_run", "tool", "unsearched")

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
        self.steers_run = tool in EXACT_NAMES
        """Whether it is a call by which ADK steers the run, such as `transfer_to_agent`, or a call of the model."""
        self.unsearched: tuple[object, ...] = ()
        """The predicates whose pattern was not searched, because the text is too long for it."""
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

    def find_last_success(self) -> Json:
        """Return the last successful response of the tool that this call sees; MISSING if there is none."""
        visible = self.caller.get_call_history().iter_visible_calls(self.record, self.tool)
        return next((earlier.response for earlier in visible if is_success(earlier.response)), MISSING)

    def build_sibling(self, record: CallRecord) -> IncomingCall:
        """Return another call of the same session as its model requested it."""
        return IncomingCall(record.tool, record.args, record.call_id, _SiblingCaller(record.agent, self.caller))

    def draw(self, rule: str, seed: int | None, *key: DrawKey) -> float:
        """Return a random number from 0 to 1 for a rule and this call. It depends on no generated id or time.

        Args:
            rule: The rule's name.
            seed: The seed of the rule; None for that of the session.
            key: What is drawn, if a rule draws several numbers.
        """
        return self.draw_for_number(self.record.call_number, rule, seed, *key)

    def draw_for_number(self, number: int, rule: str, seed: int | None, *key: DrawKey) -> float:
        """Like `draw`, for the call of the tool with a given number."""
        record, randomness = self.record, self.caller.randomness
        return draw_uniform(
            randomness.seed if seed is None else seed,
            randomness.session_key,
            rule,
            self.caller.scope,
            record.agent,
            record.branch,
            self.tool,
            number,
            *key,
        )


class _SiblingCaller:
    """The caller of another call in the same session."""

    def __init__(self, agent: str, caller: Caller) -> None:
        self.agent = agent
        self.scope = caller.scope
        self.randomness = caller.randomness
        self.get_call_history = caller.get_call_history
        self.get_argument_defaults = caller.get_argument_defaults
        self.get_state = caller.get_state
        self.get_tool_spec = caller.get_tool_spec
        self.list_tool_specs = caller.list_tool_specs


RunTool: TypeAlias = Callable[[], Awaitable[object]]
"""Runs the tool's own code."""


class CallWatcher(Protocol):
    """Sees every call that rules answer, and its result."""

    async def watch(
        self, call: IncomingCall, answer: Callable[[RunTool], Awaitable[object]], run_tool: RunTool
    ) -> object:
        """Return the result of a call.

        Args:
            call: The call.
            answer: Lets the rules answer; it gets how the tool's own code is run.
            run_tool: Runs the tool's own code.
        """
        ...


def build_error_response(error: Exception) -> dict[str, Json]:
    """Return a response that stands for an exception."""
    return {"error": {"type": type(error).__name__, "message": str(error)}}


def build_tool_response(result: object) -> dict[str, Json]:
    """Return the result of a tool as the model gets it."""
    return to_json_value(wrap_result(result))
