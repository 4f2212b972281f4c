"""What a session's models asked of tools so far, in the order in which they asked, and what they were answered.

A call sees what its own model can see: calls and answers of earlier turns, of its own branch, of those it came from and
of those that came from it. Agents that run in parallel do not see each other. So what a call sees does not depend on
how tasks interleave, and neither do rules that look at it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from adk_agent_sim.environment.json_values import MISSING
from adk_agent_sim.timeline.canonical_json import Json

_ERROR_KEYS = ("error", "error_code", "error_message", "isError")
"""A response with one of these, and not empty, is a failure: as ADK, our plugins, injections and MCP write it."""


@dataclass(slots=True, eq=False)
class CallRecord:
    """A call in its place."""

    call_id: str
    tool: str
    agent: str
    branch: str
    args: Mapping[str, Json]
    turn_position: int
    """The place of the model's turn in the session."""
    call_number: int = 1
    """Which call of its tool it is, among those that it sees."""
    response: Json = MISSING
    """What the model got."""
    answer_position: int = 0
    """The place of the answer in the session."""
    number_by_rule: dict[int, int] = field(default_factory=dict[int, int])
    """Which call it is for a rule, among those that fit the rule."""


def are_branches_related(left: str, right: str) -> bool:
    """Whether two branches see each other: one is the other, or came from it."""
    if left == right or not left or not right:
        return True
    shorter, longer = sorted((left, right), key=len)
    return longer.startswith(shorter + ".")


def is_success(response: Json) -> bool:
    """Whether a response is no failure."""
    if not isinstance(response, Mapping):
        return True
    found = cast("Mapping[str, Json]", response)
    return not any(found.get(key) for key in _ERROR_KEYS)


class CallHistory:
    """The calls of one session."""

    def __init__(self) -> None:
        self._last_position = 0
        self._by_id: dict[str, CallRecord] = {}
        self._by_agent: dict[tuple[str, str], CallRecord] = {}
        self._by_tool: defaultdict[str, list[CallRecord]] = defaultdict(list)
        self._tool_counters: defaultdict[str, _BranchCounter] = defaultdict(_BranchCounter)
        self._rule_counters: defaultdict[tuple[int, str], _BranchCounter] = defaultdict(_BranchCounter)

    def find_call(self, call_id: str, agent: str = "") -> CallRecord | None:
        """Where a call stands; of calls with one id, the last. Models of two agents may use the same ids."""
        return self._by_agent.get((agent, call_id)) if agent else self._by_id.get(call_id)

    def record_calls(self, calls: Iterable[tuple[str, str, Mapping[str, Json]]], agent: str, branch: str) -> None:
        """A model called tools, in one turn: ids, tools and arguments."""
        self._last_position += 1
        for call_id, tool, args in calls:
            known = self.find_call(call_id, agent)
            if known is not None and known.tool == tool and known.response is MISSING:
                continue  # it was put here before its turn was seen
            number = self._tool_counters[tool].count_call(branch)
            asked = CallRecord(call_id, tool, agent, branch, args, self._last_position, number)
            self._by_tool[tool].append(asked)
            self._by_id[call_id] = self._by_agent[agent, call_id] = asked

    def record_responses(self, responses: Iterable[tuple[str, Json]], agent: str = "") -> None:
        """A model got answers. Of several answers to a call (one that waited for consent), the last counts."""
        self._last_position += 1
        for call_id, response in responses:
            if asked := self.find_call(call_id, agent) or self.find_call(call_id):
                asked.response = response
                asked.answer_position = self._last_position

    def iter_visible_calls(self, call: CallRecord, tool: str) -> Iterator[CallRecord]:
        """The answered calls of a tool that a call sees, newest first."""
        for other in reversed(self._by_tool.get(tool, ())):
            if (
                other.response is not MISSING
                and other.answer_position < call.turn_position
                and are_branches_related(call.branch, other.branch)
            ):
                yield other

    def get_called_tools(self) -> Iterable[str]:
        """The tools that were called."""
        return self._by_tool.keys()

    def count_for_rule(self, call: CallRecord, rule_index: int, is_counted: Callable[[CallRecord], bool]) -> int:
        """Which call it is, among those of its tool that it sees and that fit a rule, as the model asked them."""
        counted = self._rule_counters[rule_index, call.tool]
        of_tool = self._by_tool[call.tool]
        for asked in of_tool[counted.processed_calls :]:
            if is_counted(asked):
                asked.number_by_rule[rule_index] = counted.count_call(asked.branch)
        counted.processed_calls = len(of_tool)
        return call.number_by_rule.get(rule_index, call.call_number)


class _BranchCounter:
    """Calls counted by their branches, which are few."""

    def __init__(self) -> None:
        self.processed_calls = 0
        """How many calls of the tool were looked at."""
        self._calls_by_branch: defaultdict[str, int] = defaultdict(int)

    def count_call(self, branch: str) -> int:
        """The number of one more call, among those that it sees."""
        seen = sum(many for other, many in self._calls_by_branch.items() if are_branches_related(branch, other))
        self._calls_by_branch[branch] += 1
        return seen + 1
