"""Random delays have the requested distribution and are repeatable."""

from __future__ import annotations

import math
from statistics import fmean, median

from adk_agent_sim.environment.actions.delay import LogNormal
from adk_agent_sim.timeline.seeded_random import DrawKey, draw_uniform


def test_draws_are_evenly_distributed_and_depend_on_every_part_of_the_key() -> None:
    draws = [draw_uniform(7, "rule", "tool", number) for number in range(20_000)]

    assert all(0 <= draw < 1 for draw in draws)
    assert abs(fmean(draws) - 0.5) < 0.01
    for tenth in range(10):
        assert abs(sum(tenth / 10 <= draw < (tenth + 1) / 10 for draw in draws) - 2_000) < 200
    keys: list[tuple[DrawKey, ...]] = [("a", "b"), ("ab",), ("a,b",), ("b", "a"), ("a", "b", 1), ("a", "b", "1")]
    assert len({draw_uniform(seed, *key) for key in keys for seed in (1, 2)}) == 2 * len(keys)


def test_a_draw_is_the_same_on_every_machine() -> None:
    assert draw_uniform(42, "rule", 1) == 0.7044226990196547


def test_a_log_normal_delay_has_its_median_and_its_tail() -> None:
    delay = LogNormal(median=2.0, sigma=0.5, max=100.0)
    seconds = sorted(delay.sample_seconds(draw_uniform(1, number)) for number in range(20_000))

    assert abs(median(seconds) - 2.0) < 0.05
    assert abs(seconds[19_000] - 2.0 * math.exp(0.5 * 1.6449)) < 0.15
    assert LogNormal(median=2.0, sigma=5.0, max=3.0).sample_seconds(0.999) == 3.0
    assert delay.sample_seconds(0.0) == 0.0
