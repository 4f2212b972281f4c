"""The tool calls of a session, in the order in which the models requested them, with their responses.

A call sees what its own model can see: the calls and responses of earlier turns, in its own branch, its ancestors and
its descendants. Agents that run in parallel do not see each other. What a call sees, and therefore which rules match,
does not depend on how tasks interleave. The same holds for the simulated time of a call: it is the latest end of the
calls that it sees.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from adk_agent_sim.environment.json_values import MISSING
from adk_agent_sim.mocks.tool_results import is_error_response
from adk_agent_sim.timeline.canonical_json import Json


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
