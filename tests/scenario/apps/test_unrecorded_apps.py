"""Apps and cases that the recordings do not cover do what their tools say."""

from __future__ import annotations

from typing import Any

import pytest
from scenario_corpus import SPEC_EXAMPLE

from adk_agent_sim.scenario import World
from adk_agent_sim.scenario.app_base.app import APP, App, AppContext, CallerRole, Notification
from adk_agent_sim.scenario.app_base.tool_call import call_tool
from adk_agent_sim.scenario.apps.agent_user_interface import AgentUserInterface
from adk_agent_sim.scenario.apps.cabs import CabApp
from adk_agent_sim.scenario.apps.calendar import CalendarApp
from adk_agent_sim.scenario.apps.contacts import ContactsApp
from adk_agent_sim.scenario.apps.emails import EmailClientV2
from adk_agent_sim.scenario.apps.messaging import MessagingApp
from adk_agent_sim.scenario.apps.messaging_v2 import MessagingAppV2
from adk_agent_sim.scenario.apps.notification import NotificationApp
from adk_agent_sim.scenario.apps.reminders import ReminderApp
from adk_agent_sim.scenario.apps.sandbox_files import SandboxLocalFileSystem
from adk_agent_sim.scenario.apps.shopping import ShoppingApp
from adk_agent_sim.scenario.apps.simple_email import EmailApp
from adk_agent_sim.scenario.format.scenario_files import load_scenario

_NOON = 1_728_993_600.0
"""2024-10-15 12:00:00."""


class _Clock:
    def __init__(self) -> None:
        self.now = _NOON
        self.notifications: list[Notification] = []
        self.world = AppContext(now=lambda: self.now, notify_agent=self.notifications.append)


def _do(app: App, function: str, **arguments: Any) -> Any:
    via = CallerRole.AGENT if APP in app.tools()[function].kinds else CallerRole.ENV
    outcome = call_tool(app, function, arguments, caller=via)
    if outcome.error is not None:
        raise outcome.error
    return outcome.value


def _render(app: App, function: str, **arguments: Any) -> str | None:
    return call_tool(app, function, arguments, caller=CallerRole.AGENT).text


@pytest.mark.req("004/apps-email", "004/app-state")
def test_the_apps_of_the_specifications_example_work() -> None:
    clock = _Clock()
    example = load_scenario(SPEC_EXAMPLE)
    (mail,) = example.apps
    assert World(example).state()["EmailApp"] == mail.app_state
    app = EmailApp(mail.name, clock.world, mail.app_state)
    assert app.state() == mail.app_state
    (complaint,) = _do(app, "list_inbox")
    assert complaint["from"] == "client@company.com"
    sent = _do(app, "send_email", to="client@company.com", subject="Sorry", body="We are on it.")
    received = _do(app, "receive_email", sender="client@company.com", subject="Thanks")
    assert [each["email_id"] for each in _do(app, "list_sent") + _do(app, "list_inbox")[1:]] == [sent, received]
    assert app.state()["sent"][0] == {
        "to": "client@company.com",
        "subject": "Sorry",
        "body": "We are on it.",
        "timestamp": _NOON,
        "email_id": sent,
    }
    notifier = NotificationApp("NotificationApp", clock.world)
    _do(notifier, "show_reminder", message="Don't forget")
    assert _do(notifier, "list_reminders") == ["Don't forget"]
    assert notifier.state() == {"shown": ["Don't forget"]}
    assert [each.text for each in clock.notifications] == [
        "EmailApp: New email received from client@company.com",
        "NotificationApp: Don't forget",
    ]


def test_a_reminder_comes_due_once() -> None:
    clock = _Clock()
    app = ReminderApp("Reminders", clock.world)
    made = _do(app, "add_reminder", title="Call", due_datetime="2024-10-15 12:00:30", description="Ada")
    assert (app.next_due_time(), app.take_due_notification(), _do(app, "get_due_reminders")) == (_NOON + 30, None, [])
    clock.now += 31
    notification = app.take_due_notification()
    assert notification is not None
    assert notification.text == (
        "Reminders: New due reminders:\nReminder: Call\nDescription: Ada\nDue Date: 2024-10-15 12:00:30+00:00"
    )
    assert (app.next_due_time(), app.take_due_notification()) == (None, None)
    (told,) = _do(app, "get_due_reminders")
    assert (told["title"], told["time_notified"]) == ("Call", clock.now)
    _do(app, "delete_reminder", reminder_id=made)
    assert _render(app, "get_all_reminders") == ""
    with pytest.raises(ValueError, match=f"Reminder {made} not found."):
        _do(app, "delete_reminder", reminder_id=made)


@pytest.mark.parametrize(
    ("unit", "value", "count", "last"),
    [
        ("minute", 5, 101, "2024-10-15T20:20:00+00:00"),
        ("week", 1, 76, "2026-03-24T12:00:00+00:00"),
        ("month", 3, 6, "2026-01-15T12:00:00+00:00"),
        ("day", 500, 2, "2026-02-27T12:00:00+00:00"),
        ("month", 1_000, 1, "2024-10-15T12:00:00+00:00"),
    ],
)
def test_repetitions_are_reminders_of_their_own_up_to_a_limit(unit: str, value: int, count: int, last: str) -> None:
    app = ReminderApp("Reminders", _Clock().world)
    at = {"due_datetime": "2024-10-15 12:00:00", "description": ""}
    made = _do(app, "add_reminder", title="Stretch", repetition_unit=unit, repetition_value=value, **at)
    found = _do(app, "get_all_reminders")
    assert (len(found), found[-1]["due_datetime"]) == (count, last)
    assert [each["reminder_id"] for each in found[:3]] == [made, f"{made}_rep_1", f"{made}_rep_1_rep_1"][:count]
    _do(app, "delete_reminder", reminder_id=made)
    assert len(_do(app, "get_all_reminders")) == max(0, count - 2)


@pytest.mark.parametrize(
    ("wrong", "why", "left"),
    [
        ({"repetition_unit": "year"}, "Invalid repetition interval", 0),
        ({"repetition_unit": "day", "repetition_value": 0}, "No repetition for this reminder: Reminder: x", 1),
        ({"repetition_unit": "day", "repetition_value": None}, "No repetition for this reminder: Reminder: x", 1),
        ({"repetition_unit": "month"}, "day is out of range for month", 1),
        ({"repetition_unit": "month", "repetition_value": 10**6}, "year 85357 is out of range", 1),
        ({"repetition_unit": "month", "repetition_value": 10**30}, "too large|greater than maximum", 1),
        ({"repetition_unit": "week", "repetition_value": 10**6}, "date value out of range", 1),
        ({"due_datetime": "soon"}, "time data 'soon' does not match format", 0),
    ],
)
def test_a_reminder_that_makes_no_sense_is_refused_with_the_packages_error(
    wrong: dict[str, Any], why: str, left: int
) -> None:
    app = ReminderApp()
    with pytest.raises((AssertionError, OverflowError, ValueError), match=why):
        _do(app, "add_reminder", **{"title": "x", "due_datetime": "2024-01-31 00:00:00", "description": ""} | wrong)
    assert len(_do(app, "get_all_reminders")) == left
    _do(app, "delete_all_reminders")
    assert _do(app, "get_all_reminders") == []


def test_reminders_that_an_earlier_version_stored_are_restored() -> None:
    stored = {"reminder_id": "r", "title": "Tea", "due_datetime": _NOON, "description": "", "repetition_unit": None}
    app = ReminderApp("Reminders", _Clock().world)
    told = stored | {"reminder_id": "s", "told": True}
    app.restore_hidden_state({"draws": 2, "reminders": {"r": stored | {"told": False}, "s": told}})
    assert app.next_due_time() == _NOON
    assert [each["time_notified"] for each in _do(app, "get_all_reminders")] == [None, _NOON]
    copy = ReminderApp("Reminders", _Clock().world)
    copy.restore_hidden_state(app.hidden_state())
    assert _do(copy, "get_due_reminders") == _do(app, "get_due_reminders")


def test_the_older_messaging_app_identifies_people_by_name() -> None:
    clock = _Clock()
    files = SandboxLocalFileSystem("Files", clock.world)
    files.write_bytes("/plan.txt", b"plan")
    app = MessagingApp("Messages", clock.world)
    talk = _do(app, "create_conversation", participants=["Ada", "Bo"])
    _do(app, "send_message", conversation_id=talk, content="Hello")
    clock.now += 1
    assert _do(app, "create_and_add_message", conversation_id=talk, sender="Bo", content="Hi there") == talk
    clock.now += 1
    _do(app, "send_attachment", conversation_id=talk, filepath="/plan.txt")
    read = _do(app, "read_conversation", conversation_id=talk)
    assert [(each["sender"], each["content"]) for each in read["messages"]] == [
        ("Me", ""),
        ("Bo", "Hi there"),
        ("Me", "Hello"),
    ]
    assert read["metadata"]["conversation_title"] == "Ada, Bo, Me"
    sent = read["messages"][0]
    assert (
        _do(app, "download_attachment", conversation_id=talk, message_id=sent["message_id"], download_path="/")
        == "/plan.txt"
    )
    said = read["messages"][1]["message_id"]
    with pytest.raises(AttributeError, match="'Message' object has no attribute 'attachment'"):
        _do(app, "download_attachment", conversation_id=talk, message_id=said)
    assert _do(app, "regex_search", query="h. there$") == [talk]
    (found,) = _do(app, "search", query="THERE")
    assert (found["conversation_id"], len(found["messages"])) == (talk, 3)
    assert _do(app, "search", query="there", min_date="2030-01-01 00:00:00") == []
    _do(app, "add_participant_to_conversation", conversation_id=talk, participant="Cy")
    _do(app, "remove_participant_from_conversation", conversation_id=talk, participant="Ada")
    (shown,) = _do(app, "list_conversations_by_participant", participant="Cy")
    assert (shown["title"], shown["participants"]) == ("Ada, Bo, Me", ["Bo", "Me", "Cy"])
    assert [each["title"] for each in _do(app, "list_recent_conversations")] == ["Ada, Bo, Me"]
    assert [each.text for each in clock.notifications] == [
        f"MessagingApp: New message received in conversation ID: {talk}"
    ]
    with pytest.raises(Exception, match="Sender Ada not in conversation"):
        _do(app, "create_and_add_message", conversation_id=talk, sender="Ada", content="")


def test_a_route_keeps_its_distance_and_its_first_price_per_kilometre() -> None:
    clock = _Clock()
    app = CabApp("Cabs", clock.world)
    way = {"start_location": "Home", "end_location": "Airport"}
    plain, premium, van = _do(app, "list_rides", **way)
    assert plain["distance_km"] == premium["distance_km"] == van["distance_km"] <= 25
    assert premium["price"] == pytest.approx(2 * plain["price"], abs=0.02)
    assert van["price"] == pytest.approx(1.5 * plain["price"], abs=0.02)
    again = _do(app, "get_quotation", service_type="Default", **way)
    assert again["distance_km"] == plain["distance_km"]
    assert 0.5 * plain["price"] - 0.01 <= again["price"] <= 1.5 * plain["price"] + 0.01
    reloaded = _do(CabApp("Cabs", clock.world, app.state()), "get_quotation", service_type="Premium", **way)
    assert reloaded["distance_km"] == plain["distance_km"]


def test_a_pattern_that_would_take_for_ever_finds_nothing() -> None:
    app = MessagingApp()
    talk = _do(app, "create_conversation", participants=["Bob"], title="a" * 40 + "!")
    assert _do(app, "regex_search", query="(a+)+$") == []
    assert _do(app, "regex_search", query="(a|b)+!") == [talk]
    with pytest.raises(Exception, match="unterminated") as refused:
        _do(app, "regex_search", query="[a")
    assert type(refused.value).__name__ == "error"


def test_a_new_conversation_is_stamped_alike_on_every_host_and_comes_first() -> None:
    clock = _Clock()
    old = {"participants": ["Ada"], "messages": [], "title": "Old", "conversation_id": "old", "last_updated": _NOON + 9}
    app = MessagingApp("Messages", clock.world, {"conversations": {"old": old}})
    _do(app, "create_conversation", participants=["Bo"], title="New")
    recent = _do(app, "list_recent_conversations")
    assert [(each["title"], each["last_updated"]) for each in recent] == [("New", 1_767_225_600.0), ("Old", _NOON + 9)]
    clock.now = 2_000_000_000.0
    late = _do(app, "create_conversation", participants=["Cy"])
    assert app.state()["conversations"][late]["last_updated"] == 2_000_000_000.0


def test_files_that_come_with_a_users_message_are_named_but_not_kept() -> None:
    app = AgentUserInterface()
    contents = [{"a.txt": "YQ=="}]
    arguments = {"content": "see", "attachments": ["a.txt"], "base64_utf8_encoded_attachment_contents": contents}
    assert call_tool(app, "send_message_to_agent", arguments, caller=CallerRole.USER).error is None
    assert app.state()["messages"][0]["attachments"] == ["a.txt"]
    assert "YQ==" not in str(app.state())


def test_a_mail_that_is_prepared_without_a_time_is_of_the_present() -> None:
    clock = _Clock()
    app = EmailClientV2("Emails", clock.world)
    app.create_and_add_email_with_time(sender="a@b.org")
    app.create_and_add_email_with_time(sender="a@b.org", email_time="2024-10-01 00:00:00")
    listed = _do(app, "list_emails")
    assert [each["timestamp"] for each in listed["emails"]] == [_NOON, 1_727_740_800.0]


def test_tags_are_listed_in_order_and_people_as_they_joined() -> None:
    calendar = CalendarApp()
    for tag in ("Work", "Home", "Gym", "Home"):
        _do(calendar, "add_calendar_event", tag=tag)
    assert _do(calendar, "get_all_tags") == ["Gym", "Home", "Work"]
    chats = MessagingAppV2(
        state={"current_user_id": "me", "id_to_name": {"me": "Me", "b": "Bo", "a": "Al"}, "mode": "NAME"}
    )
    made = _do(chats, "create_group_conversation", user_ids=["b", "a"])
    assert chats.state()["conversations"][made]["participant_ids"] == ["me", "b", "a"]
    assert chats.state()["conversations"][made]["title"] == "Al, Bo"


def test_options_of_a_real_disk_are_taken_and_mean_nothing() -> None:
    app = SandboxLocalFileSystem()
    app.write_bytes("/f.txt", b"x")
    assert _do(app, "cat", path="/f.txt", recursive=True, on_error="omit", start=0) == b"x"
    assert _do(app, "exists", path="/f.txt", refresh=True) is True
    assert str(_do(app, "open", path="/f.txt", mode="r", block_size=3, compression="zip")).startswith("<_io.Text")


def test_a_document_that_is_no_text_is_refused_in_words() -> None:
    app = SandboxLocalFileSystem()
    app.write_bytes("/scan.pdf", b"%PDF-\xff\xfe")
    with pytest.raises(FileNotFoundError, match=r"File type was recognized as \['.pdf'\]"):
        _do(app, "read_document", file_path="/scan.pdf")


def test_an_order_can_be_put_into_the_history() -> None:
    item: dict[str, Any] = {"price": 2.5, "available": True, "item_id": "i", "options": {}}
    app = ShoppingApp(state={"products": {"p": {"name": "Lamp", "product_id": "p", "variants": {"i": item}}}})
    app.add_order("o", "shipped", 0.0, 5.0, "i", 2)
    made = _do(app, "get_order_details", order_id="o")
    assert (made["order_date"], made["order_items"]["i"]["quantity"]) == ("1970-01-01T00:00:00+00:00", 2)


def test_a_reply_to_mails_that_answer_each_other_ends() -> None:
    mails = [{"email_id": one, "sender": "me@x.org", "parent_id": other} for one, other in ("ab", "ba")]
    app = EmailClientV2(state={"user_email": "me@x.org", "folders": {"INBOX": {"emails": mails}}})
    sent = _do(app, "reply_to_email", email_id="a")
    assert _do(app, "get_email_by_id", email_id=sent, folder_name="SENT")["recipients"] == ["me@x.org"]


@pytest.mark.parametrize("name", ["__class__", "summary", "__dict__", "render_field"])
def test_python_attributes_of_a_contact_cannot_be_set(name: str) -> None:
    app = ContactsApp(state={"contacts": {"c": {"first_name": "Ada", "last_name": "Lund", "contact_id": "c"}}})
    with pytest.raises(AttributeError, match=f"{name} is not a valid attribute of Contact"):
        _do(app, "edit_contact", contact_id="c", updates={name: 1})


@pytest.mark.parametrize("letter", ["\u0130", "\u0131"])
def test_a_pattern_with_a_turkish_i_finds_only_that(letter: str) -> None:
    people = [letter, "i"]
    talks: dict[str, Any] = {
        each: {"conversation_id": each, "participant_ids": [], "title": each, "messages": []} for each in people
    }
    app = MessagingAppV2(state={"conversations": talks})
    assert "i" not in _do(app, "regex_search", query=letter)
