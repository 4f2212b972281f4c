"""A world can be put back to any event, and two moments can be compared."""

from __future__ import annotations

import json

import pytest
from scenario_corpus import scenarios
from worlds import does, says, seen, world_of

from adk_agent_sim.scenario import JsonScenarioImporter, World
from adk_agent_sim.scenario.world.noise import Noise
from adk_agent_sim.scenario.world.snapshot import Change, changes
from adk_agent_sim.scenario.world.watches import Validation

EVENTS = [
    does("u", "USER", delay=0),
    does("e1", "ENV", ("u",), delay=3),
    does("e2", "ENV", ("u",), delay=3),
    does("e3", "ENV", ("e1",), delay=4),
    says("m", "u"),
    does("u2", "USER", ("m",), delay=2),
]


def _bytes(world: World) -> str:
    return json.dumps([world.elapsed, world.state(), [each.model_dump() for each in world.completed_events()]])


def _played(world: World) -> str:
    """Play on to the end, the same way each time."""
    if world.turn == 0:
        world.attempt("AgentUserInterface", "send_message_to_user", {"content": "Hello."})
    world.attempt("Emails", "send_email", {"recipients": ["a@example.org"], "subject": "x"})
    world.advance(60)
    told = [(each.t, each.text) for each in world.notifications()]
    return _bytes(world) + json.dumps(told) + str(world.faults)


def test_from_every_event_the_run_can_be_run_again() -> None:
    noise = Noise(failure_probability=0.5, events_per_minute=20)
    world = world_of(*EVENTS, noise=noise, watches={"v": Validation(milestones={"m": lambda world: world.turn == 1})})
    while True:
        snapshot = world.snapshot()
        first = _played(world)
        world.restore(snapshot)
        assert world.snapshot().diff(snapshot) == []
        assert _played(world) == first
        world.restore(snapshot)
        if world.step() is None:
            break
    assert len(seen(world)) > len(EVENTS) - 2


def test_a_snapshot_of_an_oracle_world_can_be_put_back() -> None:
    world = world_of(*EVENTS)
    start = world.snapshot()
    first = (world.run_oracle().completed, _bytes(world))
    world.restore(start)
    assert world.run_oracle().ok
    assert _bytes(world) == first[1]


@pytest.mark.parametrize("scenario_id", scenarios())
def test_every_app_of_the_corpus_can_be_put_back(scenario_id: str) -> None:
    scenario, _, _ = JsonScenarioImporter().import_from_json(json_str=json.dumps(scenarios()[scenario_id]))
    world = World(scenario)
    start = world.snapshot()
    world.run_oracle()
    end = _bytes(world)
    world.restore(start)
    assert json.dumps(world.state()) == json.dumps(dict(start.apps))
    world.run_oracle()
    assert _bytes(world) == end


def test_a_diff_names_what_changed() -> None:
    world = world_of(*EVENTS)
    before = world.snapshot()
    world.call("Emails", "send_email", {"recipients": ["a@example.org"], "subject": "x"})
    [change] = before.diff(world.snapshot())
    assert (change.path, change.op) == (("Emails", "folders", "SENT", "emails", 0), "add")
    assert str(change).startswith("+ Emails.folders.SENT.emails.0: {'sender': 'me@example.org'")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 1.0}, [Change(path=("a",), op="replace", old=1, new=1.0)]),
        ({"a": 1}, {"b": 2}, [Change(path=("a",), op="remove", old=1), Change(path=("b",), op="add", new=2)]),
        ([1, 2, 3], [1, 3], [Change(path=(1,), op="remove", old=2)]),
        ([1, 3], [1, 2, 3], [Change(path=(1,), op="add", new=2)]),
        ([{"a": 1}, 2], [{"a": 5}, 2], [Change(path=(0, "a"), op="replace", old=1, new=5)]),
        ([1], {"0": 1}, [Change(path=(), op="replace", old=[1], new={"0": 1})]),
    ],
)
def test_changes_of_json_values(old: object, new: object, expected: list[Change]) -> None:
    assert list(changes(old, new)) == expected
