"""Folds what happened to tool calls into a report; the one way to count, live and for a recorded timeline.

live:      DecisionTally of each session --------+--> ReportFold --> EnvironmentReport
recorded:  EnvironmentDecided, Tool* events -----+

It has the reasons too for which a rule does not answer a call, and how a call differs from what a rule wants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from adk_agent_sim.environment.environment_report import (
    ArgumentDifference,
    EnvironmentReport,
    NearMiss,
    RuleCoverage,
    ToolReport,
    UnusedResponse,
)
from adk_agent_sim.environment.incoming_call import SessionRandomness
from adk_agent_sim.text.glob_match import GlobSet
from adk_agent_sim.timeline.framework_calls import EXACT_NAMES, MODEL_SEAT


class SkipReason(StrEnum):
    """Why a rule that names the tool does not answer a call."""

    ARGUMENTS = "arguments"
    """The arguments differ."""

    TEXT_TOO_LONG = "text too long"
    """An argument is too long for its pattern to be searched in it."""

    AGENT = "agent"
    """Another agent calls."""

    EARLIER_CALLS = "earlier calls"
    """What must have happened before has not."""

    CALL_NUMBER = "call number"
    """The rule is for other calls by number: it is used up, or not due yet."""

    PROBABILITY = "probability"
    """The random draw said no."""

    STATE = "state"
    """The session's state differs."""

    TIME = "time"
    """The call is made before or after the time that the rule is for."""

    CONDITION = "condition"
    """Any other condition."""

    SWITCHED_OFF = "switched off"
    """The rule is switched off, in the file or by a person."""

    NO_SUCH_TOOL = "no such tool"
    """The rule acts inside the tool, and the model made up the tool's name."""


INTENDED_REASONS = frozenset(
    {
        SkipReason.EARLIER_CALLS,
        SkipReason.CALL_NUMBER,
        SkipReason.TIME,
        SkipReason.PROBABILITY,
        SkipReason.SWITCHED_OFF,
    }
)
"""The rule means calls like this one, and leaves this one to the real tool on purpose."""


class UnansweredCall(StrEnum):
    """What happens to a call that no rule answers, of a tool that rules name or could name."""

    LIVE = "live"
    """The real tool runs."""

    REFUSED = "refused"
    """It fails, because the rules say `unanswered: refuse`."""

    NO_SUCH_TOOL = "no such tool"
    """ADK fails it, because the model made up the tool's name."""


class Difference(NamedTuple):
    """Why a call does not meet a condition."""

    path: str
    """The path of the value in the arguments, or what else was looked at."""

    expected: str
    found: str


_MAX_NEAR_MISSES = 1_000
"""How many different near misses are kept: a model can invent any number of arguments."""

_MAX_SEEDS = 10_000
"""How many sessions' seeds are kept."""


@dataclass(frozen=True, slots=True)
class NearestRule:
    """The rule that came closest to a call that no rule answered, and what differed."""

    rule: str
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionFacts:
    """What the rules decided for a call, without the texts for people."""

    tool: str
    rule: str
    """The rule or fault that answers; empty if none does."""

    skipped: Sequence[tuple[str, str]]
    """The rules for the tool before the one that answers, each with its `SkipReason`."""

    unanswered: str = ""
    """What happens if none answers, an `UnansweredCall`."""

    nearest: NearestRule | None = None

    @property
    def is_unintended(self) -> bool:
        """Whether rules name the tool, none answers, and none of them left the call to the tool on purpose."""
        return not self.rule and is_unintended(self.skipped)


def is_unintended(skipped: Sequence[tuple[str, str]]) -> bool:
    """Whether there are rules that were skipped, and none of them left the call to the tool on purpose."""
    return bool(skipped) and INTENDED_REASONS.isdisjoint(reason for _, reason in skipped)


@dataclass(frozen=True, slots=True)
class RuleScope:
    """Where a rule applies."""

    tools: Sequence[str]
    """The tools that it names."""

    profiles: Sequence[str] = ()
    """The profiles in which it is used; empty if in all."""


@dataclass(slots=True)
class ReportFold:
    """Counters of calls, and what is known about the rules and sessions."""

    real: Counter[str] = field(default_factory=Counter[str])
    """Calls in which nothing but the tool's own code ran, by tool."""

    _rules: dict[str, RuleScope] = field(default_factory=dict[str, RuleScope])
    _active_profiles: set[str] = field(default_factory=set[str])
    _decided: Counter[str] = field(default_factory=Counter[str])
    _fired: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    _unchanged: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    _ran: Counter[str] = field(default_factory=Counter[str])
    _asked: Counter[str] = field(default_factory=Counter[str])
    _skipped: Counter[tuple[str, str, str]] = field(default_factory=Counter[tuple[str, str, str]])
    _uncovered: Counter[str] = field(default_factory=Counter[str])
    _refused: Counter[str] = field(default_factory=Counter[str])
    _unknown: Counter[str] = field(default_factory=Counter[str])
    _near_misses: Counter[tuple[str, NearestRule]] = field(default_factory=Counter[tuple[str, NearestRule]])
    _near_misses_left_out: int = 0
    _recorded: dict[str, UnusedResponse] = field(default_factory=dict[str, UnusedResponse])
    _used_responses: set[str] = field(default_factory=set[str])
    _seeds: list[SessionRandomness] = field(default_factory=list[SessionRandomness])
    _uses_real_time: bool = False

    def add_rules(self, rules: Mapping[str, RuleScope], *, uses_real_time: bool) -> None:
        """Add the rules of an environment by name, in the order of the file."""
        self._rules.update(rules)
        self._uses_real_time |= uses_real_time

    def add_active_profiles(self, profiles: Iterable[str]) -> None:
        """Add the profiles that were active in a session."""
        self._active_profiles.update(profiles)

    def add_recorded_responses(self, responses: Iterable[UnusedResponse]) -> None:
        """Add the recorded responses that rules can give."""
        for each in responses:
            self._recorded[each.call] = each

    def add_used_responses(self, calls: Iterable[str]) -> None:
        """Add which recorded responses a session has used."""
        self._used_responses.update(calls)

    def add_seed(self, seed: SessionRandomness) -> None:
        """Add what the random draws of a session depend on."""
        if len(self._seeds) < _MAX_SEEDS:
            self._seeds.append(seed)

    def has_seed(self, seed: SessionRandomness) -> bool:
        """Whether a session with these draws was added."""
        return seed in self._seeds

    def add_decision(self, facts: DecisionFacts, count: int = 1) -> None:
        """Add calls for which the rules decided the same."""
        tool = facts.tool
        if facts.rule:
            self._fired[tool, facts.rule] += count
        if facts.rule or facts.skipped:
            self._decided[tool] += count
        for rule, reason in facts.skipped:
            self._skipped[tool, rule, reason] += count
        if facts.unanswered == UnansweredCall.REFUSED:
            self._refused[tool] += count
        elif facts.unanswered == UnansweredCall.NO_SUCH_TOOL:
            self._unknown[tool] += count
        elif facts.is_unintended:
            self._uncovered[tool] += count
        if facts.nearest is not None:
            self._add_near_miss(tool, facts.nearest, count)

    def correct_refusal(self, facts: DecisionFacts) -> None:
        """Count a call as refused that was added as a real one, because an older release recorded it so."""
        self.real[facts.tool] -= 1
        self._uncovered[facts.tool] -= int(facts.is_unintended)
        self._refused[facts.tool] += 1

    def add_execution(self, tool: str, rule: str, *, ran_tool: bool, left_unchanged: bool) -> None:
        """Add how a call ended for which `add_decision` was called with a rule."""
        if left_unchanged:
            # It was counted as an answer when it was decided.
            self._fired[tool, rule] -= 1
            self._unchanged[tool, rule] += 1
        elif ran_tool:
            self._ran[tool] += 1

    def add_response_of_person(self, tool: str) -> None:
        """Add that a person was asked for the response to a call for which `add_decision` was called with a rule."""
        self._asked[tool] += 1

    def _add_near_miss(self, tool: str, nearest: NearestRule, count: int) -> None:
        key = (tool, nearest)
        if key in self._near_misses or len(self._near_misses) < _MAX_NEAR_MISSES:
            self._near_misses[key] += count
        else:
            self._near_misses_left_out += count

    def merge(self, other: ReportFold) -> None:
        """Add everything that another fold has counted."""
        for name in ("real", "_decided", "_fired", "_unchanged", "_ran", "_skipped", "_uncovered", "_refused"):
            getattr(self, name).update(getattr(other, name))
        self._asked.update(other._asked)
        self._unknown.update(other._unknown)
        self._rules.update(other._rules)
        self._active_profiles |= other._active_profiles
        for (tool, nearest), count in other._near_misses.items():
            self._add_near_miss(tool, nearest, count)
        self._near_misses_left_out += other._near_misses_left_out
        self._recorded.update(other._recorded)
        self._used_responses |= other._used_responses
        for seed in other._seeds:
            self.add_seed(seed)
        self._uses_real_time |= other._uses_real_time

    def count_by_rule(self) -> tuple[Counter[str], Counter[str]]:
        """Return how many calls each rule was matched against, and how many it answered."""
        tried, fired = Counter[str](), Counter[str]()
        for (_, rule), count in self._fired.items():
            tried[rule] += count
            fired[rule] += count
        for (_, rule), count in self._unchanged.items():
            tried[rule] += count
        for (_, rule, reason), count in self._skipped.items():
            tried[rule] += count if reason != SkipReason.SWITCHED_OFF else 0
        return tried, fired

    def build_report(self) -> EnvironmentReport:
        """Return the report of what was added."""
        matched = {rule for counts in (self._fired, self._unchanged) for (_, rule), count in counts.items() if count}
        called = (self.real, self._decided, self._refused, self._unknown)
        # What rules did to the model is in the coverage; how often it was called at all is not counted.
        tools = {tool for counts in called for tool, count in counts.items() if count and tool != MODEL_SEAT}
        ranks = {rule: place for place, rule in enumerate(self._rules)}
        unmatched = {rule: scope for rule, scope in self._rules.items() if rule not in matched}
        inactive = {rule: scope.profiles for rule, scope in unmatched.items() if not self._was_active(scope)}
        return EnvironmentReport(
            tools=[self._build_tool_report(tool, ranks) for tool in sorted(tools)],
            unused=[rule for rule in unmatched if rule not in inactive],
            inactive=inactive,
            coverage=[each for tool in sorted(self._decided) for each in self._iter_coverage(tool)],
            near_misses=self._list_near_misses(ranks),
            near_misses_left_out=self._near_misses_left_out,
            unused_responses=[each for call, each in self._recorded.items() if call not in self._used_responses],
            seeds=list(self._seeds),
            uses_real_time=self._uses_real_time,
        )

    def _was_active(self, scope: RuleScope) -> bool:
        return not scope.profiles or not self._active_profiles.isdisjoint(scope.profiles)

    def _build_tool_report(self, tool: str, ranks: Mapping[str, int]) -> ToolReport:
        simulated, unchanged = _select_tool(self._fired, tool, ranks), _select_tool(self._unchanged, tool, ranks)
        real, refused, unknown = self.real[tool], self._refused[tool], self._unknown[tool]
        return ToolReport(
            tool=tool,
            calls=real + refused + unknown + sum(simulated.values()) + sum(unchanged.values()),
            real=real,
            simulated=simulated,
            unchanged=unchanged,
            changed=self._ran[tool],
            human=self._asked[tool],
            uncovered=self._uncovered[tool],
            refused=refused,
            unknown=unknown,
        )

    def _iter_coverage(self, tool: str) -> Iterable[RuleCoverage]:
        for rule in self._list_candidates(tool):
            skipped = {reason: count for reason in SkipReason if (count := self._skipped[tool, rule, reason])}
            switched_off = skipped.get(SkipReason.SWITCHED_OFF, 0)
            fired, unchanged = self._fired[tool, rule], self._unchanged[tool, rule]
            tried = fired + unchanged + sum(skipped.values()) - switched_off
            yield RuleCoverage(
                tool=tool,
                rule=rule,
                tried=tried,
                fired=fired,
                unchanged=unchanged,
                skipped={reason.value: count for reason, count in skipped.items()},
                not_reached=self._decided[tool] - tried - switched_off,
            )

    def _list_candidates(self, tool: str) -> list[str]:
        """Return the rules that name a tool; those of older logs, of which only the names are known, at the end."""
        found = dict.fromkeys(rule for rule, scope in self._rules.items() if _does_name(scope.tools, tool))
        found |= dict.fromkeys(rule for name, rule, _ in self._skipped if name == tool)
        found |= dict.fromkeys(rule for name, rule in self._fired if name == tool and not is_fault(rule, tool))
        return list(found)

    def _list_near_misses(self, ranks: Mapping[str, int]) -> list[NearMiss]:
        found = [
            NearMiss(
                tool=tool,
                rule=nearest.rule,
                differences=[
                    ArgumentDifference(path=each.path, expected=each.expected, found=each.found)
                    for each in nearest.differences
                ],
                calls=count,
            )
            for (tool, nearest), count in self._near_misses.items()
        ]
        return sorted(found, key=lambda each: (each.tool, _get_rank(each.rule, ranks), -each.calls, str(each)))


def _select_tool(counts: Counter[tuple[str, str]], tool: str, ranks: Mapping[str, int]) -> dict[str, int]:
    """Return the counts of a tool by rule, in the order of the file."""
    found = {rule: count for (name, rule), count in counts.items() if name == tool and count}
    return {rule: found[rule] for rule in sorted(found, key=lambda rule: _get_rank(rule, ranks))}


def _get_rank(rule: str, ranks: Mapping[str, int]) -> tuple[int, str]:
    """Return the position of a rule in the file; faults, which are in no file, come last."""
    return ranks.get(rule, len(ranks)), rule


def name_fault(tool: str) -> str:
    """Return the name under which a fault for the next call of a tool, or of the model, is reported."""
    return f"fault for {'the model' if tool == MODEL_SEAT else tool}"


def name_choice(tool: str) -> str:
    """Return the name under which the player of a tool is reported that a person has chosen in a session."""
    return f"choice for {tool}"


def is_fault(rule: str, tool: str) -> bool:
    """Whether a rule is in no file: a fault, or a chosen player; older releases had another name for the model's."""
    return rule in (name_fault(tool), f"fault for {tool}", name_choice(tool))


def _does_name(names: Sequence[str], tool: str) -> bool:
    # As Rulebook.find_candidates: wildcards do not mean the tools by which ADK steers a run.
    return tool in names or (tool not in EXACT_NAMES and GlobSet(names).matches(tool))
