"""The statistics of a bench: success rates with intervals, pass@k and pass^k, and paired tests between two benches.

Nothing here knows runs, files or agents: the functions take counts and return numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from hashlib import shake_128
from typing import Final

from pydantic import computed_field

from adk_agent_sim.timeline.record import FrozenRecord

NORMAL_97_5: Final = 1.959963984540054
"""The quantile of the normal distribution for an interval of 95 %."""

MCNEMAR: Final = "exact McNemar test"
SIGN_FLIP: Final = "exact paired sign-flip permutation test"
SAMPLED_SIGN_FLIP: Final = "paired sign-flip permutation test, 10,000 random assignments"

_DRAWS = 10_000
_MAX_EXACT_WORK = 2_000_000_000
"""The most bytes that the exact permutation test may add up; about a second."""


class SuccessRate(FrozenRecord):
    """A share of runs that passed, with its 95 % Wilson interval."""

    passed: int

    total: int
    """The runs that were judged; nothing is known about the rate if there are none."""

    low: float

    high: float

    @computed_field
    @property
    def value(self) -> float | None:
        """The share; None if there are no runs."""
        return self.passed / self.total if self.total else None


class PairedTest(FrozenRecord):
    """The result of a two-sided paired test."""

    name: str
    """The test, as a reader would look it up."""

    p_value: float
    """How probable a difference at least as large is if neither side is better."""

    pairs: int
    """How many scenarios were compared."""


def estimate_success_rate(passed: int, total: int) -> SuccessRate:
    """Return a rate with its 95 % Wilson score interval.

    Unlike the interval of the textbook, it stays within 0 and 1, and is not empty if all runs passed, or none.
    """
    if total == 0:
        return SuccessRate(passed=0, total=0, low=0.0, high=1.0)
    share, square = passed / total, NORMAL_97_5**2 / total
    centre = (share + square / 2) / (1 + square)
    half = math.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
    return SuccessRate(
        passed=passed,
        total=total,
        # At both ends the formula gives exactly 0 and 1, but for rounding.
        low=max(0.0, centre - half) if passed else 0.0,
        high=min(1.0, centre + half) if passed < total else 1.0,
    )


def estimate_pass_at_k(total: int, passed: int, k: int) -> float:
    """Return the unbiased estimate of pass@k, the probability that at least one of k runs passes.

    It is the share of the subsets of k of the runs that contain one that passed (Chen et al., 2021).

    Args:
        total: How many runs there are; at least k.
        passed: How many of them passed.
        k: The size of the subset.
    """
    _require_enough(total, k)
    return 1.0 - math.comb(total - passed, k) / math.comb(total, k)


def estimate_pass_hat_k(total: int, passed: int, k: int) -> float:
    """Return the unbiased estimate of pass^k, the probability that all of k runs pass.

    It is the share of the subsets of k of the runs in which all passed (Yao et al., 2024). The arguments are those of
    `estimate_pass_at_k`.
    """
    _require_enough(total, k)
    return math.comb(passed, k) / math.comb(total, k)


def compare_pairs(before: Sequence[tuple[int, int]], after: Sequence[tuple[int, int]]) -> PairedTest:
    """Test whether the second of two benches differs from the first on the same scenarios.

    With one run per scenario it is McNemar's exact test. With several, the runs of one scenario are not independent of
    each other, so the scenario is the unit: under the null hypothesis the difference of its two rates is as likely
    negative as positive, and the test counts the assignments of signs whose mean is at least as far from zero. It uses
    how large the differences are, which a sign test would ignore, and equals McNemar's test where both apply.

    Args:
        before: For each scenario, how many of how many runs passed: `(passed, total)`, of at least one.
        after: The same for the other bench, in the same order.
    """
    pairs = len(before)
    # Fractions, because sums are compared with each other, and rounding would make equal ones differ.
    differences = [Fraction(*new) - Fraction(*old) for old, new in zip(before, after, strict=True)]
    if all(total == 1 for _, total in (*before, *after)):
        p_value = compute_mcnemar_p_value(differences.count(Fraction(1)), differences.count(Fraction(-1)))
        return PairedTest(name=MCNEMAR, p_value=p_value, pairs=pairs)
    name, p_value = compute_sign_flip_p_value(differences)
    return PairedTest(name=name, p_value=p_value, pairs=pairs)


def compute_mcnemar_p_value(better: int, worse: int) -> float:
    """Return the two-sided p-value of McNemar's exact test.

    Args:
        better: How many scenarios passed only the second time.
        worse: How many passed only the first time.
    """
    changed, fewer = better + worse, min(better, worse)
    count, tail = 1, 0
    for picked in range(fewer + 1):
        tail += count
        # Each coefficient follows from the one before, which spares large factorials.
        count = count * (changed - picked) // (picked + 1)
    return min(1.0, float(Fraction(2 * tail, 2**changed)))


def compute_sign_flip_p_value(differences: Sequence[Fraction]) -> tuple[str, float]:
    """Return the name of the paired permutation test that was done, and its two-sided p-value."""
    steps = _scale_to_integers([each for each in differences if each])
    if not steps:
        return SIGN_FLIP, 1.0
    sizes, observed = [abs(each) for each in steps], abs(sum(steps))
    if len(sizes) ** 2 * sum(sizes) // 8 <= _MAX_EXACT_WORK:
        return SIGN_FLIP, _count_extreme_share(sizes, observed)
    # The correction by one counts what was observed as one of the assignments: p is never zero.
    extreme = sum(abs(each) >= observed for each in _iter_random_sums(sizes))
    return SAMPLED_SIGN_FLIP, (extreme + 1) / (_DRAWS + 1)


def adjust_by_holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for the number of tests (Holm, 1979), in the same order."""
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - rank)))
        adjusted[index] = largest
    return adjusted


def _require_enough(total: int, k: int) -> None:
    if not 1 <= k <= total:
        raise ValueError(f"k is {k}, and must be between 1 and the number of runs, which is {total}.")


def _scale_to_integers(differences: Sequence[Fraction]) -> list[int]:
    factor = math.lcm(*(each.denominator for each in differences))
    scaled = [each.numerator * (factor // each.denominator) for each in differences]
    # Dividing by it keeps all comparisons, and makes the exact test affordable more often.
    divisor = math.gcd(*scaled)
    return [each // divisor for each in scaled]


def _count_extreme_share(sizes: Sequence[int], observed: int) -> float:
    """Return the share of all assignments of signs whose sum is at least `observed` away from zero.

    The number of assignments for each sum of the positive ones is a coefficient of the product of all `1 + x**size`.
    All coefficients are in one integer, at fixed distances, so that a multiplication is a shift and an addition.
    """
    if observed == 0:
        return 1.0
    width = len(sizes) // 8 + 1  # bytes; a coefficient is at most 2 ** len(sizes)
    packed = 1
    for size in sizes:
        packed += packed << (8 * width * size)
    total = sum(sizes)
    coefficients = packed.to_bytes((total + 1) * width, "little")
    first = (total + observed + 1) // 2  # positive minus negative is `2 * positive - total`
    tail = sum(
        int.from_bytes(coefficients[index * width : (index + 1) * width], "little") for index in range(first, total + 1)
    )
    return min(1.0, float(Fraction(2 * tail, 2 ** len(sizes))))


def _iter_random_sums(sizes: Sequence[int]) -> Iterator[int]:
    """Yield sums of the sizes with random signs, the same each time; eight signs are looked up at once."""
    tables = [_tabulate_sums(sizes[start : start + 8]) for start in range(0, len(sizes), 8)]
    for draw in range(_DRAWS):
        signs = shake_128(f"sign flip {draw}".encode()).digest(len(tables))
        yield sum(table[each] for table, each in zip(tables, signs, strict=True))


def _tabulate_sums(sizes: Sequence[int]) -> list[int]:
    sums = [0]
    for size in sizes:
        sums = [each - size for each in sums] + [each + size for each in sums]
    return sums * (256 // len(sums))
