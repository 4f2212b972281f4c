"""A world can be restored to any event."""

from __future__ import annotations

import json

import pytest
from scenario_corpus import load_scenarios
from state_changes import StateChange, diff_values
from world_builders import build_reply_event, build_world, build_world_event, list_happened

from adk_agent_sim.scenario import JsonScenarioImporter, World
from adk_agent_sim.scenario.world.event_plan import WorldValidation
from adk_agent_sim.scenario.world.noise import Noise

EVENTS = [
    build_world_event("u", "USER", delay=0),
    build_world_event("e1", "ENV", ("u",), delay=3),
    build_world_event("e2", "ENV", ("u",), delay=3),
    build_world_event("e3", "ENV", ("e1",), delay=4),
    build_reply_event("m", "u"),
    build_world_event("u2", "USER", ("m",), delay=2),
]


def _bytes(world: World) -> str:
    return json.dumps([world.elapsed, world.state(), [each.model_dump() for each in world.export_completed_events()]])


def _play_to_end(world: World) -> str:
    """Play to the end, the same way each time, and return everything observable."""
    if world.turn == 0:
        world.try_call("AgentUserInterface", "send_message_to_user", {"content": "Hello."})
    world.try_call("Emails", "send_email", {"recipients": ["a@example.org"], "subject": "x"})
    world.advance(60)
    notifications = [(each.elapsed_seconds, each.text) for each in world.take_notifications()]
    return _bytes(world) + json.dumps(notifications) + str(world.failed_events)


def test_from_every_event_the_run_can_be_run_again() -> None:
    noise = Noise(failure_probability=0.5, events_per_minute=20)
    world = build_world(
        *EVENTS, noise=noise, watches={"v": WorldValidation(milestones={"m": lambda world: world.turn == 1})}
    )
    while True:
        snapshot = world.snapshot()
        first = _play_to_end(world)
        world.restore(snapshot)
        assert list(diff_values(world.state(), snapshot.app_states)) == []
        assert _play_to_end(world) == first
        world.restore(snapshot)
        if world.step() is None:
            break
    assert len(list_happened(world)) > len(EVENTS) - 2


def test_a_snapshot_of_an_oracle_world_can_be_restored() -> None:
    world = build_world(*EVENTS)
    start = world.snapshot()
    first = (world.run_oracle().completed, _bytes(world))
    world.restore(start)
    assert world.run_oracle().is_ok
    assert _bytes(world) == first[1]


@pytest.mark.parametrize("scenario_id", load_scenarios())
def test_every_app_of_the_corpus_can_be_restored(scenario_id: str) -> None:
    scenario, _, _ = JsonScenarioImporter().import_from_json(json_str=json.dumps(load_scenarios()[scenario_id]))
    world = World(scenario)
    start = world.snapshot()
    world.run_oracle()
    end = _bytes(world)
    world.restore(start)
    assert json.dumps(world.state()) == json.dumps(dict(start.app_states))
    world.run_oracle()
    assert _bytes(world) == end


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 1.0}, [StateChange(path=("a",), op="replace", old=1, new=1.0)]),
        ({"a": 1}, {"b": 2}, [StateChange(path=("a",), op="remove", old=1), StateChange(path=("b",), op="add", new=2)]),
        ([1, 2, 3], [1, 3], [StateChange(path=(1,), op="remove", old=2)]),
        ([1, 3], [1, 2, 3], [StateChange(path=(1,), op="add", new=2)]),
        ([{"a": 1}, 2], [{"a": 5}, 2], [StateChange(path=(0, "a"), op="replace", old=1, new=5)]),
        ([{"a": 1}], [{"a": True}], [StateChange(path=(0, "a"), op="replace", old=1, new=True)]),
        ([1], {"0": 1}, [StateChange(path=(), op="replace", old=[1], new={"0": 1})]),
    ],
)
def test_changes_of_json_values(old: object, new: object, expected: list[StateChange]) -> None:
    assert list(diff_values(old, new)) == expected
