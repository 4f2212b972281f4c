"""Sums up the results of a bench: per variant and capability tag, per group of failures, and as a matrix.

The summary is a function of the set of results. The order in which workers finished does not matter, and the time it
takes is linear in the number of runs, but for sorting.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Annotated

from pydantic import Field, SkipValidation, computed_field

from adk_agent_sim.bench.bench_result import BenchResult, Outcome
from adk_agent_sim.bench.failure_reasons import normalize_reason
from adk_agent_sim.bench.run_group import (
    RunGroup,
    Variant,
    get_variant,
    get_variant_noun,
    label_variants,
    summarize_group,
)
from adk_agent_sim.timeline.record import FrozenRecord

_MAX_EXAMPLES = 5
_MAX_SHOWN = 2_000
"""The most characters of a reason that is the same for all runs of a group."""


class VariantSummary(FrozenRecord):
    """How one variant did."""

    variant: Variant

    label: str
    """The agent, and whatever else differs between the variants of the bench."""

    overall: RunGroup

    tags: Mapping[str, RunGroup]
    """How it did in the scenarios of each capability tag."""


class FailureGroup(FrozenRecord):
    """The runs that did not pass for reasons that differ only in ids, numbers and values."""

    outcome: Outcome

    reason: str
    """The reason without what differs."""

    counts: Mapping[str, int]
    """How many runs of each variant, by its label."""

    examples: tuple[BenchResult, ...]
    """Some of the runs, the first of each scenario."""

    has_one_text: bool = False
    """Whether the reasons of all runs are the same, word by word."""

    @computed_field
    @property
    def shown_reason(self) -> str:
        """The reason for people: with its values, on one line, if it is the same for all runs."""
        text = " ".join(self.examples[0].reason[:_MAX_SHOWN].split()) if self.has_one_text else ""
        return text or self.reason

    @computed_field
    @property
    def total(self) -> int:
        """How many runs."""
        return sum(self.counts.values())


class BenchSummary(FrozenRecord):
    """The outcome of a bench."""

    folder: str = ""
    """Where its results are."""

    overall: RunGroup
    """All runs of all variants."""

    variants: tuple[VariantSummary, ...]

    tags: tuple[str, ...]
    """All capability tags."""

    scenarios: tuple[str, ...]

    failures: tuple[FailureGroup, ...]
    """The largest group first."""

    cells: Annotated[SkipValidation[Mapping[tuple[str, Variant], tuple[BenchResult, ...]]], Field(exclude=True)]
    """The matrix: the runs of each scenario and variant, by seed and run."""

    planned: int | None = None
    """How many runs the plan has, if it is known."""

    @property
    def success_rate(self) -> float | None:
        """The share of all judged runs that passed; None if no run was judged."""
        return self.overall.success.value

    @property
    def variant_noun(self) -> str:
        """What a variant is called in reports."""
        return get_variant_noun([each.variant for each in self.variants])

    @cached_property
    def labels(self) -> Mapping[Variant, str]:
        """What each variant is called in reports."""
        return {each.variant: each.label for each in self.variants}


def summarize_bench(results: Iterable[BenchResult], planned: int | None = None, folder: str = "") -> BenchSummary:
    """Return the summary of results, of which no two have the same key.

    Args:
        results: The runs that have ended.
        planned: How many runs the plan has, if it is known.
        folder: Where the results are.
    """
    ordered = sorted(results, key=_sort_key)
    cells: defaultdict[tuple[str, Variant], list[BenchResult]] = defaultdict(list)
    by_variant: defaultdict[Variant, list[BenchResult]] = defaultdict(list)
    for each in ordered:
        variant = get_variant(each)
        cells[each.scenario, variant].append(each)
        by_variant[variant].append(each)
    labels = label_variants(sorted(by_variant))
    return BenchSummary(
        folder=folder,
        overall=summarize_group(ordered),
        variants=tuple(_summarize_variant(variant, label, by_variant[variant]) for variant, label in labels.items()),
        tags=tuple(sorted({tag for each in ordered for tag in each.tags})),
        scenarios=tuple(sorted({each.scenario for each in ordered})),
        failures=_group_failures(ordered, labels),
        cells={place: tuple(runs) for place, runs in cells.items()},
        planned=planned,
    )


def _sort_key(result: BenchResult) -> tuple[str | int, ...]:
    # Without an object for the variant, whose comparisons would take most of the time.
    return result.scenario, result.agent, result.model, result.player, result.rules, result.seed, result.run


def _summarize_variant(variant: Variant, label: str, results: Sequence[BenchResult]) -> VariantSummary:
    by_tag: defaultdict[str, list[BenchResult]] = defaultdict(list)
    for each in results:
        for tag in set(each.tags):
            by_tag[tag].append(each)
    return VariantSummary(
        variant=variant,
        label=label,
        overall=summarize_group(results),
        tags={tag: summarize_group(by_tag[tag]) for tag in sorted(by_tag)},
    )


def _group_failures(results: Sequence[BenchResult], labels: Mapping[Variant, str]) -> tuple[FailureGroup, ...]:
    counts: defaultdict[tuple[Outcome, str], Counter[str]] = defaultdict(Counter)
    examples: defaultdict[tuple[Outcome, str], dict[str, BenchResult]] = defaultdict(dict)
    texts: dict[tuple[Outcome, str], str] = {}
    differing: set[tuple[Outcome, str]] = set()
    for each in results:
        if each.outcome == "passed":
            continue
        group = each.outcome, normalize_reason(each.reason) or "No reason was given."
        counts[group][labels[get_variant(each)]] += 1
        if texts.setdefault(group, each.reason) != each.reason:
            differing.add(group)
        if len(examples[group]) < _MAX_EXAMPLES:
            examples[group].setdefault(each.scenario, each)
    groups = (
        FailureGroup(
            outcome=group[0],
            reason=group[1],
            counts=count,
            examples=tuple(examples[group].values()),
            has_one_text=group not in differing,
        )
        for group, count in counts.items()
    )
    return tuple(sorted(groups, key=lambda group: (-group.total, group.outcome, group.reason)))
