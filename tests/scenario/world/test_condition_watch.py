"""Conditions delay events, validations check the run."""

from __future__ import annotations

import pytest
from world_builders import (
    START_TIME,
    build_reply_event,
    build_world,
    build_world_event,
    list_happened,
    send_message_to_user,
)

from adk_agent_sim.scenario import World
from adk_agent_sim.scenario.world.event_plan import WorldCondition, WorldPredicate, WorldValidation


def _mail(world: World) -> bool:
    return _inbox(world) == 1


def _has_spoken(world: World) -> bool:
    return world.turn >= 1


USER = build_world_event("u", "USER", delay=0)
WAITS = build_world_event("e", "ENV", ("c",), delay=2)


def _inbox(world: World) -> int:
    return len(world.state()["Emails"]["folders"]["INBOX"]["emails"])


def test_an_event_waits_for_a_condition() -> None:
    world = build_world(
        USER,
        build_world_event("mail", "ENV", ("u",), delay=10.5),
        WAITS,
        watches={"c": WorldCondition(predicate=_mail)},
    )
    world.advance(30)
    assert list_happened(world) == [(0, "u"), (10.5, "mail"), (11, "c"), (13, "e")]


@pytest.mark.parametrize(
    ("limit", "checks", "completed"),
    [(2, [0, 0, 1, 1, 2, 2], 2), (0, [0, 0, 1], 0)],
    ids=["it does not hold then", "it holds then"],
)
def test_a_condition_is_checked_again_when_an_event_that_it_depends_on_has_happened(
    limit: float, checks: list[float], completed: float
) -> None:
    """The condition is due with the second of its events, by its id before it."""
    checked: list[float] = []

    def is_late(world: World) -> bool:
        checked.append(world.elapsed)
        return world.elapsed >= limit and any(each.event_id == "x" for each in world.event_log())

    condition = build_world_event("c", "ENV", ("u", "x"), delay=0) | {
        "class_name": "ConditionCheckEvent",
        "event_type": "CONDITION",
        "action": None,
    }
    other = build_world_event("x", "ENV", ("u",), delay=0)
    world = build_world(USER, other, condition, watches={"c": WorldCondition(predicate=is_late)})
    world.run_oracle()
    assert checked == checks
    assert [each.time - START_TIME for each in world.event_log() if each.event_id == "c"] == [completed]


@pytest.mark.req("004/event-class-name")
@pytest.mark.parametrize("class_name", ["ConditionCheckEvent", "Event"])
def test_a_condition_of_the_file_begins_when_its_dependencies_are_over(class_name: str) -> None:
    condition = build_world_event("c", "ENV", ("u",), delay=5) | {
        "class_name": class_name,
        "event_type": "CONDITION",
        "action": None,
    }
    world = build_world(USER, condition, WAITS, watches={"c": WorldCondition(predicate=lambda world: True)})
    world.advance(30)
    assert list_happened(world) == [(0, "u"), (5, "c"), (7, "e")]


@pytest.mark.req("004/event-dependencies")
def test_a_condition_that_is_never_fulfilled_times_out_and_is_recorded() -> None:
    world = build_world(
        USER, WAITS, watches={"c": WorldCondition(predicate=lambda world: False, interval=2, timeout=9)}
    )
    world.advance(30)
    assert list_happened(world) == [(0, "u"), (10, "c"), (12, "e")]
    assert [(each.event_id, each.why) for each in world.failed_events] == [
        ("c", "the condition was not fulfilled within 9 s")
    ]


@pytest.mark.req("004/event-class-name", "004/self-contained")
def test_a_condition_that_was_not_passed_in_blocks_its_dependents() -> None:
    condition = build_world_event("c", "ENV", ("u",)) | {"event_type": "CONDITION", "action": None}
    world = build_world(USER, condition, WAITS)
    result = world.run_oracle()
    assert [(each.event_id, each.why) for each in result.missing] == [
        ("c", "no condition or validation was passed to World for it"),
        ("e", "it depends on 'c', which did not happen"),
    ]


def test_a_validation_succeeds_when_all_milestones_were_reached() -> None:
    milestones: dict[str, WorldPredicate] = {"mail": _mail, "said": _has_spoken}
    world = build_world(
        USER,
        build_world_event("x", "ENV", ("u",), delay=5),
        build_reply_event("m", "u"),
        build_world_event("u2", "USER", ("m",)),
        watches={"v": WorldValidation(milestones=milestones)},
    )
    world.advance(10)
    send_message_to_user(world)
    world.advance(10)
    assert world.failed_events == []
    [found] = [each for each in world.event_log() if each.kind == "VALIDATION"]
    assert found.value == "['mail', 'said']"


@pytest.mark.parametrize(("timeout", "failed"), [(5, ["v"]), (6, ["v"]), (6.5, []), (7, [])])
def test_a_validation_is_checked_at_once_and_then_every_second_of_its_time_limit(
    timeout: float, failed: list[str]
) -> None:
    """The second mail comes after the check of its second, because of the ids."""
    world = build_world(
        USER,
        build_world_event("x", "ENV", ("u",), delay=4),
        build_world_event("y", "ENV", ("x",), delay=1),
        watches={"v": WorldValidation(milestones={"two": lambda world: _inbox(world) > 1}, timeout=timeout)},
    )
    world.run_oracle()
    assert [each.event_id for each in world.failed_events] == failed


@pytest.mark.parametrize(("name", "time"), [("a", 2), ("z", 1)], ids=["before the event", "after the event"])
def test_the_id_of_a_validation_decides_what_its_checks_see(name: str, time: float) -> None:
    validation = WorldValidation(milestones={"mail": _mail})
    mail = build_world_event("m", "ENV", ("u",), delay=1)
    world = build_world(USER, mail, build_world_event("n", "ENV", ("m",), delay=3), watches={name: validation})
    world.run_oracle()
    assert [each.time - START_TIME for each in world.event_log() if each.kind == "VALIDATION"] == [time]


@pytest.mark.parametrize(("timeout", "failed"), [(5, []), (7, ["v"])], ids=["in time", "too late"])
def test_minefields_are_watched_until_the_time_is_over_when_all_milestones_are_reached(
    timeout: float, failed: list[str]
) -> None:
    validation = WorldValidation(
        milestones={"one": lambda world: _inbox(world) > 0},
        minefields={"two": lambda world: _inbox(world) > 1},
        timeout=timeout,
    )
    first = build_world_event("m", "ENV", ("u",), delay=0)
    world = build_world(USER, first, build_world_event("n", "ENV", ("m",), delay=5), watches={"v": validation})
    world.run_oracle()
    assert [each.event_id for each in world.failed_events] == failed


def test_the_checks_of_a_time_in_which_nothing_happens_evaluate_nothing() -> None:
    evaluated: list[float] = []

    def is_never(world: World) -> bool:
        evaluated.append(world.elapsed)
        return False

    world = build_world(
        USER,
        build_world_event("x", "ENV", ("u",), delay=86_400),
        definition={"duration": None},
        watches={"v": WorldValidation(milestones={"never": is_never}, timeout=1_000_000)},
    )
    world.run_oracle()
    assert evaluated == [0, 86_400, 86_400]


@pytest.mark.parametrize(
    ("validation", "why"),
    [
        (WorldValidation(minefields={"mail": lambda world: _inbox(world) > 0}), "Minefield 'mail' was triggered"),
        (
            WorldValidation(milestones={"two": lambda world: _inbox(world) > 1}, timeout=20),
            "Milestones not reached in time: two",
        ),
        (
            WorldValidation(milestones={"three": lambda world: _inbox(world) > 2}),
            "Milestones not reached in time: three",
        ),
    ],
)
def test_a_validation_fails_and_says_why(validation: WorldValidation, why: str) -> None:
    world = build_world(
        USER,
        build_world_event("x", "ENV", ("u",), delay=5),
        build_world_event("y", "ENV", ("u",), delay=30),
        watches={"v": validation},
    )
    world.advance(100)
    world.stop()
    assert [(each.event_id, each.why) for each in world.failed_events] == [("v", why)]
