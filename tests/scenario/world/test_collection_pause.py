"""Oracle runs pause Python's garbage collector and leave it as it was, and their work is linear in the events."""

from __future__ import annotations

import gc

import pytest
from work_counter import count_lines
from world_builders import build_world, build_world_event

from adk_agent_sim.scenario import World
from adk_agent_sim.scenario.world.collection_pause import pause_garbage_collection


def _build_chain(length: int) -> World:
    names = [f"e{number:04d}" for number in range(length)]
    events = [build_world_event(name, after=(before,)) for before, name in zip(["u", *names], names, strict=False)]
    return build_world(build_world_event("u", "USER", delay=0), *events, definition={"duration": length + 10.0})


def test_an_oracle_run_pauses_collections_and_resumes_them() -> None:
    seen: list[bool] = []
    world = _build_chain(3)

    world.run_oracle(lambda _done, _total: seen.append(gc.isenabled()))

    assert set(seen) == {False}
    assert gc.isenabled()


def test_a_pause_ends_with_an_error_and_inside_another_pause_changes_nothing() -> None:
    with pause_garbage_collection():
        with pytest.raises(ValueError, match="wrong"), pause_garbage_collection():
            raise ValueError("wrong")
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_work_of_an_oracle_run_is_linear_in_its_events() -> None:
    _build_chain(5).run_oracle()  # what is cached for all runs does not count
    few, many = (count_lines(_build_chain(length).run_oracle, 1_000_000) for length in (20, 200))

    assert many < 10 * few * 1.1
