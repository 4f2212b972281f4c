"""The log of a run."""

from __future__ import annotations

from world_builders import build_reply_event, build_world, build_world_event, send_message_to_user

from adk_agent_sim.scenario.format.models import ExportedActionArg, ExportedCompletedEvent

USER = build_world_event("u", "USER", delay=0)


def test_falsy_return_values_are_recorded() -> None:
    search = build_world_event("s", "AGENT", ("u",), "Emails__search_emails", query="x", folder_name="INBOX")
    world = build_world(USER, search, build_reply_event("m", "s"))
    world.run_oracle()
    found = [each.metadata for each in world.export_completed_events()]
    assert [(each.return_value, each.return_value_type) for each in found if each][1:] == [("[]", "list"), (None, None)]


def test_a_value_in_the_log_does_not_change_later() -> None:
    lists = build_world_event("l", "AGENT", ("e",), "Emails__list_emails", folder_name="INBOX")
    world = build_world(USER, build_world_event("e", "ENV", ("u",)), lists)
    world.run_oracle()
    then = world.event_log()[-1].value
    (mail,) = world.state()["Emails"]["folders"]["INBOX"]["emails"]
    world.call(
        "Emails",
        "move_email",
        {"email_id": mail["email_id"], "source_folder_name": "INBOX", "dest_folder_name": "TRASH"},
    )
    assert then is not None
    assert mail["email_id"] in then
    assert next(each.value for each in world.event_log() if each.event_id == "l") == then


def test_arguments_are_written_as_given_for_events_and_in_full_for_the_agent() -> None:
    world = build_world(
        USER, build_world_event("a", "AGENT", ("u",), "Emails__send_email", subject="x", recipients=["ü@example.org"])
    )
    world.run_oracle()
    asked, sent = (
        [(arg.name, arg.value, arg.value_type) for arg in _args(each)] for each in world.export_completed_events()
    )
    assert asked == [("content", "Please help.", "str")]
    assert sent == [
        ("recipients", '["\\u00fc@example.org"]', "list"),
        ("subject", "x", "str"),
        ("content", "", "str | None"),  # ARE refuses an empty text of a type that does not allow None
        ("cc", None, None),
        ("attachment_paths", None, None),
    ]


def test_events_of_the_scenario_are_logged_as_reads_and_the_agents_as_what_they_are() -> None:
    world = build_world(USER, build_world_event("e", "ENV", ("u",)), build_world_event("a", after=("u",)))
    world.run_oracle()
    assert [(each.event_id, each.operation) for each in world.event_log()] == [
        ("u", "READ"),
        ("a", "WRITE"),
        ("e", "READ"),
    ]
    world = build_world(USER)
    world.call("AgentUserInterface", "send_message_to_agent", {"content": "x"}, via="user")
    world.call("Emails", "send_email_to_user_only", {"sender": "a@example.org"}, via="env")
    assert [(each.kind, each.operation) for each in world.event_log()] == [("USER", "WRITE"), ("ENV", "READ")]


def test_turn_checks_are_not_in_the_log() -> None:
    world = build_world(USER, build_reply_event("m", "u"), build_world_event("u2", "USER", ("m",)))
    world.tick()
    send_message_to_user(world)
    world.advance(50)
    assert [each.kind for each in world.event_log()] == ["USER", "AGENT", "USER"]


def test_calls_of_one_time_stay_in_their_order() -> None:
    world = build_world(USER)
    for number in range(20):
        world.call("Emails", "send_email", {"recipients": ["a@example.org"], "subject": str(number)})
    assert [each.arguments["subject"] for each in world.event_log()] == [str(number) for number in range(20)]


def test_what_a_caller_does_with_its_arguments_afterwards_changes_nothing() -> None:
    world = build_world(USER)
    recipients = ["a@example.org"]
    world.call("Emails", "send_email", {"recipients": recipients})
    recipients.append("b@example.org")
    assert world.event_log()[0].arguments["recipients"] == ["a@example.org"]
    assert world.state()["Emails"]["folders"]["SENT"]["emails"][0]["recipients"] == ["a@example.org"]


def test_the_export_has_what_happened_and_the_initial_states() -> None:
    world = build_world(USER, build_world_event("a", after=("u",)))
    before = world.state()
    world.run_oracle()
    assert world.state() != before
    trace = world.export_trace()
    assert [each.event_id for each in trace.completed_events] == ["u", "a"]
    assert trace.completed_events[1].dependencies == ["u"]
    states = {each.name: each.app_state for each in trace.apps}
    assert states == before
    assert world.scenario.trace.completed_events == []


def _args(event: ExportedCompletedEvent) -> list[ExportedActionArg]:
    return (event.action.args if event.action else None) or []
