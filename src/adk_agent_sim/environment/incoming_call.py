"""One tool call as rules see it with the calls before it, its random draws, and how calls are recorded or compared.

History and default arguments, which few rules use, are computed on demand. A draw is a pure function of (seed, session
key, rule, enclosing call, agent, branch, tool, n-th call). The session key is the label of the run if there is one.
Otherwise it is a digest of how the session begins: its first user message and its initial state. It is never the
session's id, which is random. So sessions that begin differently draw differently, and each draws the same again in the
next run.

A call sees what its own model can see: the calls and responses of earlier turns, in its own branch, its ancestors and
its descendants. Agents that run in parallel do not see each other. What a call sees, and therefore which rules match,
does not depend on how tasks interleave. The same holds for the simulated time of a call: it is the latest end of the
calls that it sees.
"""

from __future__ import annotations

import secrets
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Protocol, TypeAlias

from adk_agent_sim.environment.json_values import MISSING
from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.mocks.tool_results import is_error_response
from adk_agent_sim.timeline.canonical_json import Json, encode_json
from adk_agent_sim.timeline.content_parts import wrap_result
from adk_agent_sim.timeline.framework_calls import EXACT_NAMES
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.seeded_random import DrawKey, draw_uniform


@dataclass(slots=True, eq=False)
class CallRecord:
    """One call, with its position in the session."""

    call_id: str
    tool: str
    agent: str
    branch: str
    args: Mapping[str, Json]
    turn_position: int
    """The position of the model's turn in the session."""
    call_number: int = 1
    """The number of this call among the visible calls of its tool, from 1."""
    response: Json = MISSING
    """The response that the model received; MISSING until there is one."""
    answer_position: int = 0
    """The position of the response in the session."""
    time: float = 0.0
    """When it was requested, in seconds of the session's clock."""
    duration: float = 0.0
    """How long it took by the session's clock: the delays of rules."""
    outer_call: CallRecord | None = None
    """The call inside which it is made, if its agent is used as a tool."""
    number_by_rule: dict[int, int] = field(default_factory=dict[int, int])
    """The number of this call among those that a rule counts, by the rule's index."""

    def add_delay(self, seconds: float) -> None:
        """Make the call longer, and the calls inside which it is made."""
        self.duration += seconds
        inner, outer = self, self.outer_call
        while outer is not None:
            outer.duration = max(outer.duration, inner.time + inner.duration - outer.time)
            inner, outer = outer, outer.outer_call


def are_branches_related(left: str, right: str) -> bool:
    """Whether two branches see each other: they are equal, or one is an ancestor of the other."""
    # The root agent has no branch, and all others descend from it.
    if left == right or not left or not right:
        return True
    shorter, longer = sorted((left, right), key=len)
    # With the dot, because `root.a` is no ancestor of `root.ab`.
    return longer.startswith(shorter + ".")


def is_success(response: Json) -> bool:
    """Whether a response reports no error."""
    return not is_error_response(response)


class CallHistory:
    """The calls of one session."""

    def __init__(self, outer_call: CallRecord | None = None, read_clock: Callable[[], float] | None = None) -> None:
        """Create an empty history.

        Args:
            outer_call: The call inside which the session runs, if its agent is used as a tool.
            read_clock: Returns the seconds since the session began, if it runs in real time.
        """
        self._outer_call = outer_call
        self._read_clock = read_clock
        self._start = outer_call.time if outer_call else 0.0
        self._end_by_branch: dict[str, float] = {}
        self._last_position = 0
        self._by_id: dict[str, CallRecord] = {}
        self._by_agent: dict[tuple[str, str], CallRecord] = {}
        self._by_tool: defaultdict[str, list[CallRecord]] = defaultdict(list)
        self._tool_counters: defaultdict[str, _BranchCounter] = defaultdict(_BranchCounter)
        self._rule_counters: defaultdict[tuple[int, str], _RuleCounter] = defaultdict(_RuleCounter)

    def find_call(self, call_id: str, agent: str = "") -> CallRecord | None:
        """Return the call with an id, the last one if several have it.

        Give the agent where it is known: models of different agents may use the same ids.
        """
        return self._by_agent.get((agent, call_id)) if agent else self._by_id.get(call_id)

    def record_calls(self, calls: Iterable[tuple[str, str, Mapping[str, Json]]], agent: str, branch: str) -> None:
        """Record the calls (id, tool, arguments) that a model requested in one turn."""
        self._last_position += 1
        time = self._compute_time(branch)
        for call_id, tool, args in calls:
            known = self.find_call(call_id, agent)
            if known is not None and known.tool == tool and known.response is MISSING:
                continue  # already recorded: the call arrived before the event of its turn (see IncomingCall.record)
            number = self._tool_counters[tool].count_call(branch)
            record = CallRecord(
                call_id, tool, agent, branch, args, self._last_position, number, time=time, outer_call=self._outer_call
            )
            self._by_tool[tool].append(record)
            self._by_id[call_id] = self._by_agent[agent, call_id] = record

    def record_responses(self, responses: Iterable[tuple[str, Json]], agent: str = "") -> None:
        """Record the responses that a model received.

        A call that waited for confirmation gets several responses; the last one counts.
        """
        self._last_position += 1
        for call_id, response in responses:
            if record := self.find_call(call_id, agent) or self.find_call(call_id):
                record.response = response
                record.answer_position = self._last_position
                self._record_end(record)

    def _compute_time(self, branch: str) -> float:
        """Return the time at which a turn begins: when the last of the calls that it sees has ended."""
        if self._read_clock is not None:
            return self._read_clock()
        if not self._end_by_branch:
            return self._start  # no call has taken any time
        ends = (end for other, end in self._end_by_branch.items() if are_branches_related(branch, other))
        return max(ends, default=self._start)

    def _record_end(self, record: CallRecord) -> None:
        if record.duration == 0 and not self._end_by_branch:
            return  # no call has taken any time
        end = record.time + record.duration
        if end > self._end_by_branch.get(record.branch, self._start):
            self._end_by_branch[record.branch] = end

    def iter_visible_calls(self, call: CallRecord, tool: str) -> Iterator[CallRecord]:
        """Yield the answered calls of a tool that a call sees, newest first."""
        for other in reversed(self._by_tool.get(tool, ())):
            if (
                other.response is not MISSING
                and other.answer_position < call.turn_position
                and are_branches_related(call.branch, other.branch)
            ):
                yield other

    def get_called_tools(self) -> Iterable[str]:
        """Return the names of the tools that were called."""
        return self._by_tool.keys()

    def count_for_rule(
        self,
        call: CallRecord,
        rule_index: int,
        find_group: Callable[[CallRecord], bytes | None],
        *,
        within: float | None = None,
    ) -> int:
        """Return the number of a call among the visible calls of its tool that a rule counts, in request order.

        Each call is checked once per rule; later queries continue where the last one stopped.

        Args:
            call: The call.
            rule_index: The rule.
            find_group: Returns the group of calls in which a call is counted; None if the rule does not count it.
            within: Count only the calls of so many seconds before the call.
        """
        counter = self._rule_counters[rule_index, call.tool]
        tool_calls = self._by_tool[call.tool]
        for record in tool_calls[counter.processed_calls :]:
            group = find_group(record)
            if group is not None:
                record.number_by_rule[rule_index] = counter.count_call(record, group, within)
        counter.processed_calls = len(tool_calls)
        return call.number_by_rule.get(rule_index, call.call_number)


class _BranchCounter:
    """Counts calls per branch. Sessions have few branches, so visible calls are summed on each query."""

    def __init__(self) -> None:
        self._calls_by_branch: defaultdict[str, int] = defaultdict(int)

    def count_call(self, branch: str) -> int:
        """Count one more call; returns its number among those that it sees."""
        visible = sum(count for other, count in self._calls_by_branch.items() if are_branches_related(branch, other))
        self._calls_by_branch[branch] += 1
        return visible + 1


class _WindowCounter:
    """Counts the calls of the last seconds, per branch. The turns of a branch follow each other, so times ascend."""

    def __init__(self) -> None:
        self._times_by_branch: defaultdict[str, list[float]] = defaultdict(list)

    def count_call(self, branch: str, time: float, within: float) -> int:
        """Count one more call; returns its number among those that it sees."""
        visible = sum(
            len(times) - bisect_right(times, time - within)
            for other, times in self._times_by_branch.items()
            if are_branches_related(branch, other)
        )
        self._times_by_branch[branch].append(time)
        return visible + 1


class _RuleCounter:
    """Counts the calls of a tool that a rule counts, in groups."""

    def __init__(self) -> None:
        self.processed_calls = 0
        """How many calls of the tool have been checked."""
        self._groups: defaultdict[bytes, _BranchCounter] = defaultdict(_BranchCounter)
        self._windows: defaultdict[bytes, _WindowCounter] = defaultdict(_WindowCounter)

    def count_call(self, record: CallRecord, group: bytes, within: float | None) -> int:
        """Count one more call; returns its number in its group."""
        if within is None:
            return self._groups[group].count_call(record.branch)
        return self._windows[group].count_call(record.branch, record.time, within)


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
