"""Scenarios written in Python."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from adk_agent_sim.errors import InvalidStoryStep
from adk_agent_sim.scenario import JsonScenarioImporter, Story
from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS, DEFAULT_APPS, NOT_IMPORTABLE_BY_ARE, UNKNOWN_TO_ARE
from adk_agent_sim.scenario.format.lint import lint

_START = 1728975600


def _story() -> Story:
    s = Story("lunch", start_time=_START, duration=600, tags=["Adaptability"])
    s.app("Emails", "EmailClientV2", {"user_email": "me@example.org", "view_limit": 5, "folders": {}})
    s.app("Shopping", "ShoppingApp", {"products": {}, "cart": {}, "discount_codes": {}, "orders": {}})
    return s


def _full_story() -> Story:
    s = _story()
    ask = s.user("Ask Gus for lunch.")
    s.at(_START + 5, after=[ask]).env("Shopping", "add_product", name="Mug")
    mail = s.oracle("Emails", "send_email", recipients=["gus@example.org"], subject="Lunch")
    asked = s.answer("I asked him.")
    reply = s.after(asked, seconds=60).env(
        "Emails", "reply_to_email_from_user", sender="gus@example.org", email_id=mail
    )
    s.after(reply, seconds=120, comparator="LESS_THAN").oracle(
        "Emails", "reply_to_email", email_id=reply, content="Fine"
    )
    s.answer("He comes.")
    s.hint("Mail him.", step=ask)
    return s


def test_a_story_is_written_as_are_reads_it() -> None:
    imported, _, _ = JsonScenarioImporter().import_from_json(_full_story().json())
    assert imported.adapted == ()
    assert [(event.class_name, event.event_type) for event in imported.events] == [
        ("Event", "USER"),
        ("Event", "ENV"),
        ("OracleEvent", "AGENT"),
        ("OracleEvent", "AGENT"),
        ("Event", "ENV"),
        ("OracleEvent", "AGENT"),
        ("OracleEvent", "AGENT"),
    ]
    assert imported.hints[0].associated_event_id == imported.events[0].event_id


def test_a_story_lints_clean() -> None:
    imported, _, _ = JsonScenarioImporter().import_from_json(_full_story().json())
    assert lint(imported, checks_are=True) == []


def test_a_step_as_an_argument_stands_for_what_it_returned() -> None:
    s = _story()
    s.user("Reply.")
    mail = s.env("Emails", "send_email_to_user_only", sender="gus@example.org")
    s.oracle("Emails", "reply_to_email", email_id=mail["email_id"])
    written = json.loads(s.json())["events"]
    assert written[2]["action"]["args"][0]["value"] == f"{{{{{mail.event_id}.email_id}}}}"


_UNFIT: dict[str, tuple[Callable[[Story], Any], str]] = {
    "an app that is not there": (lambda s: s.env("Letters", "send"), "the world has no app 'Letters'"),
    "an app class that is not there": (lambda s: s.app("Letters"), "there is no app class 'Letters'"),
    "an app twice": (lambda s: s.app("Emails", "Mail"), "the world already has an app of that name"),
    "a tool that is not there": (
        lambda s: s.oracle("Emails", "fax"),
        "'Emails' has no such tool; its tools for AGENT events",
    ),
    "a tool of the world": (
        lambda s: s.oracle("Shopping", "add_product", name="x"),
        "it is not a tool for AGENT events",
    ),
    "a tool of the agent": (lambda s: s.env("Emails", "list_emails"), "it is not a tool for ENV events"),
    "a missing argument": (lambda s: s.env("Shopping", "add_product"), "requires the argument 'name' (str)"),
    "an unknown argument": (lambda s: s.oracle("Emails", "list_emails", colour="red"), "no argument 'colour'"),
    "a number for a text": (lambda s: s.env("Shopping", "add_product", name=5), "name must be str, but '5' is int"),
    "a text for a list": (lambda s: s.oracle("Emails", "send_email", recipients="a@b.c"), "must be list[str] | None"),
    "a step of another story": (lambda s: s.after(_story().user("Hi")).user("Ho"), "which is not a step of this story"),
}


@pytest.mark.parametrize("name", _UNFIT)
def test_a_step_that_does_not_fit_is_refused_at_once(name: str) -> None:
    step, message = _UNFIT[name]
    s = _story()
    with pytest.raises(InvalidStoryStep) as error:
        step(s)
    assert message in str(error.value)
    assert json.loads(s.json())["events"] == []


def test_apps_without_a_state_are_written_with_all_that_are_requires() -> None:
    s = Story("empty", start_time=_START)
    usable = set(BUILT_IN_APPS) - UNKNOWN_TO_ARE - NOT_IMPORTABLE_BY_ARE - set(DEFAULT_APPS)
    for name in sorted(usable):
        s.app(f"My{name}", name)
    s.app("Partial", "ContactsApp", {"view_limit": 3})
    s.user("Hi")
    s.answer("Done.")
    imported, _, _ = JsonScenarioImporter().import_from_json(s.json())
    assert usable
    assert lint(imported, checks_are=True) == []
    for app in imported.apps[2:]:
        assert set(app.app_state or {}) == set(BUILT_IN_APPS[app.class_name or ""].state_keys)
    assert imported.apps[-1].app_state == {"contacts": {}, "view_limit": 3}


def test_the_states_of_two_stories_share_nothing() -> None:
    one, two = Story("one", start_time=_START), Story("two", start_time=_START)
    one.app("Emails", "EmailClientV2")
    two.app("Emails", "EmailClientV2")
    (one.scenario().apps[-1].app_state or {})["folders"]["INBOX"]["emails"].append("changed")
    assert (two.scenario().apps[-1].app_state or {})["folders"]["INBOX"]["emails"] == []
