"""When events happen and in which order; the cases were observed in ARE."""

from __future__ import annotations

from typing import Any

import pytest
from world_builders import build_reply_event, build_world, build_world_event, list_happened, send_message_to_user

USER = build_world_event("u", "USER", delay=0)


def _order(*events: dict[str, object], **definition: object) -> list[tuple[float, str]]:
    world = build_world(USER, *events, definition=definition)
    world.run_oracle()
    return list_happened(world)


@pytest.mark.req("004/event-action", "004/action-target")
def test_an_event_calls_the_function_of_its_app_with_its_arguments_when_it_fires() -> None:
    note: dict[str, Any] = {"sender": "ada@example.org", "subject": "Tea", "content": "At five."}
    world = build_world(
        USER, build_world_event("e", "ENV", ("u",), "Emails__send_email_to_user_only", delay=10, **note)
    )
    world.advance(9.5)
    before = world.state()
    assert before["Emails"]["folders"]["INBOX"]["emails"] == []
    world.advance(1)
    (arrived,) = world.state()["Emails"]["folders"]["INBOX"]["emails"]
    assert {name: arrived[name] for name in note} == note
    changed = [name for name, state in world.state().items() if state != before[name]]
    assert changed == ["Emails"]


@pytest.mark.req("004/event-relative-time", "004/event-dependencies")
def test_a_delay_counts_from_the_last_event_it_waits_for() -> None:
    events = [
        build_world_event("a", after=("u",), delay=5),
        build_world_event("b", after=("u",), delay=9),
        build_world_event("c", after=("a", "b"), delay=2),
    ]
    assert _order(*events) == [(0, "u"), (5, "a"), (9, "b"), (11, "c")]


@pytest.mark.req("004/event-time", "004/event-dependencies")
def test_an_absolute_time_waits_for_the_first_event_only() -> None:
    events = [build_world_event("a", after=("u",), delay=5), build_world_event("b", after=("u",), delay=9)]
    late = build_world_event("c", after=("a", "b"), delay=None, at=1007)
    assert _order(*events, late) == [(0, "u"), (5, "a"), (7, "c"), (9, "b")]


@pytest.mark.req("004/event-time")
def test_a_delay_counts_where_both_times_are_given() -> None:
    assert _order(build_world_event("a", after=("u",), delay=5, at=1100)) == [(0, "u"), (5, "a")]


@pytest.mark.req("004/event-dependencies")
def test_at_one_time_ids_decide_and_what_became_due_comes_after_what_was() -> None:
    events = [build_world_event(name, after=("u",), delay=0) for name in ("b", "a")]
    events += [build_world_event("0", after=("b",), delay=0), build_world_event("c", after=("a",), delay=0)]
    assert [name for _, name in _order(*events)] == ["u", "a", "b", "0", "c"]


@pytest.mark.req("004/event-dependencies")
def test_an_event_is_scheduled_once_all_its_dependencies_have_a_time() -> None:
    """Because its id decides, it can come before one of them at the same time."""
    events = [build_world_event("a", after=("u",), delay=5), build_world_event("b", after=("u",), delay=9)]
    assert _order(*events, build_world_event("a0", after=("a", "b"), delay=0)) == [
        (0, "u"),
        (5, "a"),
        (9, "a0"),
        (9, "b"),
    ]


def test_an_event_whose_dependency_has_no_time_yet_waits() -> None:
    events = [
        build_world_event("a", after=("u",), delay=5),
        build_world_event("x", after=("u",), delay=7),
        build_world_event("b", after=("x",), delay=2),
    ]
    found = _order(*events, build_world_event("a0", after=("a", "b"), delay=0))
    assert found == [(0, "u"), (5, "a"), (7, "x"), (9, "b"), (9, "a0")]


@pytest.mark.req("004/duration")
def test_nothing_happens_after_the_end() -> None:
    events = [build_world_event("a", after=("u",), delay=600), build_world_event("b", after=("u",), delay=600.5)]
    world = build_world(USER, *events, definition={"duration": 600})
    result = world.run_oracle()
    assert list_happened(world) == [(0, "u"), (600, "a")]
    assert [(each.event_id, each.why) for each in result.missing] == [("b", "it is due 0.5 s after the scenario's end")]


def test_a_scenario_without_duration_has_no_end() -> None:
    assert _order(build_world_event("a", after=("u",), delay=10**6), duration=None)[-1] == (10**6, "a")


@pytest.mark.req("004/time")
def test_the_clock_starts_at_the_start_time_and_jumps() -> None:
    world = build_world(USER, build_world_event("a", after=("u",), call="SystemApp__get_current_time", delay=500))
    world.run_oracle()
    assert world.export_completed_events()[-1].event_time == 1500
    assert "'current_timestamp': 1500.0" in (world.event_log()[-1].value or "")


@pytest.mark.req("004/time")
@pytest.mark.parametrize(("increment", "seen_at"), [(None, 8), (1, 8), (5, 10), (60, 60)])
def test_the_end_of_a_turn_is_noticed_at_the_next_time_increment(increment: int | None, seen_at: float) -> None:
    events = [USER, build_reply_event("m", "u"), build_world_event("u2", "USER", ("m",), delay=4)]
    world = build_world(*events, definition={"time_increment_in_seconds": increment})
    world.tick()
    world.set_time(7.5)
    send_message_to_user(world)
    world.advance(100)
    assert list_happened(world)[-1] == (seen_at + 4, "u2")


def test_two_events_of_one_time_are_listed_as_the_heap_holds_them() -> None:
    """ARE lists its log by a stable sort of a heap on the time alone."""
    world = build_world(
        USER, *[build_world_event(f"e{number}", after=("u",), delay=(number * 7) % 3) for number in range(9)]
    )
    world.run_oracle()
    assert [name for _, name in list_happened(world)] == ["u", "e0", "e3", "e6", "e1", "e4", "e7", "e2", "e5", "e8"]
