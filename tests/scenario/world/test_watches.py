"""Conditions hold events back, validations check the run."""

from __future__ import annotations

import pytest
from worlds import does, say, says, seen, world_of

from adk_agent_sim.scenario import World
from adk_agent_sim.scenario.world.watches import Condition, Question, Validation


def _mail(world: World) -> bool:
    return _inbox(world) == 1


def _said(world: World) -> bool:
    return world.turn >= 1


USER = does("u", "USER", delay=0)
WAITS = does("e", "ENV", ("c",), delay=2)


def _inbox(world: World) -> int:
    return len(world.state()["Emails"]["folders"]["INBOX"]["emails"])


def test_an_event_waits_for_a_condition() -> None:
    world = world_of(USER, does("mail", "ENV", ("u",), delay=10.5), WAITS, watches={"c": Condition(holds=_mail)})
    world.advance(30)
    assert seen(world) == [(0, "u"), (10.5, "mail"), (11, "c"), (13, "e")]


@pytest.mark.req("004/event-class-name")
def test_a_condition_of_the_file_begins_when_its_dependencies_are_over() -> None:
    condition = does("c", "ENV", ("u",), delay=5) | {
        "class_name": "ConditionCheckEvent",
        "event_type": "CONDITION",
        "action": None,
    }
    world = world_of(USER, condition, WAITS, watches={"c": Condition(holds=lambda world: True)})
    world.advance(30)
    assert seen(world) == [(0, "u"), (5, "c"), (7, "e")]


def test_a_condition_that_never_holds_is_given_up_and_said() -> None:
    world = world_of(USER, WAITS, watches={"c": Condition(holds=lambda world: False, every=2, timeout=9)})
    world.advance(30)
    assert seen(world) == [(0, "u"), (10, "c"), (12, "e")]
    assert [(each.event_id, each.why) for each in world.faults] == [("c", "it did not hold within 9 s")]


def test_a_condition_that_nobody_handed_in_holds_back_for_ever() -> None:
    condition = does("c", "ENV", ("u",)) | {"event_type": "CONDITION", "action": None}
    world = world_of(USER, condition, WAITS)
    result = world.run_oracle()
    assert [(each.event_id, each.why) for each in result.missing] == [
        ("c", "nobody handed in what it watches"),
        ("e", "it waits for 'c', which did not happen"),
    ]


def test_a_validation_succeeds_when_all_milestones_were_reached() -> None:
    milestones: dict[str, Question] = {"mail": _mail, "said": _said}
    world = world_of(USER, does("x", "ENV", ("u",), delay=5), says("m", "u"), does("u2", "USER", ("m",)),
                     watches={"v": Validation(milestones=milestones)})  # fmt: skip
    world.advance(10)
    say(world)
    world.advance(10)
    assert world.faults == []
    [found] = [each for each in world.happened() if each.kind == "VALIDATION"]
    assert found.value == "['mail', 'said']"


@pytest.mark.parametrize(
    ("validation", "why"),
    [
        (Validation(minefields={"mail": lambda world: _inbox(world) > 0}), "Minefield 'mail' was stepped on"),
        (Validation(milestones={"two": lambda world: _inbox(world) > 1}, timeout=20), "Not reached in time: two"),
        (Validation(milestones={"three": lambda world: _inbox(world) > 2}), "Not reached in time: three"),
    ],
)
def test_a_validation_fails_and_says_why(validation: Validation, why: str) -> None:
    world = world_of(
        USER, does("x", "ENV", ("u",), delay=5), does("y", "ENV", ("u",), delay=30), watches={"v": validation}
    )
    world.advance(100)
    world.stop()
    assert [(each.event_id, each.why) for each in world.faults] == [("v", why)]
