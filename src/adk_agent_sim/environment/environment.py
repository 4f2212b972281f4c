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
from adk_agent_sim.environment.decision_tally import (
    ACTS_INSIDE,
    SWITCHED_OFF,
    DecisionTally,
    SkippedPositions,
    list_skip_reasons,
)
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.report_fold import DecisionFacts, NearestRule, is_unintended, name_fault
from adk_agent_sim.environment.rule_finding import suggest_closest
from adk_agent_sim.environment.rule_lint import lint_rules
from adk_agent_sim.environment.rule_match import Match
from adk_agent_sim.environment.rulebook import Candidates, CompiledRule, Rulebook
from adk_agent_sim.environment.rules import Rule, Rules
from adk_agent_sim.environment.session_randomness import SessionRandomness, create_randomness
from adk_agent_sim.environment.skip_reason import SkipReason, UnansweredCall
from adk_agent_sim.errors import InvalidFault, NotFound, RealToolRefused, SimulatorError
from adk_agent_sim.text.glob_match import is_glob
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT


@dataclass(frozen=True, slots=True)
class SkippedRule:
    """A rule that was considered for a call but does not answer it."""

    rule: str
    reason: SkipReason
    explanation: str


@dataclass(frozen=True, slots=True)
class ExecutionOutcome:
    """How a call ended that a rule answered."""

    ran_tool: bool
    """Whether the tool's own code ran."""

    left_unchanged: bool
    """Whether the rule was to change the result, and changed nothing."""


RAN_TOOL = ExecutionOutcome(ran_tool=True, left_unchanged=False)
NOT_RUN = ExecutionOutcome(ran_tool=False, left_unchanged=False)


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

    __slots__ = ("_candidates", "_nearest", "call", "execution", "rule", "skipped_positions", "unanswered")

    def __init__(
        self,
        call: IncomingCall,
        rule: CompiledRule | None,
        candidates: Candidates,
        skipped: SkippedPositions = (),
        unanswered: str = "",
    ) -> None:
        self.call = call
        self.rule = rule
        """The rule that answers the call; None if no rule does."""
        self.skipped_positions = skipped
        self.unanswered = unanswered
        """What happens if no rule answers, an `UnansweredCall`; empty if a rule does, or if no rule names the tool."""
        self.execution: RuleExecution | None = None
        """The execution of the rule's actions, once it has begun."""
        self._candidates = candidates
        self._nearest: NearestRule | None = None

    @property
    def rule_name(self) -> str:
        """The name of the rule that answers the call; empty if no rule does."""
        return self.rule.name if self.rule else ""

    def list_skipped_rules(self) -> list[SkippedRule]:
        """Returns the rules for this tool before the one that answers, each with the reason why it does not.

        Call it right after `decide`: reasons are computed from the session's history, which changes with later calls.
        """
        return [
            SkippedRule(rule.name, self._get_reason(rule, position), self._explain_skip(rule, position))
            for rule, position in zip(self._candidates, self.skipped_positions, strict=False)
        ]

    def build_facts(self) -> DecisionFacts:
        """Returns the decision for a report."""
        return DecisionFacts(
            tool=self.call.tool,
            rule=self.rule_name,
            skipped=[
                (rule.name, self._get_reason(rule, position).value)
                for rule, position in zip(self._candidates, self.skipped_positions, strict=False)
            ],
            unanswered=self.unanswered,
            nearest=self.find_nearest_rule(),
        )

    def find_nearest_rule(self) -> NearestRule | None:
        """Returns the rule that came closest, if no rule answers and none left the call to the tool on purpose."""
        if self._nearest is None and self.unanswered and self._is_unintended():
            self._nearest = min(
                (self._compare(rule) for rule in self._candidates), key=lambda nearest: len(nearest.differences)
            )
        return self._nearest

    def _is_unintended(self) -> bool:
        return is_unintended(list_skip_reasons(self._candidates, self.skipped_positions))

    def _compare(self, rule: CompiledRule) -> NearestRule:
        failed = [each for each in rule.predicates if not each.is_met(self.call)]
        return NearestRule(rule.name, tuple(each.compare(self.call) for each in failed))

    def _get_reason(self, rule: CompiledRule, position: int) -> SkipReason:
        if position >= 0 and rule.predicates[position] in self.call.unsearched:
            return SkipReason.TEXT_TOO_LONG
        return SkipReason(list_skip_reasons([rule], (position,))[0][1])

    def _explain_skip(self, rule: CompiledRule, position: int) -> str:
        if position == SWITCHED_OFF:
            belonging = f"; it belongs to the profile {' and '.join(rule.profiles)}" if rule.profiles else ""
            return f"it is switched off{belonging}"
        if position == ACTS_INSIDE:
            return "it acts inside the tool, and no tool has this name"
        return rule.predicates[position].explain_mismatch(self.call)


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
        self.tally = DecisionTally(rulebook)
        """What happened so far, for the report."""
        self.is_recorded = False
        """Whether the timeline has the rules and the seed of this session."""
        self.list_tools: Callable[[], Collection[str] | None] = lambda: None
        """Returns the names of the tools that can be called, so that a fault names one; None if they are not known."""
        self._on_fault = on_fault
        self.profile = rulebook.profile
        """The active profile of the session; None if there is none."""
        self._disabled_rules = {rule.index for rule in rulebook.rules if not rule.rule.enabled}
        self._disabled_rules |= rulebook.spec.list_inactive_rules(self.profile)
        self._pending_faults: list[PendingFault] = []
        self._fault_count = 0

    @property
    def rules(self) -> list[RuleState]:
        """The rules with their current state."""
        tried, fired = self.tally.build_fold().count_by_rule()
        return [
            RuleState(
                name=rule.name,
                tools=rule.rule.match.tool,
                conditions=[predicate.describe() for predicate in rule.predicates],
                actions=[action.describe() for action in rule.actions],
                effects=[action.model_dump_json(by_alias=True, exclude_unset=True) for action in rule.actions],
                enabled=rule.index not in self._disabled_rules,
                tried_count=tried[rule.name],
                fired_count=fired[rule.name],
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
                if on:
                    self._disabled_rules.discard(rule.index)
                else:
                    self._disabled_rules.add(rule.index)
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
        if tool != MODEL_SEAT and tools is not None and tool not in tools:
            advice = suggest_closest(tool, tools, "Use one of")
            raise NotFound(f"The agents of this session have no tool {tool!r}. {advice}.")
        try:
            seat = "model" if tool == MODEL_SEAT else "tool"
            rule = Rule(name=name_fault(tool), seat=seat, match=Match(tool=[tool]), do=list(actions))
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

    def decide(self, call: IncomingCall, *, has_tool: bool = True) -> RuleDecision:
        """Find the rule or fault that answers a call, and count it.

        Args:
            call: The call.
            has_tool: Whether there is such a tool; if not, only rules that do not act inside the tool can answer.
        """
        if self._records_times:
            _ = call.record  # the time is that of the first look at the history
        if self._pending_faults and (fault := self._take_fault(call.tool)):
            decision = RuleDecision(call, fault.rule, ())
            self.tally.fold.add_decision(decision.build_facts())
            return decision
        candidates = self.rulebook.find_candidates(call.tool, by_name_only=call.steers_run)
        disabled = self._disabled_rules
        positions: list[int] = []
        answering: CompiledRule | None = None
        for rule in candidates:
            if rule.index in disabled:
                positions.append(SWITCHED_OFF)
                continue
            position = 0
            for is_met in rule.predicate_checks:
                if not is_met(call):
                    positions.append(position)
                    break
                position += 1  # noqa: SIM113 - `enumerate` costs more than most checks
            else:
                if has_tool or not rule.acts_inside_call:
                    answering = rule
                else:
                    positions.append(ACTS_INSIDE)
                break
        skipped = tuple(positions)
        if answering is not None and not call.unsearched:
            self.tally.count(call.tool, "", skipped)
            return RuleDecision(call, answering, candidates, skipped)
        unanswered = "" if answering is not None else self._get_unanswered(candidates, has_tool=has_tool)
        decision = RuleDecision(call, answering, candidates, skipped, unanswered)
        self.tally.fold.add_decision(decision.build_facts())
        return decision

    def _get_unanswered(self, candidates: Candidates, *, has_tool: bool) -> str:
        """Returns what happens to a call that no rule answers."""
        if candidates and candidates[0].rule.seat == "model":
            return ""
        if not has_tool:
            return UnansweredCall.NO_SUCH_TOOL.value
        if self.rulebook.refuses_real_tools:
            return UnansweredCall.REFUSED.value
        return UnansweredCall.LIVE.value if candidates else ""

    def _take_fault(self, tool: str) -> PendingFault | None:
        fault = next((each for each in self._pending_faults if each.tool == tool), None)
        if fault is not None:
            self._pending_faults.remove(fault)
        return fault

    def describe_actions(self, decision: RuleDecision) -> list[str]:
        """Returns a description of each action for this call, including random values that were drawn."""
        if decision.rule is None:
            return []
        execution = self._create_execution(decision.call, decision.rule, _fail_if_run)
        return [_describe_action(action, execution) for action in decision.rule.actions]

    def _create_execution(
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
            if decision.unanswered == UnansweredCall.REFUSED:
                raise RealToolRefused(tool, "no rule answers the call, and the rules say `unanswered: refuse`")
            self.tally.fold.real[tool] += 1
            return await run_tool()
        execution = decision.execution = self._create_execution(decision.call, rule, run_tool)
        result: object = NO_RESULT
        for action in rule.actions:
            result = await action.apply(execution, result)
        return await execution.run_tool() if result is NO_RESULT else result

    def complete(self, decision: RuleDecision) -> ExecutionOutcome:
        """Count how a call ended, or how far it came if it was cancelled; call it once for each decision."""
        rule, execution = decision.rule, decision.execution
        if rule is None:
            return NOT_RUN if decision.unanswered == UnansweredCall.REFUSED else RAN_TOOL
        if execution is None or not (execution.has_run_tool or rule.only_changes_result):
            return NOT_RUN
        outcome = ExecutionOutcome(
            ran_tool=execution.has_run_tool, left_unchanged=rule.only_changes_result and not execution.has_effect
        )
        self.tally.fold.add_execution(
            decision.call.tool, rule.name, ran_tool=outcome.ran_tool, left_unchanged=outcome.left_unchanged
        )
        return outcome


def _describe_action(action: Action, execution: RuleExecution) -> str:
    missing = execution.find_missing_values(action.template) if action.has_references else []
    return f"{action.describe(execution)}, which fails: {'; '.join(missing)}" if missing else action.describe(execution)


async def _fail_if_run() -> object:
    raise AssertionError("describing an action must not run the tool")
