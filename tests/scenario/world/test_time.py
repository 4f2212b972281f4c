"""Time in a world: it jumps, it can be paused, and a wait ends with a notification."""

from __future__ import annotations

import pytest
from world_builders import build_reply_event, build_world, build_world_event, list_happened, send_message_to_user

from adk_agent_sim.errors import InvalidTransition

USER = build_world_event("u", "USER", delay=0)
MAILS = [
    USER,
    build_world_event("e1", "ENV", ("u",), delay=10),
    build_world_event("e2", "ENV", ("e1",), delay=10.5),
    build_reply_event("m", "u", delay=90),
]


def test_before_the_first_tick_nothing_happens_and_a_wait_ends_at_once() -> None:
    world = build_world(*MAILS)
    world.set_time(50)
    world.call("SystemApp", "wait_for_notification", {"timeout": 30})
    assert (world.elapsed, world.take_notifications(), list_happened(world)) == (
        50,
        [],
        [(50, "wait_for_notification")],
    )


def test_a_wait_jumps_to_the_next_notification() -> None:
    world = build_world(*MAILS)
    world.tick()
    world.take_notifications()
    world.call("SystemApp", "wait_for_notification", {"timeout": 300})
    assert (world.elapsed, [each.elapsed_seconds for each in world.take_notifications()]) == (10, [10])
    assert list_happened(world) == [(0, "u"), (0, "wait_for_notification"), (10, "e1")]


def test_a_wait_ends_at_once_while_a_notification_is_pending() -> None:
    world = build_world(*MAILS)
    world.tick()
    world.set_time(3)
    world.call("SystemApp", "wait_for_notification", {"timeout": 300})
    assert (world.elapsed, len(world.take_notifications())) == (3, 1)


def test_a_wait_that_times_out_adds_a_notification() -> None:
    world = build_world(USER)
    world.tick()
    world.take_notifications()
    world.call("SystemApp", "wait_for_notification", {"timeout": 45})
    assert [(each.elapsed_seconds, each.text) for each in world.take_notifications()] == [
        (45, "SystemApp: Wait for notification timeout reached after 45 seconds")
    ]


@pytest.mark.req("004/duration")
def test_a_wait_does_not_outlast_the_scenario() -> None:
    world = build_world(USER, definition={"duration": 100})
    world.tick()
    world.take_notifications()
    world.call("SystemApp", "wait_for_notification", {"timeout": 10**9})
    assert (world.status, world.elapsed) == ("STOPPED", 100)
    assert [each.kind for each in world.take_notifications()] == ["ENVIRONMENT_STOP"]


def test_the_level_decides_which_notifications_are_delivered() -> None:
    delivered: dict[str, list[str]] = {}
    for level in ("LOW", "MEDIUM", "HIGH"):
        world = build_world(*MAILS, notifications=level)
        world.advance(60)
        delivered[level] = [each.kind for each in world.take_notifications()]
    mail = "ENVIRONMENT_NOTIFICATION"
    assert delivered == {
        "LOW": ["USER_MESSAGE"],
        "MEDIUM": ["USER_MESSAGE", mail, mail],
        "HIGH": ["USER_MESSAGE", mail, mail],
    }


def test_steps_go_event_by_event() -> None:
    world = build_world(*MAILS)
    steps: list[tuple[str, float]] = []
    while (event := world.step()) is not None:
        steps.append((event.event_id, world.elapsed))
    assert steps == [("u", 0), ("e1", 10), ("e2", 20.5)]
    assert world.elapsed == 20.5


def test_steps_and_ticks_end_in_the_same_world() -> None:
    stepped, ticked = build_world(*MAILS), build_world(*MAILS)
    while stepped.step() is not None:
        pass
    ticked.advance(20.5)
    assert stepped.state() == ticked.state()
    assert stepped.export_completed_events() == ticked.export_completed_events()


def test_a_paused_world_holds_its_time_and_goes_on_with_what_the_model_took() -> None:
    world = build_world(*MAILS)
    world.tick()
    world.pause()
    for act in (world.tick, world.step):
        with pytest.raises(InvalidTransition, match=r"paused. Call resume\(\) first"):
            act()
    world.resume(12)
    assert world.elapsed == 12
    world.tick()
    assert list_happened(world) == [(0, "u"), (10, "e1")]


def test_a_stopped_world_stays_as_it_is() -> None:
    world = build_world(*MAILS)
    world.stop()
    world.advance(60)
    send_message_to_user(world)
    assert (world.status, list_happened(world)) == ("STOPPED", [(0, "send_message_to_user")])


@pytest.mark.req("004/hint-task", "004/hint-environment")
def test_hints_come_with_their_events() -> None:
    hints = [
        {"hint_type": "TASK_HINT", "content": "Be polite", "associated_event_id": ""},
        {"hint_type": "ENVIRONMENT_HINT", "content": "Look at the mail", "associated_event_id": "e1"},
    ]
    world = build_world(*MAILS, definition={"hints": hints})
    world.tick()
    assert [each.content for each in world.hints()] == ["Be polite"]
    world.advance(10)
    assert [each.content for each in world.hints()] == ["Be polite", "Look at the mail"]


def test_reminders_come_due_by_themselves_once_or_again_and_again() -> None:
    world = build_world(
        *MAILS, build_world_event("r", "AGENT", ("m",), "ReminderApp__delete_all_reminders"), notifications="LOW"
    )
    assert "ReminderApp" in world.apps
    world.tick()
    world.take_notifications()
    once = {"title": "Tea", "due_datetime": "1970-01-01 00:16:45", "description": "It is ready"}
    world.call("ReminderApp", "add_reminder", once)
    world.call("ReminderApp", "add_reminder", once | {"title": "Walk", "repetition_unit": "minute"})
    delivered: list[tuple[float, str]] = []
    for _ in range(3):
        world.call("SystemApp", "wait_for_notification", {"timeout": 500})
        delivered += [(each.elapsed_seconds, each.text) for each in world.take_notifications()]
    assert [time for time, _ in delivered] == [5, 65, 125]
    assert delivered[0][1].startswith("ReminderApp: New due reminders:\nReminder: Tea\n")
    assert ("Tea" in delivered[0][1], "Tea" in delivered[1][1], "Walk" in delivered[1][1]) == (True, False, True)


def test_reminders_that_repeat_do_not_keep_a_run_alive() -> None:
    sets = build_world_event("r", "AGENT", ("u",), "ReminderApp__add_reminder", title="Tea", description="",
                due_datetime="1970-01-01 00:16:45", repetition_unit="second")  # fmt: skip
    world = build_world(USER, sets, build_world_event("a", after=("r",), delay=30), definition={"duration": None})
    assert world.run_oracle().is_ok
    assert (world.elapsed, len(world.take_notifications())) == (31, 28)
    world = build_world(USER, definition={"duration": None})
    assert world.step() is not None
    assert world.step() is None
