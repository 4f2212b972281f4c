"""The simulated surroundings of one session: which rule answers a call, what was tried, what a person changed.

call --> faults for the next call --> rules, in order: the first that matches --> its actions --> answer
                                                 \\--> none: the real tool, or an error where that is refused
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from adk_agent_sim.environment.actions import AnyAction
from adk_agent_sim.environment.actions.action import NO_RESULT, RuleExecution
from adk_agent_sim.environment.environment_report import CallTally
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.rule_match import Match
from adk_agent_sim.environment.rulebook import Candidates, CompiledRule, Rulebook
from adk_agent_sim.environment.rules import Rule
from adk_agent_sim.errors import RealToolRefused, SimulatorError


@dataclass(frozen=True, slots=True)
class SkippedRule:
    """A rule that did not answer a call."""

    rule: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleState:
    """A rule as a person sees it while the session goes on."""

    name: str
    tools: Sequence[str]
    actions: Sequence[str]
    enabled: bool
    tried_count: int
    """How many calls it was compared with."""
    fired_count: int
    """How many calls it answered."""


class RuleDecision:
    """What is to happen to a call."""

    __slots__ = ("_candidates", "_disabled", "call", "rule")

    def __init__(
        self, call: IncomingCall, rule: CompiledRule | None, candidates: Candidates, disabled: set[int]
    ) -> None:
        self.call = call
        self.rule = rule
        """The rule that answers; None if none does."""
        self._candidates = candidates
        self._disabled = disabled

    @property
    def rule_name(self) -> str:
        """The rule that answers; empty if none does."""
        return self.rule.name if self.rule else ""

    @property
    def has_candidates(self) -> bool:
        """Whether any rule names the tool."""
        return bool(self._candidates)

    def list_skipped_rules(self) -> list[SkippedRule]:
        """The rules for this tool that were asked before, and why they do not answer. Ask at once, or not at all."""
        found: list[SkippedRule] = []
        for rule in self._candidates:
            if rule is self.rule:
                break
            found.append(SkippedRule(rule.name, self._explain_skip(rule)))
        return found

    def _explain_skip(self, rule: CompiledRule) -> str:
        if rule.index in self._disabled:
            return "it is switched off"
        return next(
            (test.explain_mismatch(self.call) for test in rule.predicates if not test.is_met(self.call)),
            "a fault came first",
        )


class Environment:
    """Answers the calls of one session by the rules, and keeps count."""

    def __init__(self, rulebook: Rulebook, *, on_fault: Callable[[str], None] = lambda tool: None) -> None:
        """Surround a session.

        Args:
            book: The rules.
            on_fault: Told the tool whose next call gets a fault.
        """
        self.rulebook = rulebook
        self.tally = CallTally()
        self._on_fault = on_fault
        self._disabled_rules = {rule.index for rule in rulebook.rules if not rule.rule.enabled}
        self._tried_counts = [0] * len(rulebook.rules)
        self._fired_counts = [0] * len(rulebook.rules)
        self._pending_faults: defaultdict[str, list[CompiledRule]] = defaultdict(list)

    @property
    def rules(self) -> list[RuleState]:
        """The rules as they stand now."""
        return [
            RuleState(
                name=rule.name,
                tools=rule.rule.match.tool,
                actions=[action.describe() for action in rule.actions],
                enabled=rule.index not in self._disabled_rules,
                tried_count=self._tried_counts[rule.index],
                fired_count=self._fired_counts[rule.index],
            )
            for rule in self.rulebook.rules
        ]

    @property
    def pending_faults(self) -> Mapping[str, int]:
        """How many faults wait for the next calls, by tool."""
        return {tool: len(waiting) for tool, waiting in self._pending_faults.items() if waiting}

    def switch(self, name: str, *, on: bool) -> None:
        """Switch a rule on or off, for this session, from the next call on."""
        for rule in self.rulebook.rules:
            if rule.name == name:
                self._disabled_rules = (
                    self._disabled_rules - {rule.index} if on else self._disabled_rules | {rule.index}
                )
                return
        raise SimulatorError(
            f"There is no rule {name!r}; the rules are: {', '.join(r.name for r in self.rulebook.rules)}."
        )

    def fault_next(self, tool: str, *actions: AnyAction) -> None:
        """Let the next call of a tool meet these actions instead of any rule; several faults wait in line."""
        rule = Rule(name=f"fault for {tool}", match=Match(tool=[tool]), do=list(actions))
        self._pending_faults[tool].append(
            CompiledRule(rule, name=rule.name, index=-1, seed=self.rulebook.spec.seed, label=self.rulebook.label)
        )
        self._on_fault(tool)

    def decide(self, call: IncomingCall) -> RuleDecision:
        """Find what answers a call, and count it as tried and fired."""
        off, tried = self._disabled_rules, self._tried_counts
        candidates = self.rulebook.find_candidates(call.tool)
        if self._pending_faults and (waiting := self._pending_faults.get(call.tool)):
            return RuleDecision(call, waiting.pop(0), (), off)
        for rule in candidates:
            if rule.index in off:
                continue
            tried[rule.index] += 1
            for holds in rule.predicate_checks:
                if not holds(call):
                    break
            else:
                self._fired_counts[rule.index] += 1
                return RuleDecision(call, rule, candidates, off)
        return RuleDecision(call, None, candidates, off)

    def count_real_call(self, decision: RuleDecision) -> None:
        """Count a call that no rule answers and that goes to the tool itself."""
        tally = self.tally.uncovered if decision.has_candidates else self.tally.real
        tally[decision.call.tool] += 1

    def describe_actions(self, decision: RuleDecision) -> list[str]:
        """What will be done to a call, for people: with what was drawn."""
        if decision.rule is None:
            return []
        rule = decision.rule
        acting = RuleExecution(decision.call, rule.name, rule.seed, self.rulebook, _fail_if_run)
        return [action.describe(acting) for action in rule.actions]

    async def answer(self, decision: RuleDecision, run_tool: Callable[[], Awaitable[object]]) -> object:
        """Do what was decided.

        Args:
            decision: What `decide` said.
            run: Runs the tool's own code.
        """
        rule, tool = decision.rule, decision.call.tool
        if rule is None:
            if self.rulebook.refuses_real_tools:
                self.tally.refused[tool] += 1
                raise RealToolRefused(tool, "no rule answers the call, and the rules say `unanswered: refuse`")
            self.count_real_call(decision)
            return await run_tool()
        self.tally.simulated[tool, rule.name] += 1
        acting = RuleExecution(decision.call, rule.name, rule.seed, self.rulebook, run_tool)
        result: object = NO_RESULT
        try:
            for action in rule.actions:
                result = await action.apply(acting, result)
            return await acting.run_tool() if result is NO_RESULT else result
        finally:
            if acting.has_run_tool:
                self.tally.ran[tool] += 1


async def _fail_if_run() -> object:
    raise AssertionError("describing an action runs nothing")
