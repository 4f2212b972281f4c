"""The decision about one call (which rule answers, which were skipped and why, how it ended), and their counts.

A decision is counted under the positions of the conditions that failed, one per rule before the one that answered:
one counter instead of one per rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from adk_agent_sim.environment.actions.action import RuleExecution
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.report_fold import DecisionFacts, NearestRule, ReportFold, SkipReason, is_unintended
from adk_agent_sim.environment.rulebook import Candidates, CompiledRule, Rulebook
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.framework_calls import EXACT_NAMES


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

    mocked: Json = None
    """What a mock made the result from, if it asked a model."""


RAN_TOOL = ExecutionOutcome(ran_tool=True, left_unchanged=False)
NOT_RUN = ExecutionOutcome(ran_tool=False, left_unchanged=False)


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
        """Return the rules for this tool before the one that answers, each with the reason why it does not.

        Call it right after `decide`: reasons are computed from the session's history, which changes with later calls.
        """
        return [
            SkippedRule(rule.name, self._get_reason(rule, position), self._explain_skip(rule, position))
            for rule, position in zip(self._candidates, self.skipped_positions, strict=False)
        ]

    def build_facts(self) -> DecisionFacts:
        """Return the decision for a report."""
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
        """Return the rule that came closest, if no rule answers and none left the call to the tool on purpose."""
        if (
            self._nearest is None
            and self.unanswered
            and is_unintended(list_skip_reasons(self._candidates, self.skipped_positions))
        ):
            self._nearest = min(
                (self._compare(rule) for rule in self._candidates), key=lambda nearest: len(nearest.differences)
            )
        return self._nearest

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


SWITCHED_OFF = -1
"""Stands for the position of a condition: the rule was switched off."""

ACTS_INSIDE = -2
"""Stands for the position of a condition: the rule acts inside the tool, and there is no such tool."""

SkippedPositions: TypeAlias = tuple[int, ...]
"""For each candidate before the one that answered: the position of the condition that failed."""

_MAX_PATTERNS = 1_000
"""How many different decisions are counted before they are expanded."""


class DecisionTally:
    """The counts of one session."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._rulebook = rulebook
        self._patterns: dict[tuple[str, str, SkippedPositions], int] = {}

    @cached_property
    def fold(self) -> ReportFold:
        """What is counted one by one; in most sessions nothing is."""
        return ReportFold()

    def count(self, tool: str, unanswered: str, skipped: SkippedPositions) -> None:
        """Count a decision; a rule answered if `unanswered` is empty and there is a candidate after those skipped."""
        patterns, key = self._patterns, (tool, unanswered, skipped)
        patterns[key] = patterns.get(key, 0) + 1
        if len(patterns) > _MAX_PATTERNS:
            self._expand_patterns(self.fold)
            patterns.clear()

    def build_fold(self) -> ReportFold:
        """Return all counts so far."""
        fold = ReportFold()
        fold.merge(self.fold)
        self._expand_patterns(fold)
        return fold

    def _expand_patterns(self, fold: ReportFold) -> None:
        for (tool, unanswered, skipped), count in self._patterns.items():
            candidates = self._rulebook.find_candidates(tool, by_name_only=tool in EXACT_NAMES)
            is_answered = not unanswered and len(skipped) < len(candidates)
            facts = DecisionFacts(
                tool=tool,
                rule=candidates[len(skipped)].name if is_answered else "",
                skipped=list_skip_reasons(candidates, skipped),
                unanswered=unanswered,
            )
            fold.add_decision(facts, count)


def list_skip_reasons(candidates: Candidates, skipped: SkippedPositions) -> list[tuple[str, str]]:
    """Return the names of the skipped rules, each with the reason."""
    return [(rule.name, _get_reason(rule, position)) for rule, position in zip(candidates, skipped, strict=False)]


def _get_reason(rule: CompiledRule, position: int) -> str:
    if position == SWITCHED_OFF:
        return SkipReason.SWITCHED_OFF.value
    if position == ACTS_INSIDE:
        return SkipReason.NO_SUCH_TOOL.value
    return rule.predicates[position].reason.value
