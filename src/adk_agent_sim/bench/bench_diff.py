"""Compares two benches on the scenarios they share: which got better or worse, and whether that can be chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, get_args

from pydantic import computed_field

from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.bench_summary import BenchSummary, VariantSummary
from adk_agent_sim.bench.run_group import RunGroup, summarize_group
from adk_agent_sim.bench.statistics import PairedTest, adjust_by_holm, compare_pairs
from adk_agent_sim.errors import BenchesNotComparable
from adk_agent_sim.timeline.record import FrozenRecord

Change = Literal["better", "worse", "unchanged"]


class ScenarioChange(FrozenRecord):
    """One scenario in both benches."""

    scenario: str

    before: tuple[int, int]
    """How many of how many judged runs passed in the first bench."""

    after: tuple[int, int]

    reason: str
    """Why a run of the second bench did not pass; empty if all did."""

    @computed_field
    @property
    def difference(self) -> float:
        """The share of runs that pass now, minus the one before."""
        return self.after[0] / self.after[1] - self.before[0] / self.before[1]

    @computed_field
    @property
    def change(self) -> Change:
        """Whether more runs pass, or fewer."""
        if self.difference == 0:
            return "unchanged"
        return "better" if self.difference > 0 else "worse"


class VariantDiff(FrozenRecord):
    """One variant of each bench, on the scenarios that both have judged runs of."""

    before_label: str

    after_label: str

    before: RunGroup

    after: RunGroup

    scenarios: tuple[ScenarioChange, ...]
    """The largest loss first, and the largest gain last."""

    test: PairedTest

    p_value: float
    """The test's p-value, adjusted by Holm's method if several variants are compared."""

    is_significant: bool
    """Whether a difference this large would be rarer than the level of significance if it were chance."""

    @computed_field
    @property
    def difference(self) -> float:
        """The mean difference of the scenarios' rates: what the test is about."""
        return sum(each.difference for each in self.scenarios) / len(self.scenarios)

    @computed_field
    @property
    def counts(self) -> dict[Change, int]:
        """How many scenarios changed how."""
        found = Counter(each.change for each in self.scenarios)
        return {change: found[change] for change in get_args(Change)}

    @computed_field
    @property
    def is_worse(self) -> bool:
        """Whether the second bench is significantly worse."""
        return self.difference < 0 and self.is_significant

    def list_scenarios(self, change: Change) -> list[ScenarioChange]:
        """Return the scenarios that changed like this."""
        return [each for each in self.scenarios if each.change == change]


class BenchDiff(FrozenRecord):
    """The comparison of two benches."""

    alpha: float
    """The level of significance."""

    variants: tuple[VariantDiff, ...]

    only_before: tuple[str, ...]
    """Scenarios, or variants of several, that only the first bench has."""

    only_after: tuple[str, ...]

    @computed_field
    @property
    def is_worse(self) -> bool:
        """Whether any variant is significantly worse."""
        return any(each.is_worse for each in self.variants)


def compare_benches(
    before: BenchSummary, after: BenchSummary, before_name: str = "", after_name: str = "", alpha: float = 0.05
) -> BenchDiff:
    """Compare the variants that two benches share, or one of each.

    Args:
        before: The first bench.
        after: The second bench.
        before_name: The agent, or the whole label, of the variant of the first bench to compare; by default all.
        after_name: The same for the second bench.
        alpha: The level of significance: a difference is significant if its p-value is below it.

    Raises:
        BenchesNotComparable: There is nothing to compare, or it is not clear what with what.
    """
    pairs = _pair_variants(_select(before, before_name, "first"), _select(after, after_name, "second"))
    changes = [_compare_variants(before, one, after, other) for one, other in pairs]
    tests = [
        compare_pairs([each.before for each in compared], [each.after for each in compared])
        for compared, _, _ in changes
    ]
    p_values = adjust_by_holm([each.p_value for each in tests])
    first, second = set(before.scenarios), set(after.scenarios)
    return BenchDiff(
        alpha=alpha,
        variants=tuple(
            VariantDiff(
                before_label=one.label,
                after_label=other.label,
                before=summarize_group(old_runs),
                after=summarize_group(new_runs),
                scenarios=tuple(sorted(compared, key=lambda each: (each.difference, each.scenario))),
                test=test,
                p_value=p_value,
                is_significant=p_value < alpha,
            )
            for (one, other), (compared, old_runs, new_runs), test, p_value in zip(
                pairs, changes, tests, p_values, strict=True
            )
        ),
        only_before=tuple(sorted(first - second)),
        only_after=tuple(sorted(second - first)),
    )


def _select(summary: BenchSummary, name: str, which: str) -> Sequence[VariantSummary]:
    if not name:
        return summary.variants
    found = [each for each in summary.variants if name in (each.label, each.variant.agent)]
    if len(found) != 1:
        known = ", ".join(each.label for each in summary.variants)
        problem = f"has no agent {name}" if not found else f"has {len(found)} variants of {name}"
        raise BenchesNotComparable(f"the {which} bench {problem}", f"Name one of these: {known}.")
    return found


def _pair_variants(
    before: Sequence[VariantSummary], after: Sequence[VariantSummary]
) -> list[tuple[VariantSummary, VariantSummary]]:
    if len(before) == len(after) == 1:
        return [(before[0], after[0])]
    others = {each.variant: each for each in after}
    pairs = [(each, others[each.variant]) for each in before if each.variant in others]
    if pairs:
        return pairs
    if not before or not after:
        raise BenchesNotComparable("a bench has no results", "Run it first.")
    names = " and ".join(", ".join(each.label for each in side) for side in (before, after))
    raise BenchesNotComparable(
        f"they have no agent in common, but {names}", "Name one of each with --before AGENT and --after AGENT."
    )


def _compare_variants(
    before: BenchSummary, one: VariantSummary, after: BenchSummary, other: VariantSummary
) -> tuple[list[ScenarioChange], list[BenchResult], list[BenchResult]]:
    """Return how each scenario changed, with the judged runs of both benches."""
    old_runs: list[BenchResult] = []
    new_runs: list[BenchResult] = []
    changes: list[ScenarioChange] = []
    for scenario in before.scenarios:
        old = _list_judged(before.cells.get((scenario, one.variant), ()))
        new = _list_judged(after.cells.get((scenario, other.variant), ()))
        if old and new:
            old_runs += old
            new_runs += new
            changes.append(_compare_scenario(scenario, old, new))
    if not changes:
        raise BenchesNotComparable(
            f"no scenario has judged runs of {one.label} in the first and of {other.label} in the second bench",
            "Compare benches of the same scenarios.",
        )
    return changes, old_runs, new_runs


def _list_judged(runs: Sequence[BenchResult]) -> list[BenchResult]:
    return [each for each in runs if each.outcome != "not_judged"]


def _compare_scenario(scenario: str, old: Sequence[BenchResult], new: Sequence[BenchResult]) -> ScenarioChange:
    return ScenarioChange(
        scenario=scenario,
        before=(sum(each.outcome == "passed" for each in old), len(old)),
        after=(sum(each.outcome == "passed" for each in new), len(new)),
        reason=next((each.reason for each in new if each.outcome != "passed" and each.reason), ""),
    )
