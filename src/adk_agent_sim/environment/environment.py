"""The simulated surroundings of one session: which rule answers a call, what was tried, what a person changed.

call --> faults for the next call --> rules, in order: the first that matches --> its actions --> answer
                                                 \\--> none: the real tool, or an error where that is refused
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from adk_agent_sim.environment.actions import AnyAction
from adk_agent_sim.environment.actions.action import NOTHING, Acting
from adk_agent_sim.environment.call import Call
from adk_agent_sim.environment.match import Match
from adk_agent_sim.environment.report import Tally
from adk_agent_sim.environment.rulebook import Candidates, Compiled, Rulebook
from adk_agent_sim.environment.rules import Rule
from adk_agent_sim.errors import RealToolRefused, SimulatorError


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A rule that did not answer a call."""

    rule: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleState:
    """A rule as a person sees it while the session goes on."""

    name: str
    tools: Sequence[str]
    actions: Sequence[str]
    on: bool
    tried: int
    """How many calls it was compared with."""
    fired: int
    """How many calls it answered."""


class Decision:
    """What is to happen to a call."""

    __slots__ = ("_candidates", "_off", "call", "rule")

    def __init__(self, call: Call, rule: Compiled | None, candidates: Candidates, off: set[int]) -> None:
        self.call = call
        self.rule = rule
        """The rule that answers; None if none does."""
        self._candidates = candidates
        self._off = off

    @property
    def rule_name(self) -> str:
        """The rule that answers; empty if none does."""
        return self.rule.name if self.rule else ""

    @property
    def is_named(self) -> bool:
        """Whether any rule names the tool."""
        return bool(self._candidates)

    def passed_over(self) -> list[PassedOver]:
        """The rules for this tool that were asked before, and why they do not answer. Ask at once, or not at all."""
        found: list[PassedOver] = []
        for rule in self._candidates:
            if rule is self.rule:
                break
            found.append(PassedOver(rule.name, self._why_not(rule)))
        return found

    def _why_not(self, rule: Compiled) -> str:
        if rule.index in self._off:
            return "it is switched off"
        return next((test.why_not(self.call) for test in rule.tests if not test.holds(self.call)), "a fault came first")


class Environment:
    """Answers the calls of one session by the rules, and keeps count."""

    def __init__(self, book: Rulebook, *, on_fault: Callable[[str], None] = lambda tool: None) -> None:
        """Surround a session.

        Args:
            book: The rules.
            on_fault: Told the tool whose next call gets a fault.
        """
        self.book = book
        self.tally = Tally()
        self._on_fault = on_fault
        self._off = {rule.index for rule in book.rules if not rule.rule.enabled}
        self._tried = [0] * len(book.rules)
        self._fired = [0] * len(book.rules)
        self._faults: defaultdict[str, list[Compiled]] = defaultdict(list)

    @property
    def rules(self) -> list[RuleState]:
        """The rules as they stand now."""
        return [
            RuleState(
                name=rule.name,
                tools=rule.rule.match.tool,
                actions=[action.described() for action in rule.actions],
                on=rule.index not in self._off,
                tried=self._tried[rule.index],
                fired=self._fired[rule.index],
            )
            for rule in self.book.rules
        ]

    @property
    def faults(self) -> Mapping[str, int]:
        """How many faults wait for the next calls, by tool."""
        return {tool: len(waiting) for tool, waiting in self._faults.items() if waiting}

    def switch(self, name: str, *, on: bool) -> None:
        """Switch a rule on or off, for this session, from the next call on."""
        for rule in self.book.rules:
            if rule.name == name:
                self._off = self._off - {rule.index} if on else self._off | {rule.index}
                return
        raise SimulatorError(f"There is no rule {name!r}; the rules are: {', '.join(r.name for r in self.book.rules)}.")

    def fault_next(self, tool: str, *actions: AnyAction) -> None:
        """Let the next call of a tool meet these actions instead of any rule; several faults wait in line."""
        rule = Rule(name=f"fault for {tool}", match=Match(tool=[tool]), do=list(actions))
        self._faults[tool].append(
            Compiled(rule, name=rule.name, index=-1, seed=self.book.spec.seed, label=self.book.label)
        )
        self._on_fault(tool)

    def decide(self, call: Call) -> Decision:
        """Find what answers a call, and count it as tried and fired."""
        off, tried = self._off, self._tried
        candidates = self.book.candidates(call.tool)
        if self._faults and (waiting := self._faults.get(call.tool)):
            return Decision(call, waiting.pop(0), (), off)
        for rule in candidates:
            if rule.index in off:
                continue
            tried[rule.index] += 1
            for holds in rule.holds:
                if not holds(call):
                    break
            else:
                self._fired[rule.index] += 1
                return Decision(call, rule, candidates, off)
        return Decision(call, None, candidates, off)

    def went_real(self, decision: Decision) -> None:
        """Count a call that no rule answers and that goes to the tool itself."""
        tally = self.tally.uncovered if decision.is_named else self.tally.real
        tally[decision.call.tool] += 1

    def described(self, decision: Decision) -> list[str]:
        """What will be done to a call, for people: with what was drawn."""
        if decision.rule is None:
            return []
        rule = decision.rule
        acting = Acting(decision.call, rule.name, rule.seed, self.book, _never)
        return [action.described(acting) for action in rule.actions]

    async def answer(self, decision: Decision, run: Callable[[], Awaitable[object]]) -> object:
        """Do what was decided.

        Args:
            decision: What `decide` said.
            run: Runs the tool's own code.
        """
        rule, tool = decision.rule, decision.call.tool
        if rule is None:
            if self.book.refuses:
                self.tally.refused[tool] += 1
                raise RealToolRefused(tool, "no rule answers the call, and the rules say `unanswered: refuse`")
            self.went_real(decision)
            return await run()
        self.tally.simulated[tool, rule.name] += 1
        acting = Acting(decision.call, rule.name, rule.seed, self.book, run)
        result: object = NOTHING
        try:
            for action in rule.actions:
                result = await action.apply(acting, result)
            return await acting.real() if result is NOTHING else result
        finally:
            if acting.went_real:
                self.tally.ran[tool] += 1


async def _never() -> object:
    raise AssertionError("describing an action runs nothing")
