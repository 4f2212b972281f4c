"""Events that wait for the agent happen once the agent has ended its turn."""

from __future__ import annotations

from typing import Any

import pytest
from world_builders import build_reply_event, build_world, build_world_event, list_happened, send_message_to_user

from adk_agent_sim.scenario import World
from adk_agent_sim.scenario.world.event_queue import TurnVerdict

USER = build_world_event("u", "USER", delay=0)
TWO_TURNS = [
    USER,
    build_reply_event("m", "u"),
    build_world_event("u2", "USER", ("m",), delay=4),
    build_reply_event("m2", "u2"),
]
THREE_TURNS = [*TWO_TURNS, build_world_event("u3", "USER", ("m2",)), build_world_event("e3", "ENV", ("m2",), delay=3)]


def _tick_seconds(world: World, seconds: int) -> None:
    for _ in range(seconds):
        world.set_time(world.elapsed + 1)
        world.tick()


def _start_world(*events: dict[str, Any], **options: Any) -> World:
    world = build_world(*events, **options)
    world.tick()
    world.set_time(0.25)
    return world


@pytest.mark.req("004/event-agent", "004/event-dependencies", "004/event-env", "004/event-user")
def test_a_turn_ends_with_the_agents_message_and_delays_count_from_the_next_whole_second() -> None:
    world = _start_world(*THREE_TURNS)
    _tick_seconds(world, 4)
    send_message_to_user(world)
    _tick_seconds(world, 6)
    send_message_to_user(world)
    _tick_seconds(world, 6)
    message = "send_message_to_user"
    assert list_happened(world) == [(0, "u"), (4.25, message), (9, "u2"), (10.25, message), (12, "u3"), (14, "e3")]
    assert world.turn == 2
    assert [each.kind for each in world.event_log()] == ["USER", "AGENT", "USER", "AGENT", "USER", "ENV"]
    said = world.state()["AgentUserInterface"]["messages"]
    assert [each["content"] for each in said] == ["Please help.", "Hello.", "Please help.", "Hello.", "Please help."]
    (arrived,) = world.state()["Emails"]["folders"]["INBOX"]["emails"]
    assert arrived["sender"] == "a@example.com"


@pytest.mark.req("004/event-dependencies")
def test_without_a_message_the_next_turn_never_comes() -> None:
    world = _start_world(*THREE_TURNS)
    world.advance(500)
    assert list_happened(world) == [(0, "u")]


def test_two_messages_in_one_second_end_two_turns() -> None:
    """ARE looks for exactly so many messages, so its later turns would never come."""
    world = _start_world(*THREE_TURNS)
    _tick_seconds(world, 4)
    send_message_to_user(world)
    send_message_to_user(world)
    _tick_seconds(world, 5)
    assert [name for _, name in list_happened(world)][3:] == ["u3", "e3", "u2"]


def test_a_failed_message_ends_no_turn() -> None:
    world = _start_world(*TWO_TURNS)
    with pytest.raises(TypeError):
        world.call("AgentUserInterface", "send_message_to_user", {"content": 5})
    world.advance(60)
    assert world.turn == 0


@pytest.mark.req("004/event-dependencies")
def test_what_waits_for_another_expected_action_happens_when_that_is_due() -> None:
    """ARE refuses such scenarios; here an action that is only expected passes at its time."""
    world = _start_world(
        USER,
        build_world_event("a", after=("u",), delay=2),
        build_world_event("e", "ENV", ("a",), delay=5),
        build_reply_event("m", "a"),
    )
    world.advance(20)
    assert list_happened(world) == [(0, "u"), (7, "e")]


def test_an_absolute_time_that_is_past_when_the_turn_begins_is_made_up_for() -> None:
    late = build_world_event("z", "ENV", ("m",), delay=None, at=1003.5)
    world = _start_world(USER, build_reply_event("m", "u"), late, build_world_event("w", "ENV", ("z",), delay=2))
    _tick_seconds(world, 6)
    send_message_to_user(world)
    _tick_seconds(world, 1)
    assert sorted(list_happened(world)) == [(0, "u"), (3.5, "z"), (5.5, "w"), (6.25, "send_message_to_user")]
    assert [each.elapsed_seconds for each in world.take_notifications()] == [0, 7.25, 7.25]


def test_a_condition_is_asked_once_a_turn_and_can_stop_the_world() -> None:
    judged: list[tuple[int, float]] = []

    def judge(world: World, turn: int) -> bool:
        judged.append((turn, world.elapsed))
        return turn < 2

    world = _start_world(*THREE_TURNS, turn_condition=judge)
    send_message_to_user(world)
    _tick_seconds(world, 3)
    send_message_to_user(world)
    _tick_seconds(world, 3)
    assert judged == [(1, 1.25), (2, 4.25)]
    assert (world.status, world.turn) == ("STOPPED", 1)
    last = world.take_notifications()[-1]
    assert (last.kind, last.text) == ("ENVIRONMENT_STOP", "Environment stopped with state EnvironmentState.STOPPED")
    assert "u3" not in [name for _, name in list_happened(world)]


def test_what_a_judge_matched_carries_the_expected_events_id_and_is_found_by_placeholders() -> None:
    arrives = build_world_event(
        "e", "ENV", ("m",), "Emails__reply_to_email_from_user", sender="b@example.org", email_id="{{a}}"
    )
    events = [USER, build_world_event("a", after=("u",)), build_reply_event("m", "a"), arrives]

    def judge(world: World, turn: int) -> TurnVerdict:
        sent = next(each for each in world.event_log() if each.function == "send_email")
        return TurnVerdict(passed=True, matches={sent.event_id: "a"})

    def play(**options: Any) -> World:
        world = _start_world(*events, **options)
        world.call("Emails", "send_email", {"recipients": ["b@example.org"], "subject": "Hi"})
        send_message_to_user(world)
        _tick_seconds(world, 3)
        return world

    world = play(turn_condition=judge)
    assert [name for _, name in list_happened(world)] == ["u", "a", "send_message_to_user", "e"]
    assert world.failed_events == []
    assert [each.event_id for each in play().failed_events] == ["e"]


def test_in_steps_too_a_turn_ends_after_the_message() -> None:
    world = build_world(*TWO_TURNS)
    world.step()
    world.set_time(7.5)
    send_message_to_user(world)
    assert world.step() is not None
    assert list_happened(world) == [(0, "u"), (7.5, "send_message_to_user"), (12, "u2")]


def test_each_turn_ends_after_its_own_message_however_seldom_the_world_ticks() -> None:
    world = _start_world(*THREE_TURNS)
    for time in (4.25, 8.75):
        world.set_time(time)
        send_message_to_user(world)
    world.advance(10)
    assert list_happened(world)[3:] == [(9, "u2"), (10, "u3"), (12, "e3")]


def test_a_message_on_a_whole_second_is_seen_by_the_check_of_that_second() -> None:
    world = _start_world(*TWO_TURNS)
    world.set_time(5)
    send_message_to_user(world)
    world.advance(10)
    assert list_happened(world)[-1] == (9, "u2")
