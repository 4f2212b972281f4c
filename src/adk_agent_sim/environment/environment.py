"""The simulated environment of one session: which rule answers a call, the counts, and a person's changes.

call --> pending fault of the tool? --> its actions ---------------------------> response
              |
              no --> rules in order: the first that matches --> its actions ---> response
                           |
                           none --> the real tool, or RealToolRefused (`unanswered: refuse`)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from adk_agent_sim.environment.actions import AnyAction
from adk_agent_sim.environment.actions.action import NO_RESULT, Action, RuleExecution
from adk_agent_sim.environment.environment_report import CallTally
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.rule_finding import suggest_closest
from adk_agent_sim.environment.rule_lint import lint_rules
from adk_agent_sim.environment.rule_match import Match
from adk_agent_sim.environment.rulebook import Candidates, CompiledRule, Rulebook
from adk_agent_sim.environment.rules import Rule, Rules
from adk_agent_sim.environment.session_randomness import SessionRandomness, create_randomness
from adk_agent_sim.errors import InvalidFault, NotFound, RealToolRefused, SimulatorError
from adk_agent_sim.text.glob_match import is_glob


@dataclass(frozen=True, slots=True)
class SkippedRule:
    """A rule that was considered for a call but does not answer it."""

    rule: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleState:
    """A rule and its counts while the session runs."""

    name: str
    tools: Sequence[str]
    conditions: Sequence[str]
    """What a call must meet besides the tool's name."""
    actions: Sequence[str]
    effects: Sequence[str]
    """The actions in the format of rules files, as JSON texts."""
    enabled: bool
    tried_count: int
    """How many calls it was matched against."""
    fired_count: int
    """How many calls it answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingFault:
    """A fault that waits for the next call of a tool."""

    fault_id: str
    tool: str
    rule: CompiledRule
    """The fault as a rule, which answers one call."""

    @property
    def actions(self) -> Sequence[AnyAction]:
        """What happens to the call."""
        return self.rule.rule.do


class RuleDecision:
    """Which rule answers a call, and which were skipped."""

    __slots__ = ("_candidates", "_disabled", "call", "rule")

    def __init__(
        self, call: IncomingCall, rule: CompiledRule | None, candidates: Candidates, disabled: set[int]
    ) -> None:
        self.call = call
        self.rule = rule
        """The rule that answers the call; None if no rule does."""
        self._candidates = candidates
        self._disabled = disabled

    @property
    def rule_name(self) -> str:
        """The name of the rule that answers the call; empty if no rule does."""
        return self.rule.name if self.rule else ""

    @property
    def has_candidates(self) -> bool:
        """Whether any rule names the tool."""
        return bool(self._candidates)

    def list_skipped_rules(self) -> list[SkippedRule]:
        """Returns the rules for this tool before the one that answers, each with the reason why it does not.

        Call it right after `decide`: reasons are computed from the session's history, which changes with later calls.
        """
        skipped: list[SkippedRule] = []
        for rule in self._candidates:
            if rule is self.rule:
                break
            skipped.append(SkippedRule(rule.name, self._explain_skip(rule)))
        return skipped

    def _explain_skip(self, rule: CompiledRule) -> str:
        if rule.index in self._disabled:
            belonging = f"; it belongs to the profile {' and '.join(rule.profiles)}" if rule.profiles else ""
            return f"it is switched off{belonging}"
        return next(
            (each.explain_mismatch(self.call) for each in rule.predicates if not each.is_met(self.call)),
            "a fault came first",
        )


class Environment:
    """Answers the calls of one session by the rules and counts them."""

    def __init__(
        self,
        rulebook: Rulebook,
        randomness: SessionRandomness | None = None,
        *,
        on_fault: Callable[[str], None] = lambda tool: None,
    ) -> None:
        """Create the environment of a session.

        Args:
            rulebook: The rules.
            randomness: What its random draws depend on; by default the seed and the label of the rulebook.
            on_fault: Called with the tool's name when a fault is added for its next call.
        """
        self.rulebook = rulebook
        self.randomness = randomness or create_randomness(rulebook.spec.seed, rulebook.label)
        self.sleeper = rulebook.create_sleeper()
        """How time passes in delays."""
        self.read_clock = rulebook.create_clock()
        """Returns the seconds since the session began, if it runs in real time; otherwise delays make its time."""
        self._records_times = self.read_clock is not None and any(rule.matches_by_time for rule in rulebook.rules)
        self.tally = CallTally()
        self.list_tools: Callable[[], Collection[str] | None] = lambda: None
        """Returns the names of the tools that can be called, so that a fault names one; None if they are not known."""
        self._on_fault = on_fault
        self.profile = rulebook.profile
        """The active profile of the session; None if there is none."""
        self._disabled_rules = {rule.index for rule in rulebook.rules if not rule.rule.enabled}
        self._disabled_rules |= rulebook.spec.list_inactive_rules(self.profile)
        self._tried_counts = [0] * len(rulebook.rules)
        self._fired_counts = [0] * len(rulebook.rules)
        self._pending_faults: list[PendingFault] = []
        self._fault_count = 0

    @property
    def rules(self) -> list[RuleState]:
        """The rules with their current state."""
        return [
            RuleState(
                name=rule.name,
                tools=rule.rule.match.tool,
                conditions=[predicate.describe() for predicate in rule.predicates],
                actions=[action.describe() for action in rule.actions],
                effects=[action.model_dump_json(by_alias=True, exclude_unset=True) for action in rule.actions],
                enabled=rule.index not in self._disabled_rules,
                tried_count=self._tried_counts[rule.index],
                fired_count=self._fired_counts[rule.index],
            )
            for rule in self.rulebook.rules
        ]

    @property
    def pending_faults(self) -> Mapping[str, int]:
        """The number of faults that wait for the next calls, by tool."""
        return Counter(fault.tool for fault in self._pending_faults)

    @property
    def faults(self) -> Sequence[PendingFault]:
        """The faults that wait for the next calls, in the order in which they are used."""
        return tuple(self._pending_faults)

    def switch(self, name: str, *, on: bool) -> None:
        """Switch a rule on or off for this session, from the next call on.

        Raises:
            SimulatorError: There is no rule with that name.
        """
        for rule in self.rulebook.rules:
            if rule.name == name:
                # A new set: decisions that were made before keep the old one for their explanations.
                self._disabled_rules = (
                    self._disabled_rules - {rule.index} if on else self._disabled_rules | {rule.index}
                )
                return
        raise SimulatorError(
            f"There is no rule {name!r}; the rules are: {', '.join(r.name for r in self.rulebook.rules)}."
        )

    def switch_profile(self, profile: str | None) -> None:
        """Make a profile the active one for this session, from the next call on; None for no profile.

        Rules that belong to profiles are switched on or off; the others stay as they are.

        Raises:
            InvalidRules: There is no such profile.
        """
        self.rulebook.check_profile(profile)
        inactive = self.rulebook.spec.list_inactive_rules(profile)
        profiled = {rule.index for rule in self.rulebook.rules if rule.profiles}
        always_off = {rule.index for rule in self.rulebook.rules if not rule.rule.enabled}
        # A new set: decisions that were made before keep the old one for their explanations.
        self._disabled_rules = (self._disabled_rules - profiled) | (always_off & profiled) | inactive
        self.profile = profile

    def fault_next(self, tool: str, *actions: AnyAction) -> None:
        """Apply these actions to the next call of a tool, instead of any rule. Several faults are used in order.

        Raises:
            InvalidFault: The actions cannot be carried out, or the tool's name has wildcards.
            NotFound: There is no such tool.
        """
        fault = self._build_fault(str(self._fault_count + 1), tool, actions)
        self._fault_count += 1
        self._pending_faults.append(fault)
        self._on_fault(tool)

    def replace_fault(self, fault_id: str, tool: str, *actions: AnyAction) -> bool:
        """Replace a fault that is pending, at its place in the order; returns whether it was still there.

        Raises:
            InvalidFault: The actions cannot be carried out, or the tool's name has wildcards.
            NotFound: There is no such tool.
        """
        new = self._build_fault(fault_id, tool, actions)
        for index, fault in enumerate(self._pending_faults):
            if fault.fault_id == fault_id:
                self._pending_faults[index] = new
                self._on_fault(tool)
                return True
        return False

    def _build_fault(self, fault_id: str, tool: str, actions: Sequence[AnyAction]) -> PendingFault:
        """Check a fault and build it: one that can never happen must not wait for its call."""
        if is_glob(tool) or tool.split() != [tool]:
            raise InvalidFault(tool, "write the name of one tool, without wildcards")
        tools = self.list_tools()
        if tools is not None and tool not in tools:
            advice = suggest_closest(tool, tools, "Use one of")
            raise NotFound(f"The agents of this session have no tool {tool!r}. {advice}.")
        try:
            rule = Rule(name=f"fault for {tool}", match=Match(tool=[tool]), do=list(actions))
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            path = ".".join(map(str, problem["loc"]))
            raise InvalidFault(tool, f"{path}: {problem['msg']}") from None
        for finding in lint_rules(Rules(rules=[rule]), exceptions=self.rulebook.exceptions):
            if finding.severity == "error":
                raise InvalidFault(tool, f"{finding.message}. {finding.advice}")
        return PendingFault(fault_id=fault_id, tool=tool, rule=CompiledRule(rule, name=rule.name, index=-1))

    def remove_fault(self, fault_id: str) -> bool:
        """Remove a fault that is pending; returns whether it was still there."""
        count = len(self._pending_faults)
        self._pending_faults = [fault for fault in self._pending_faults if fault.fault_id != fault_id]
        return len(self._pending_faults) < count

    def decide(self, call: IncomingCall) -> RuleDecision:
        """Find the rule or fault that answers a call, and update the counts."""
        if self._records_times:
            _ = call.record  # the time is that of the first look at the history
        disabled, tried = self._disabled_rules, self._tried_counts
        candidates = self.rulebook.find_candidates(call.tool, by_name_only=call.steers_run)
        if self._pending_faults and (fault := self._take_fault(call.tool)):
            return RuleDecision(call, fault.rule, (), disabled)
        for rule in candidates:
            if rule.index in disabled:
                continue
            tried[rule.index] += 1
            for is_met in rule.predicate_checks:
                if not is_met(call):
                    break
            else:
                self._fired_counts[rule.index] += 1
                return RuleDecision(call, rule, candidates, disabled)
        return RuleDecision(call, None, candidates, disabled)

    def _take_fault(self, tool: str) -> PendingFault | None:
        fault = next((each for each in self._pending_faults if each.tool == tool), None)
        if fault is not None:
            self._pending_faults.remove(fault)
        return fault

    def count_real_call(self, decision: RuleDecision) -> None:
        """Count a call that no rule answers and that runs the real tool."""
        tally = self.tally.uncovered if decision.has_candidates else self.tally.real
        tally[decision.call.tool] += 1

    def describe_actions(self, decision: RuleDecision) -> list[str]:
        """Returns a description of each action for this call, including random values that were drawn."""
        if decision.rule is None:
            return []
        execution = self._start_execution(decision.call, decision.rule, _fail_if_run)
        return [_describe_action(action, execution) for action in decision.rule.actions]

    def _start_execution(
        self, call: IncomingCall, rule: CompiledRule, run_tool: Callable[[], Awaitable[object]]
    ) -> RuleExecution:
        return RuleExecution(
            call,
            rule.name,
            seed=rule.rule.match.seed,
            sleeper=self.sleeper,
            exceptions=self.rulebook.exceptions,
            run_tool=run_tool,
        )

    async def answer(self, decision: RuleDecision, run_tool: Callable[[], Awaitable[object]]) -> object:
        """Carry out a decision and return the call's result.

        Args:
            decision: The result of `decide`.
            run_tool: Runs the tool's own code.

        Raises:
            RealToolRefused: No rule answers, and the rules refuse real calls.
        """
        rule, tool = decision.rule, decision.call.tool
        if rule is None:
            if self.rulebook.refuses_real_tools:
                self.tally.refused[tool] += 1
                raise RealToolRefused(tool, "no rule answers the call, and the rules say `unanswered: refuse`")
            self.count_real_call(decision)
            return await run_tool()
        self.tally.simulated[tool, rule.name] += 1
        execution = self._start_execution(decision.call, rule, run_tool)
        result: object = NO_RESULT
        try:
            for action in rule.actions:
                result = await action.apply(execution, result)
            return await execution.run_tool() if result is NO_RESULT else result
        finally:
            # Also counted if an action raised after the tool ran.
            if execution.has_run_tool:
                self.tally.ran[tool] += 1


def _describe_action(action: Action, execution: RuleExecution) -> str:
    missing = execution.find_missing_values(action.template) if action.has_references else []
    return f"{action.describe(execution)}, which fails: {'; '.join(missing)}" if missing else action.describe(execution)


async def _fail_if_run() -> object:
    raise AssertionError("describing an action must not run the tool")
