"""The seeded random stream of an app."""

from __future__ import annotations

import subprocess
import sys

import pytest

from adk_agent_sim.scenario.app_base.time_and_random import WorldRandom


@pytest.mark.process
def test_ids_depend_on_seed_and_name_only_whatever_the_hash_seed() -> None:
    script = (
        "from adk_agent_sim.scenario.app_base.time_and_random import WorldRandom\n"
        "random = WorldRandom(7, 'Emails'); print(random.new_id(), random.next_float())"
    )
    environment = {"PYTHONPATH": ":".join(sys.path)}
    outputs = {
        subprocess.check_output([sys.executable, "-c", script], env=environment | {"PYTHONHASHSEED": seed}, text=True)
        for seed in ("0", "1", "random")
    }
    random = WorldRandom(7, "Emails")
    assert outputs == {f"{random.new_id()} {random.next_float()}\n"}
    others = {
        WorldRandom(8, "Emails").new_id(),
        WorldRandom(7, "Cabs").new_id(),
        WorldRandom(7, "Emails").new_id(),
        random.new_id(),
    }
    assert len(others) == 4


class _HighestRandom(WorldRandom):
    """Draws only the highest bits."""

    def _next_bytes(self) -> bytes:
        return b"\xff" * 16


def test_a_number_never_reaches_the_end_of_its_interval() -> None:
    random = _HighestRandom(0, "x")
    assert 0.999 < random.next_float() < 1
    assert 2.999 < random.uniform(2, 3) < 3
    assert random.uniform(5, 5) == 5


def test_a_stream_is_restored_by_its_draw_count() -> None:
    random = WorldRandom(0, "x")
    random.new_id()
    count = random.draw_count
    drawn = random.uniform(2, 3), random.new_id()
    random.draw_count = count
    assert drawn == (random.uniform(2, 3), random.new_id())
    assert 2 <= drawn[0] < 3
