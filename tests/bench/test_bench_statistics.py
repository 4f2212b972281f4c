"""Rates, pass@k, pass^k and paired tests, against tables that were computed by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.bench.statistics import (
    MCNEMAR,
    SAMPLED_SIGN_FLIP,
    SIGN_FLIP,
    adjust_by_holm,
    compare_pairs,
    compute_mcnemar_p_value,
    compute_sign_flip_p_value,
    estimate_pass_at_k,
    estimate_pass_hat_k,
    estimate_success_rate,
)

_COUNTS = st.integers(1, 12).flatmap(lambda total: st.tuples(st.just(total), st.integers(0, total)))


@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    [
        # With z = 1.96 and z^2 = 3.8415: (p + z^2/2n ± z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n).
        (0, 10, 0.0, 0.2775),  # 3.8415 / 13.8415
        (10, 10, 0.7225, 1.0),  # 10 / 13.8415
        (5, 10, 0.2366, 0.7634),  # 0.5 ± 1.96 sqrt(0.025 + 0.0096) / 1.3841
        (8, 10, 0.4902, 0.9433),
        (1, 2, 0.0945, 0.9055),
        (81, 263, 0.2553, 0.3662),  # Newcombe (1998), table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_are_those_of_the_table(passed: int, total: int, low: float, high: float) -> None:
    rate = estimate_success_rate(passed, total)

    assert rate.value == passed / total
    assert (round(rate.low, 4), round(rate.high, 4)) == (low, high)


def test_nothing_is_known_about_a_rate_without_runs() -> None:
    rate = estimate_success_rate(0, 0)

    assert (rate.value, rate.low, rate.high) == (None, 0.0, 1.0)


@given(_COUNTS)
def test_an_interval_contains_its_rate_and_is_symmetric(counts: tuple[int, int]) -> None:
    total, passed = counts
    rate, mirrored = estimate_success_rate(passed, total), estimate_success_rate(total - passed, total)

    assert 0 <= rate.low <= passed / total <= rate.high <= 1
    assert rate.low < rate.high
    assert rate.low == pytest.approx(1 - mirrored.high)
    assert estimate_success_rate(passed * 10, total * 10).low > rate.low or passed == 0


@pytest.mark.parametrize(
    ("total", "passed", "k", "any_passes", "all_pass"),
    [
        # The subsets of two of four runs: {1,2} {1,3} {1,4} {2,3} {2,4} {3,4}.
        (4, 0, 2, 0.0, 0.0),
        (4, 1, 2, 3 / 6, 0.0),
        (4, 2, 2, 5 / 6, 1 / 6),
        (4, 3, 2, 1.0, 3 / 6),
        (4, 4, 2, 1.0, 1.0),
        (3, 2, 1, 2 / 3, 2 / 3),
        (3, 2, 3, 1.0, 0.0),
        (5, 3, 3, 1.0, 1 / 10),
        (5, 2, 3, 9 / 10, 0.0),
        (8, 6, 4, 1.0, 15 / 70),
    ],
)
def test_pass_at_k_and_pass_hat_k_are_shares_of_subsets(
    total: int, passed: int, k: int, any_passes: float, all_pass: float
) -> None:
    assert estimate_pass_at_k(total, passed, k) == pytest.approx(any_passes)
    assert estimate_pass_hat_k(total, passed, k) == pytest.approx(all_pass)


@given(_COUNTS.filter(lambda counts: counts[0] <= 7), st.data())
def test_pass_at_k_counts_subsets(counts: tuple[int, int], data: st.DataObject) -> None:
    total, passed = counts
    k = data.draw(st.integers(1, total))
    subsets = list(combinations([index < passed for index in range(total)], k))

    at, hat = estimate_pass_at_k(total, passed, k), estimate_pass_hat_k(total, passed, k)

    assert at == pytest.approx(sum(map(any, subsets)) / len(subsets))
    assert hat == pytest.approx(sum(map(all, subsets)) / len(subsets))
    assert hat <= passed / total + 1e-12
    assert passed / total <= at + 1e-12
    # All of k fail where none of them passes.
    assert at == pytest.approx(1 - estimate_pass_hat_k(total, total - passed, k))


@pytest.mark.parametrize("k", [0, 4])
def test_k_must_not_exceed_the_number_of_runs(k: int) -> None:
    with pytest.raises(ValueError, match="between 1 and the number of runs, which is 3"):
        estimate_pass_at_k(3, 1, k)


@pytest.mark.parametrize(
    ("better", "worse", "p_value"),
    [
        # Twice the lower tail of Binomial(better + worse, 1/2).
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 0, 2 / 32),
        (6, 0, 2 / 64),
        (0, 6, 2 / 64),
        (8, 2, 2 * (1 + 10 + 45) / 1024),
        (9, 1, 2 * (1 + 10) / 1024),
        (3, 3, 1.0),
        (10, 4, 2 * (1 + 14 + 91 + 364 + 1001) / 16384),
    ],
)
def test_mcnemar_is_the_exact_binomial_test(better: int, worse: int, p_value: float) -> None:
    assert compute_mcnemar_p_value(better, worse) == pytest.approx(p_value)


def test_one_run_per_scenario_is_compared_by_mcnemar() -> None:
    before = [(0, 1)] * 9 + [(1, 1)] * 4
    after = [(1, 1)] * 8 + [(0, 1)] + [(1, 1)] * 2 + [(0, 1)] * 2

    test = compare_pairs(before, after)

    assert (test.name, test.pairs) == (MCNEMAR, 13)
    assert test.p_value == pytest.approx(2 * (1 + 10 + 45) / 1024)  # 8 better, 2 worse


def test_several_runs_per_scenario_are_compared_by_a_permutation_test() -> None:
    # Differences of 1/3, 2/3, 1 and -1/3, whose sum is 5/3. Of the 16 sums of ±1 ±2 ±3 ±1, these are at least 5 away
    # from zero: ±(1+2+3+1), ±(1+2+3-1), ±(-1+2+3+1).
    before = [(1, 3), (0, 3), (0, 3), (2, 3), (2, 3)]
    after = [(2, 3), (2, 3), (3, 3), (1, 3), (2, 3)]

    test = compare_pairs(before, after)

    assert (test.name, test.pairs) == (SIGN_FLIP, 5)
    assert test.p_value == pytest.approx(6 / 16)


def test_benches_with_different_numbers_of_runs_are_compared() -> None:
    # 1/2 - 1/3 = 1/6 and 1 - 0 = 1: the sums ±1 ±6, of which half are 7 away from zero.
    test = compare_pairs([(1, 3), (0, 3)], [(1, 2), (2, 2)])

    assert (test.name, test.p_value) == (SIGN_FLIP, 0.5)


@given(st.lists(st.tuples(st.integers(-3, 3), st.sampled_from([3, 4])), max_size=7))
def test_the_permutation_test_counts_all_assignments_of_signs(values: list[tuple[int, int]]) -> None:
    differences = [Fraction(*each) for each in values]
    observed = abs(sum(differences))
    sums = [
        sum(sign * each for sign, each in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]

    name, p_value = compute_sign_flip_p_value(differences)

    assert name == SIGN_FLIP
    assert p_value == pytest.approx(sum(abs(each) >= observed for each in sums) / len(sums))
    assert compute_sign_flip_p_value([-each for each in differences]) == (name, p_value)


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_permutation_test_equals_mcnemar_where_both_apply(better: int, worse: int) -> None:
    differences = [Fraction(1)] * better + [Fraction(-1)] * worse

    assert compute_sign_flip_p_value(differences)[1] == pytest.approx(compute_mcnemar_p_value(better, worse))


def test_a_comparison_too_large_to_count_is_sampled_the_same_way_each_time() -> None:
    # Large numerators of a prime denominator: the sums have too many values to count.
    differences = [Fraction(each**4 - 17_000_000, 1_000_003) for each in range(100)]
    # A sum of many terms with random signs is nearly normal.
    deviation = abs(sum(differences)) / math.sqrt(sum(each**2 for each in differences))

    name, p_value = compute_sign_flip_p_value(differences)

    assert name == SAMPLED_SIGN_FLIP
    assert compute_sign_flip_p_value(differences) == (name, p_value)
    assert p_value == pytest.approx(math.erfc(deviation / math.sqrt(2)), abs=0.02)
    assert 0.01 < p_value < 0.99


def test_a_sampled_p_value_is_never_zero() -> None:
    name, p_value = compute_sign_flip_p_value([Fraction(10_000_000 + each, 1_000_003) for each in range(100)])

    assert (name, p_value) == (SAMPLED_SIGN_FLIP, 1 / 10_001)


def test_a_large_comparison_is_exact() -> None:
    before, after = [(1, 3)] * 833, [(2, 3)] * 430 + [(0, 3)] * 403

    test = compare_pairs(before, after)

    assert test.name == SIGN_FLIP
    assert test.p_value == pytest.approx(compute_mcnemar_p_value(430, 403))


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([], []),
        ([0.03], [0.03]),
        # 0.01 * 3, 0.02 * 2, and never less than the one before.
        ([0.04, 0.01, 0.02], [0.04, 0.03, 0.04]),
        ([0.5, 0.6], [1.0, 1.0]),
    ],
)
def test_holm_adjusts_for_the_number_of_tests(p_values: list[float], adjusted: list[float]) -> None:
    assert adjust_by_holm(p_values) == pytest.approx(adjusted)
