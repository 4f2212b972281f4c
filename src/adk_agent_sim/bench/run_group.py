"""Figures of a group of runs, such as all runs of a variant, or those with one capability tag."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from adk_agent_sim.bench.bench_result import BenchResult, Outcome, RunKey
from adk_agent_sim.bench.statistics import (
    SuccessRate,
    estimate_pass_at_k,
    estimate_pass_hat_k,
    estimate_success_rate,
)
from adk_agent_sim.timeline.record import FrozenRecord

VARIANT_AXES: Final = ("agent", "model", "player", "rules")
"""The axes of the plan that are compared with each other; scenarios, seeds and runs are what they are compared on."""


@dataclass(frozen=True, order=True)
class Variant:
    """What is compared: an agent, with the model, player and rules that it ran with."""

    agent: str
    model: str = ""
    player: str = ""
    rules: str = ""


def get_variant(result: RunKey) -> Variant:
    """Return which variant ran."""
    return Variant(result.agent, result.model, result.player, result.rules)


def get_variant_noun(variants: Sequence[Variant]) -> str:
    """Return what variants are called: agents, unless one agent is compared with itself."""
    return "agent" if len({each.agent for each in variants}) == len(variants) else "variant"


def label_variants(variants: Sequence[Variant]) -> dict[Variant, str]:
    """Return a label for each variant: the agent, and the other axes as far as they vary."""
    varying = [axis for axis in VARIANT_AXES[1:] if len({getattr(each, axis) for each in variants}) > 1]
    return {
        each: " · ".join([each.agent, *(getattr(each, axis) or f"no {axis}" for axis in varying)]) for each in variants
    }


OUTCOMES: Final[tuple[Outcome, ...]] = ("passed", "failed", "error", "timeout", "not_judged")

_ALL_K_UP_TO = 8
"""Up to here every k is reported, beyond it powers of two."""


class RunMeasure(FrozenRecord):
    """A number that each run has, such as its tokens, over all runs."""

    total: float

    mean: float

    low: float
    """A tenth of the runs is below."""

    median: float

    high: float
    """A tenth of the runs is above."""


class PassAtK(FrozenRecord):
    """The two estimates for a number of attempts, as means over the scenarios."""

    k: int

    pass_at_k: float
    """At least one of k runs passes."""

    pass_hat_k: float
    """All of k runs pass."""

    scenarios: int
    """How many scenarios have at least k judged runs; the others are left out."""


class RunGroup(FrozenRecord):
    """The figures of a group."""

    runs: int

    scenarios: int

    outcomes: Mapping[Outcome, int]

    success: SuccessRate
    """Errors and timeouts count as not passed; runs that nobody could judge do not count."""

    attempts: tuple[PassAtK, ...]

    input_tokens: RunMeasure
    output_tokens: RunMeasure
    tokens: RunMeasure
    """Input and output together."""

    model_calls: RunMeasure
    tool_calls: RunMeasure
    simulated_seconds: RunMeasure
    wall_seconds: RunMeasure


def summarize_group(results: Sequence[BenchResult]) -> RunGroup:
    """Return the figures of a group of results."""
    counts = Counter(each.outcome for each in results)
    # A group may hold several variants: attempts are those of one variant in one scenario.
    passed: Counter[tuple[str, Variant]] = Counter()
    judged: Counter[tuple[str, Variant]] = Counter()
    for each in results:
        if each.outcome != "not_judged":
            place = each.scenario, get_variant(each)
            judged[place] += 1
            passed[place] += each.outcome == "passed"
    return RunGroup(
        runs=len(results),
        scenarios=len({each.scenario for each in results}),
        outcomes={outcome: counts[outcome] for outcome in OUTCOMES},
        success=estimate_success_rate(passed.total(), judged.total()),
        attempts=estimate_attempts([(judged[place], passed[place]) for place in judged]),
        input_tokens=_describe([each.input_tokens for each in results]),
        output_tokens=_describe([each.output_tokens for each in results]),
        tokens=_describe([each.input_tokens + each.output_tokens for each in results]),
        model_calls=_describe([each.model_calls for each in results]),
        tool_calls=_describe([each.tool_calls for each in results]),
        simulated_seconds=_describe([each.simulated_seconds for each in results]),
        wall_seconds=_describe([each.wall_seconds for each in results]),
    )


def estimate_attempts(counts: Sequence[tuple[int, int]]) -> tuple[PassAtK, ...]:
    """Return pass@k and pass^k for each k that is worth reporting.

    Args:
        counts: For each scenario, how many runs were judged and how many of them passed.
    """
    # Most scenarios have the same two counts, and there are few different ones: each is computed once.
    tallies = Counter(counts)
    found: list[PassAtK] = []
    for k in _list_k(max((total for total, _ in counts), default=0)):
        enough = [(total, passed, times) for (total, passed), times in tallies.items() if total >= k]
        scenarios = sum(times for _, _, times in enough)
        pass_at_k = math.fsum(times * estimate_pass_at_k(total, passed, k) for total, passed, times in enough)
        pass_hat_k = math.fsum(times * estimate_pass_hat_k(total, passed, k) for total, passed, times in enough)
        found.append(
            PassAtK(k=k, pass_at_k=pass_at_k / scenarios, pass_hat_k=pass_hat_k / scenarios, scenarios=scenarios)
        )
    return tuple(found)


def _list_k(largest: int) -> list[int]:
    dense = list(range(1, min(largest, _ALL_K_UP_TO) + 1))
    powers = [2**power for power in range(4, largest.bit_length()) if 2**power < largest]
    return [*dense, *powers, *([largest] if largest > _ALL_K_UP_TO else [])]


def _describe(values: Sequence[float]) -> RunMeasure:
    if not values:
        return RunMeasure(total=0, mean=0, low=0, median=0, high=0)
    ordered = sorted(values)
    total = math.fsum(ordered)
    low, median, high = (_interpolate(ordered, share) for share in (0.1, 0.5, 0.9))
    return RunMeasure(total=total, mean=total / len(ordered), low=low, median=median, high=high)


def _interpolate(ordered: Sequence[float], share: float) -> float:
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)
