"""Failures are recorded and reported, and never stop the run."""

from __future__ import annotations

import pytest
from world_builders import build_reply_event, build_world, build_world_event, list_happened

from adk_agent_sim.errors import InvalidTransition, UnknownApp, UnknownTool
from adk_agent_sim.scenario import World

USER = build_world_event("u", "USER", delay=0)


def _deletes(event_id: str, after: str, email_id: str) -> dict[str, object]:
    return build_world_event(
        event_id, "AGENT", (after,), "Emails__delete_email", email_id=email_id, folder_name="INBOX"
    )


@pytest.mark.req("004/event-dependencies")
def test_a_failed_event_is_recorded_and_what_follows_it_happens() -> None:
    world = build_world(USER, _deletes("a", "u", "x"), build_world_event("b", after=("a",)))
    result = world.run_oracle()
    assert list_happened(world) == [(0, "u"), (1, "a"), (2, "b")]
    assert not result.is_ok
    assert [(each.event_id, each.call, each.why, each.t) for each in result.failed] == [
        ("a", "Emails__delete_email", "ValueError: Email with id x does not exist", 1)
    ]
    failed = world.export_completed_events()[1].metadata
    assert failed is not None
    assert (failed.exception, failed.return_value) == ("Email with id x does not exist", None)


@pytest.mark.parametrize(
    ("placeholder", "why", "subject", "content"),
    [
        ("{{nope}}", "event 'nope' has no return value", "{{nope}}", "c"),
        ("{{b}}", "event 'b' has no return value", "{{b}}", "c"),
        ("{{failed}}", "event 'failed' has no return value", None, "c"),
        ("{{failed.key}}", "event 'failed' has no return value", "{{failed.key}}", ""),
        ("{{t.nokey}}", "the return value of event 't' has no key 'nokey'", "{{t.nokey}}", ""),
        ("{{u.key}}", "the return value of event 'u' has no key 'key'", "{{u.key}}", ""),
    ],
)
def test_an_unresolved_placeholder_is_reported_and_the_call_is_made_as_in_are(
    placeholder: str, why: str, subject: str | None, content: str
) -> None:
    events = [_deletes("failed", "u", "x"), build_world_event("t", "AGENT", ("failed",), "SystemApp__get_current_time")]
    sends = build_world_event(
        "a", "AGENT", ("t",), "Emails__send_email", recipients=["a@example.org"], subject=placeholder, content="c"
    )
    world = build_world(USER, *events, sends, build_world_event("b", after=("a",)))
    result = world.run_oracle()
    assert [(each.event_id, why in each.why) for each in result.failed] == [("failed", False), ("a", True)]
    made = world.event_log()[3]
    # After a key that there is not, the arguments that follow are not passed at all, not even their defaults.
    expected = {"recipients": ["a@example.org"], "subject": subject}
    assert made.arguments == expected | ({"content": "c", "cc": None, "attachment_paths": None} if content else {})
    sent = world.state()["Emails"]["folders"]["SENT"]["emails"]
    assert [(mail["subject"], mail["content"]) for mail in sent] == [("b", ""), (subject, content)]


def test_a_placeholder_may_have_spaces_around_it_and_an_argument_that_is_not_passed_may_be_missed() -> None:
    asks = build_world_event("t", "AGENT", ("u",), "SystemApp__get_current_time")
    sends = build_world_event(
        "a", "AGENT", ("t",), "Emails__send_email", recipients=["a@example.org"], subject=" {{t.current_weekday}} "
    )
    finds = build_world_event("f", "AGENT", ("a",), "Emails__get_email_by_id", email_id="{{t.key}}")
    replies = build_world_event(
        "r", "ENV", ("f",), "Emails__reply_to_email_from_user", sender="{{t.key}}", email_id="x"
    )
    world = build_world(USER, asks, sends, finds, replies)
    world.run_oracle()
    assert world.state()["Emails"]["folders"]["SENT"]["emails"][0]["subject"] == "Thursday"
    assert [str(each.error) for each in world.event_log()[-2:]] == [
        "Email with id {{t.key}} does not exist",
        "missing a required argument: 'email_id'",
    ]


def test_placeholders_take_what_was_returned_and_its_keys() -> None:
    events = [
        build_world_event("a", after=("u",)),
        build_world_event("t", "AGENT", ("a",), "SystemApp__get_current_time"),
    ]
    subject = build_world_event(
        "b", "AGENT", ("t",), "Emails__send_email", recipients=["a@example.org"], subject="{{t.current_datetime}}"
    )
    gone = build_world_event("c", "AGENT", ("b",), "Emails__delete_email", email_id="{{a}}", folder_name="SENT")
    half = build_world_event(
        "d", "AGENT", ("c",), "Emails__send_email", recipients=["a@example.org"], subject="now {{t}}"
    )
    world = build_world(USER, *events, subject, gone, half)
    assert world.run_oracle().is_ok
    sent = world.state()["Emails"]["folders"]["SENT"]["emails"]
    assert [mail["subject"] for mail in sent] == ["now {{t}}", "1970-01-01 00:16:42"]


def test_a_failed_env_event_still_notifies_the_agent() -> None:
    world = build_world(
        USER,
        build_world_event(
            "e", "ENV", ("u",), "Emails__reply_to_email_from_user", sender="b@example.org", email_id="{{x}}"
        ),
    )
    world.advance(1)
    assert [each.text for each in world.take_notifications()][1:] == ["EmailClientV2: New email received"]
    assert [each.event_id for each in world.failed_events] == ["e"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (
            build_world_event("a", "AGENT", ("u",), "Emails__list_emails", nope="x"),
            "TypeError: got an unexpected keyword argument 'nope'",
        ),
        (
            build_world_event("a", "AGENT", ("u",), "Emails__delete_email"),
            "TypeError: missing a required argument: 'email_id'",
        ),
        (
            build_world_event("a", "AGENT", ("u",), "Emails__create_and_add_email"),
            "UnknownTool: Emails (EmailClientV2) has no tool",
        ),
        (
            build_world_event("a", "AGENT", ("u",), "Mails__send_email"),
            "UnresolvedReference: There is no app 'Mails' in this world",
        ),
    ],
)
def test_a_call_that_cannot_be_made_fails_its_event(wrong: dict[str, object], why: str) -> None:
    """ARE's event loop dies of these."""
    world = build_world(USER, wrong, build_world_event("b", after=("a",)))
    result = world.run_oracle()
    assert [name for _, name in list_happened(world)] == ["u", "a", "b"]
    assert result.failed[0].why.startswith(why)


def test_an_expected_call_that_is_never_logged_is_made() -> None:
    """ARE's event loop dies of it."""
    asks = build_world_event("a", "AGENT", ("u",), "ShoppingApp__get_all_discount_codes")
    sends = build_world_event("b", "AGENT", ("a",), "Emails__send_email", recipients=["a@example.org"])
    world = build_world(USER, asks, sends)
    assert world.run_oracle().is_ok
    assert [name for _, name in list_happened(world)] == ["u", "b"]
    assert world.return_values["a"] == {}


def test_a_value_that_is_not_of_its_type_fails_its_event() -> None:
    wrong = build_world_event("a", "AGENT", ("u",), "Emails__list_emails", folder_name="INBOX", limit="many")
    wrong["action"]["args"][1]["value_type"] = "int"
    result = build_world(USER, wrong).run_oracle()
    assert result.failed[0].why == "ValueDoesNotFit: 'many' is not an int, such as 5"


def test_events_that_can_never_happen_are_listed_with_the_reason() -> None:
    events = [
        build_world_event("a", after=("b",)),
        build_world_event("b", after=("a",)),
        build_world_event("c", after=("b",)),
        build_world_event("d", after=("gone",)),
    ]
    nothing = build_world_event("e", after=("u",)) | {"action": None}
    result = build_world(USER, *events, nothing).run_oracle()
    assert {each.event_id: each.why for each in result.missing} == {
        "a": "it is part of a dependency cycle",
        "b": "it is part of a dependency cycle",
        "c": "it depends on 'b', which did not happen",
        "d": "it depends on 'gone', which does not exist",
        "e": "it has no action",
    }
    assert [each.event_id for each in result.completed] == ["u"]


def test_a_call_raises_what_the_tool_raises() -> None:
    world = build_world(USER)
    with pytest.raises(ValueError, match=r"^Email with id x does not exist$"):
        world.call("Emails", "delete_email", {"email_id": "x", "folder_name": "INBOX"})
    with pytest.raises(UnknownTool, match=r"There is no app 'Mail' in this world. It has: AgentUserInterface, Emails"):
        world.call("Mail", "delete_email")
    with pytest.raises(UnknownTool, match="has no tool 'create_and_add_email' that can be called via agent"):
        world.call("Emails", "create_and_add_email")


def test_an_oracle_runs_in_a_world_at_rest_only() -> None:
    world = build_world(USER, build_reply_event("m", "u"))
    world.tick()
    with pytest.raises(InvalidTransition, match="Create a new World"):
        world.run_oracle()


def test_an_app_that_nobody_knows_is_named() -> None:
    scenario = build_world(USER).scenario
    scenario.trace.apps[1].class_name = "os.system"
    with pytest.raises(UnknownApp, match=r"Cannot create the app 'Emails': its class 'os.system' is unknown"):
        World(scenario)


def test_a_time_after_the_year_9999_is_reported() -> None:
    events = [
        build_world_event("e", "ENV", ("u",), delay=1e300),
        build_world_event("f", "ENV", ("u",), delay=None, at=1e15),
        build_world_event("a", after=("e",)),
    ]
    result = build_world(USER, *events, definition={"duration": None}).run_oracle()
    assert {each.event_id: each.why for each in result.missing} == {
        "e": "its time is after the year 9999",
        "f": "its time is after the year 9999",
        "a": "it depends on 'e', which did not happen",
    }
