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

from adk_agent_sim.environment.values import MISSING
from adk_agent_sim.timeline.canonical import Json

_FAILED = ("error", "error_code", "error_message", "isError")
"""A response with one of these, and not empty, is a failure: as ADK, our plugins, injections and MCP write it."""


@dataclass(slots=True, eq=False)
class Asked:
    """A call in its place."""

    call_id: str
    tool: str
    agent: str
    branch: str
    args: Mapping[str, Json]
    turn: int
    """The place of the model's turn in the session."""
    number: int = 1
    """Which call of its tool it is, among those that it sees."""
    response: Json = MISSING
    """What the model got."""
    answered: int = 0
    """The place of the answer in the session."""
    counts: dict[int, int] = field(default_factory=dict[int, int])
    """Which call it is for a rule, among those that fit the rule."""


def related(left: str, right: str) -> bool:
    """Whether two branches see each other: one is the other, or came from it."""
    if left == right or not left or not right:
        return True
    shorter, longer = sorted((left, right), key=len)
    return longer.startswith(shorter + ".")


def succeeded(response: Json) -> bool:
    """Whether a response is no failure."""
    if not isinstance(response, Mapping):
        return True
    found = cast("Mapping[str, Json]", response)
    return not any(found.get(key) for key in _FAILED)


class Conversation:
    """The calls of one session."""

    def __init__(self) -> None:
        self._places = 0
        self._by_id: dict[str, Asked] = {}
        self._by_agent: dict[tuple[str, str], Asked] = {}
        self._by_tool: defaultdict[str, list[Asked]] = defaultdict(list)
        self._numbered: defaultdict[str, _Counted] = defaultdict(_Counted)
        self._counted: defaultdict[tuple[int, str], _Counted] = defaultdict(_Counted)

    def place(self, call_id: str, agent: str = "") -> Asked | None:
        """Where a call stands; of calls with one id, the last. Models of two agents may use the same ids."""
        return self._by_agent.get((agent, call_id)) if agent else self._by_id.get(call_id)

    def asked(self, calls: Iterable[tuple[str, str, Mapping[str, Json]]], agent: str, branch: str) -> None:
        """A model called tools, in one turn: ids, tools and arguments."""
        self._places += 1
        for call_id, tool, args in calls:
            known = self.place(call_id, agent)
            if known is not None and known.tool == tool and known.response is MISSING:
                continue  # it was put here before its turn was seen
            number = self._numbered[tool].next(branch)
            asked = Asked(call_id, tool, agent, branch, args, self._places, number)
            self._by_tool[tool].append(asked)
            self._by_id[call_id] = self._by_agent[agent, call_id] = asked

    def answered(self, responses: Iterable[tuple[str, Json]], agent: str = "") -> None:
        """A model got answers. Of several answers to a call (one that waited for consent), the last counts."""
        self._places += 1
        for call_id, response in responses:
            if asked := self.place(call_id, agent) or self.place(call_id):
                asked.response = response
                asked.answered = self._places

    def seen_by(self, call: Asked, tool: str) -> Iterator[Asked]:
        """The answered calls of a tool that a call sees, newest first."""
        for other in reversed(self._by_tool.get(tool, ())):
            if other.response is not MISSING and other.answered < call.turn and related(call.branch, other.branch):
                yield other

    def tools(self) -> Iterable[str]:
        """The tools that were called."""
        return self._by_tool.keys()

    def count(self, call: Asked, rule: int, fits: Callable[[Asked], bool]) -> int:
        """Which call it is, among those of its tool that it sees and that fit a rule, as the model asked them."""
        counted = self._counted[rule, call.tool]
        of_tool = self._by_tool[call.tool]
        for asked in of_tool[counted.upto :]:
            if fits(asked):
                asked.counts[rule] = counted.next(asked.branch)
        counted.upto = len(of_tool)
        return call.counts.get(rule, call.number)


class _Counted:
    """Calls counted by their branches, which are few."""

    def __init__(self) -> None:
        self.upto = 0
        """How many calls of the tool were looked at."""
        self._branches: defaultdict[str, int] = defaultdict(int)

    def next(self, branch: str) -> int:
        """The number of one more call, among those that it sees."""
        seen = sum(many for other, many in self._branches.items() if related(branch, other))
        self._branches[branch] += 1
        return seen + 1
