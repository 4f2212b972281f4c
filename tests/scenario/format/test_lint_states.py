"""Lint findings about app states: the path of each value that its app cannot use, and what would be valid."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scenario_corpus import build_scenario, load_sandbox, load_universe

from adk_agent_sim.scenario import JsonScenarioImporter
from adk_agent_sim.scenario.app_base.app import JSON, App
from adk_agent_sim.scenario.app_base.entity import find_shape_problems
from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS
from adk_agent_sim.scenario.format.lint import lint
from adk_agent_sim.scenario.format.lint_finding import LocatedFinding


def _lint_app(class_name: str, state: Any) -> list[LocatedFinding]:
    file = build_scenario() | {"apps": [{"name": "X", "class_name": class_name, "app_state": state}]}
    return lint(JsonScenarioImporter().import_from_json(json.dumps(file))[0])


_MAIL = {"email_id": "a", "sender": "b@c"}

_WRONG: dict[str, tuple[str, Any, str, str]] = {
    "a folder as a text": (
        "EmailClientV2",
        {"folders": {"INBOX": "mails"}},
        "folders.INBOX",
        "it must be an object, but it is a string, 'mails'",
    ),
    "a folder that is null": (
        "Mail",
        {"folders": {"INBOX": None}},
        "folders.INBOX",
        "it must be an object, but it is null",
    ),
    "emails as an object": (
        "EmailClientApp",
        {"folders": {"INBOX": {"emails": {}}}},
        "folders.INBOX.emails",
        "it must be a list, but it is an object",
    ),
    "an email without id": (
        "EmailClientV2",
        {"folders": {"SENT": {"emails": [{"sender": "b@c"}]}}},
        "folders.SENT.emails[0]",
        "it has no 'email_id'",
    ),
    "a time as a text": (
        "EmailClientV2",
        {"folders": {"SENT": {"emails": [_MAIL, _MAIL | {"timestamp": "now"}]}}},
        "folders.SENT.emails[1].timestamp",
        "it must be a number, but it is a string, 'now'",
    ),
    "a boolean as a number": (
        "ContactsApp",
        {"view_limit": True},
        "view_limit",
        "it must be a number, but it is a boolean, True",
    ),
    "contacts as a list": (
        "Contacts",
        {"contacts": [{"first_name": "Ada"}]},
        "contacts",
        "it must be an object, but it is a list",
    ),
    "a calendar event without start": (
        "CalendarApp",
        {"events": {"e": {"end_datetime": 5}}},
        "events.e",
        "it has no 'start_datetime'",
    ),
    "a product without variants as an object": (
        "ShoppingApp",
        {"products": {"p": {"name": "n", "product_id": "p", "variants": []}}},
        "products.p.variants",
        "it must be an object, but it is a list",
    ),
    "a conversation as a text": (
        "MessagingAppV2",
        {"conversations": {"c": "hello"}},
        "conversations.c",
        "it must be an object, but it is a string, 'hello'",
    ),
    "a file without name": (
        "SandboxLocalFileSystem",
        {"files": {"children": [{"type": "file"}]}},
        "files.children[0]",
        "it has no 'name'",
    ),
    "a message of the user as a text": (
        "AgentUserInterface",
        {"messages": ["hi"]},
        "messages[0]",
        "it must be an object, but it is a string, 'hi'",
    ),
    "rides as an object": ("CabApp", {"ride_history": {}}, "ride_history", "it must be a list, but it is an object"),
    "a crime rate as a text": (
        "CityApp",
        {"crime_data": {"1": {"violent_crime": "high"}}},
        "crime_data.1.violent_crime",
        "it must be a number, but it is a string, 'high'",
    ),
    "apartments as a list": ("RentAFlat", {"apartments": []}, "apartments", "it must be an object, but it is a list"),
    "an inbox as a text": ("EmailApp", {"inbox": "none"}, "inbox", "it must be a list, but it is a string, 'none'"),
    "shown reminders as a text": (
        "NotificationApp",
        {"shown": "none"},
        "shown",
        "it must be a list, but it is a string, 'none'",
    ),
}


@pytest.mark.parametrize("name", _WRONG)
def test_a_value_of_another_shape_is_an_error_with_its_path(name: str) -> None:
    class_name, state, path, message = _WRONG[name]
    found = [each for each in _lint_app(class_name, state) if each.code == "state-shape"]
    assert [(each.path, each.message, each.severity) for each in found] == [
        (f"apps[0].app_state.{path}", message, "error")
    ]


def test_the_advice_says_what_would_be_valid() -> None:
    (text,) = _lint_app("EmailClientV2", {"folders": {"INBOX": "mails"}})
    assert text.advice == "Write an object with the keys folder_name, emails"
    (missing,) = _lint_app("EmailClientV2", {"folders": {"INBOX": {"emails": [{"email_id": "a"}]}}})
    assert missing.advice == "Add 'sender', a string"
    (listed,) = _lint_app("NotificationApp", {"shown": 5})
    assert listed.advice == "Write a list, each item a string"


def test_a_text_of_another_type_is_only_a_warning_because_nothing_fails() -> None:
    found = _lint_app("ContactsApp", {"contacts": {"c": {"first_name": "Ada", "last_name": 5}}})
    assert [(each.path, each.severity) for each in found] == [("apps[0].app_state.contacts.c.last_name", "warning")]


def test_the_recorded_states_have_the_shapes() -> None:
    apps = [*load_universe(), *load_sandbox()["apps"]]
    found = [
        (app["name"], problem)
        for app in apps
        for problem in find_shape_problems(BUILT_IN_APPS[app["class_name"]].state_shape, app["app_state"] or {})
    ]
    assert apps
    assert found == []


def test_a_deeply_nested_file_tree_is_checked() -> None:
    node: dict[str, Any] = {"name": "x", "type": "directory", "children": "none"}
    for _ in range(300):
        node = {"name": "x", "type": "directory", "children": [node]}
    (problem,) = find_shape_problems(BUILT_IN_APPS["VirtualFileSystem"].state_shape, {"files": node})
    assert problem.path[-1] == "children"
    assert len(problem.path) == 602


def test_a_state_that_an_app_without_a_shape_cannot_load_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counter(App):
        def load(self, state: JSON) -> None:
            super().load(state)
            self.count = int(state["count"])

    monkeypatch.setattr("adk_agent_sim.scenario.format.lint.find_app_class", lambda name: Counter)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    found = [each for each in _lint_app("Calendar", {"count": "many"}) if each.code == "state-shape"]
    assert [each.path for each in found] == ["apps[0].app_state"]
    assert "the state of Counter does not load: ValueError: invalid literal" in found[0].message
