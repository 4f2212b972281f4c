"""The event that happens next, and whether it waits for the agent."""

from __future__ import annotations

from world_builders import START_TIME, build_reply_event, build_world, build_world_event, send_message_to_user

from adk_agent_sim.scenario import World
from adk_agent_sim.scenario.world.event_plan import WorldValidation


def _describe_next(world: World) -> tuple[str, float | None] | None:
    upcoming = world.find_upcoming_event()
    if upcoming is None:
        return None
    return upcoming.event_id, None if upcoming.time is None else upcoming.time - START_TIME


def test_the_next_event_waits_for_the_agents_message_until_it_is_sent() -> None:
    world = build_world(
        build_world_event("u", "USER", delay=0),
        build_reply_event("m", "u"),
        build_world_event("u2", "USER", ("m",), delay=4),
    )
    world.tick()

    assert _describe_next(world) == ("u2", None)
    world.advance(100)
    assert _describe_next(world) == ("u2", None)
    send_message_to_user(world)
    expected = _describe_next(world)
    event = world.step()
    assert event is not None
    assert expected == ("u2", event.time - START_TIME)
    assert _describe_next(world) is None


def test_looking_ahead_finds_what_follows_expected_actions_and_changes_nothing() -> None:
    world = build_world(
        build_world_event("u", "USER", delay=0),
        build_world_event("a", "AGENT", ("u",), delay=2),
        build_world_event("b", "AGENT", ("a",), delay=2),
        build_world_event("e", "ENV", ("b", "u"), delay=3),
        build_world_event("late", "ENV", ("u",), delay=50),
    )
    world.tick()
    before = world.snapshot()

    assert _describe_next(world) == ("e", 7)
    assert world.snapshot() == before
    event = world.step()
    assert event is not None
    assert (event.event_id, event.time) == ("e", START_TIME + 7)


def test_an_event_that_can_never_happen_is_not_announced() -> None:
    empty = build_world_event("empty", "ENV", ("a",), delay=None, at=START_TIME + 10) | {"action": None}
    lost = build_world_event("lost", "ENV", ("a", "nothing"), delay=None, at=START_TIME + 10)
    world = build_world(
        build_world_event("u", "USER", delay=0),
        build_world_event("a", "AGENT", ("u",), delay=2),
        empty,
        lost,
        build_world_event("e", "ENV", ("a",), delay=20),
    )
    world.tick()

    assert _describe_next(world) == ("e", 22)
    event = world.step()
    assert event is not None
    assert event.event_id == "e"


def test_events_after_the_end_do_not_happen_next() -> None:
    world = build_world(
        build_world_event("u", "USER", delay=0),
        build_world_event("late", "ENV", ("u",), delay=50),
        definition={"duration": 20},
    )
    world.tick()

    assert _describe_next(world) is None


def test_checks_of_a_validation_are_no_events_that_come() -> None:
    validation = WorldValidation(milestones={"never": lambda world: False}, timeout=60)
    world = build_world(
        build_world_event("u", "USER", delay=0),
        build_world_event("m", "ENV", ("u",), delay=2),
        build_world_event("y", "ENV", ("u",), delay=2),
        watches={"n": validation},
    )
    stepped: list[tuple[str, str]] = []
    while (event := world.step()) is not None:
        upcoming = world.find_upcoming_event()
        stepped.append((event.event_id, "" if upcoming is None else upcoming.event_id))
    assert stepped == [("u", "m"), ("m", "y"), ("y", "")]


def test_a_notification_of_an_event_that_fails_has_no_raw_placeholder() -> None:
    world = build_world(
        build_world_event("u", "USER", delay=0),
        build_world_event("a", "AGENT", ("u",)),
        build_world_event("e", "ENV", ("a",), "Emails__send_email_to_user_only", sender="{{a}}", subject="Lunch"),
    )
    world.tick()
    world.take_notifications()
    world.advance(10)

    (notification,) = world.take_notifications()
    assert [each.event_id for each in world.failed_events] == ["e"]
    assert notification.text.rstrip() == "EmailClientV2: New email received from"
