"""Counts the decisions of one session as cheaply as possible, and expands the counts for a report.

A decision is counted under the positions of the conditions that failed, one per rule before the one that answered:
one counter instead of one per rule.
"""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias

from adk_agent_sim.environment.report_fold import DecisionFacts, ReportFold
from adk_agent_sim.environment.rulebook import Candidates, CompiledRule, Rulebook
from adk_agent_sim.environment.skip_reason import SkipReason
from adk_agent_sim.timeline.framework_calls import EXACT_NAMES

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
