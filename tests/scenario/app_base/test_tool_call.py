"""Tool calls: permitted callers, logging and notifications."""

from __future__ import annotations

from typing import Any

import pytest
from scenario_corpus import load_sandbox
from world_builders import format_call_row

from adk_agent_sim.errors import UnknownTool
from adk_agent_sim.scenario.app_base.app import AppCall, AppContext, CallerRole, Notification
from adk_agent_sim.scenario.app_base.tool_call import CallOutcome, call_tool
from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS


class _World:
    def __init__(self) -> None:
        self.logged: list[AppCall] = []
        self.notifications: list[Notification] = []
        self.context = AppContext(record_call=self.logged.append, notify_agent=self.notifications.append)
        for each in load_sandbox()["apps"]:
            BUILT_IN_APPS[each["class_name"]](each["name"], self.context, each["app_state"])

    def call(
        self, app: str, function: str, via: CallerRole, *, scheduled: bool = False, **arguments: Any
    ) -> CallOutcome:
        return call_tool(self.context.apps[app], function, arguments, caller=via, scheduled=scheduled)

    def rows(self) -> list[list[str]]:
        return [format_call_row(each) for each in self.logged]


@pytest.mark.parametrize(
    ("via", "function"),
    [
        (CallerRole.AGENT, "send_email_to_user_only"),
        (CallerRole.ENV, "send_email"),
        (CallerRole.USER, "list_emails"),
        (CallerRole.AGENT, "create_and_add_email_with_time"),
        (CallerRole.AGENT, "__init__"),
        (CallerRole.AGENT, "_add_mail"),
        (CallerRole.ENV, "load"),
    ],
)
def test_only_the_tools_of_the_caller_can_be_called(via: CallerRole, function: str) -> None:
    world = _World()
    with pytest.raises(
        UnknownTool, match=rf"Emails \(EmailClientV2\) has no tool '{function}' .* via {via.value}. It has: "
    ):
        world.call("Emails", function, via)
    assert world.logged == []


def test_an_oracle_event_logs_its_own_operation_and_nothing_that_is_called_inside() -> None:
    world = _World()
    ride = {"start_location": "A", "end_location": "B", "service_type": "Van"}
    assert world.call("Cabs", "order_ride", CallerRole.AGENT, scheduled=True, **ride).error is None
    assert world.rows() == [["AGENT", "WRITE", "Cabs__order_ride", "ok"]]


def test_a_scheduled_call_is_logged_and_notified_even_if_its_arguments_do_not_fit() -> None:
    world = _World()
    failed = world.call("AgentUserInterface", "send_message_to_agent", CallerRole.USER, scheduled=True, content=3)
    assert isinstance(failed.error, TypeError)
    assert world.rows() == [["USER", "READ", "AgentUserInterface__send_message_to_agent", "failed"]]
    assert [each.text.splitlines()[2] for each in world.notifications] == ["Message: 3"]


def test_a_notification_omits_an_argument_that_is_missing() -> None:
    world = _World()
    failed = world.call("Emails", "send_email_to_user_only", CallerRole.ENV)
    stated = "EmailClientApp.send_email_to_user_only() missing 1 required positional argument: 'sender'"
    assert str(failed.error) == stated
    assert [each.text for each in world.notifications] == ["EmailClientV2: New email received from "]


def test_a_call_remembers_what_was_given_and_the_outcome() -> None:
    world = _World()
    world.call("City", "get_crime_rate", CallerRole.AGENT, zip_code="70118")
    world.call("City", "get_crime_rate", CallerRole.AGENT, zip_code="no")
    good, bad = world.logged
    assert (good.arguments, good.value["violent_crime"], good.has_failed) == ({"zip_code": "70118"}, 1.07, False)
    assert (bad.value, type(bad.error), bad.has_failed) == (None, ValueError, True)


def test_nested_calls_are_marked() -> None:
    world = _World()
    world.call("Calendar", "read_today_calendar_events", CallerRole.AGENT)
    assert [(each.function, each.is_nested) for each in world.logged] == [
        ("get_calendar_events_from_to", True),
        ("read_today_calendar_events", False),
    ]
