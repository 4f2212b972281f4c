"""Who may call what, what is logged of it and what the agent is told."""

from __future__ import annotations

from typing import Any

import pytest
from scenario_corpus import sandbox

from adk_agent_sim.errors import ToolNotThere
from adk_agent_sim.scenario.apps.calling import Outcome, call
from adk_agent_sim.scenario.apps.registry import APPS
from adk_agent_sim.scenario.apps.surroundings import Call, Message, Surroundings, Via


class _World:
    def __init__(self) -> None:
        self.logged: list[Call] = []
        self.told: list[Message] = []
        self.surroundings = Surroundings(record=self.logged.append, tell=self.told.append)
        for each in sandbox()["apps"]:
            APPS[each["class_name"]](each["name"], self.surroundings, each["app_state"])

    def call(self, app: str, function: str, via: Via, *, scheduled: bool = False, **arguments: Any) -> Outcome:
        return call(self.surroundings.apps[app], function, arguments, via=via, scheduled=scheduled)

    def rows(self) -> list[list[str]]:
        return [each.row() for each in self.logged]


@pytest.mark.parametrize(
    ("via", "function"),
    [
        (Via.AGENT, "send_email_to_user_only"),
        (Via.ENV, "send_email"),
        (Via.USER, "list_emails"),
        (Via.AGENT, "create_and_add_email_with_time"),
        (Via.AGENT, "__init__"),
        (Via.AGENT, "_put"),
        (Via.ENV, "load"),
    ],
)
def test_only_the_tools_of_the_caller_can_be_called(via: Via, function: str) -> None:
    world = _World()
    with pytest.raises(
        ToolNotThere, match=rf"Emails \(EmailClientV2\) has no tool '{function}' .* via {via.value}. It has: "
    ):
        world.call("Emails", function, via)
    assert world.logged == []


def test_an_oracle_event_logs_its_own_operation_and_nothing_that_is_called_inside() -> None:
    world = _World()
    ride = {"start_location": "A", "end_location": "B", "service_type": "Van"}
    assert world.call("Cabs", "order_ride", Via.AGENT, scheduled=True, **ride).error is None
    assert world.rows() == [["AGENT", "WRITE", "Cabs__order_ride", "ok"]]


def test_a_scheduled_call_is_logged_and_told_even_if_its_arguments_do_not_fit() -> None:
    world = _World()
    failed = world.call("AgentUserInterface", "send_message_to_agent", Via.USER, scheduled=True, content=3)
    assert isinstance(failed.error, TypeError)
    assert world.rows() == [["USER", "READ", "AgentUserInterface__send_message_to_agent", "failed"]]
    assert [each.text.splitlines()[2] for each in world.told] == ["Message: 3"]


def test_a_notice_that_names_an_argument_which_is_missing_is_told_without_it() -> None:
    world = _World()
    failed = world.call("Emails", "send_email_to_user_only", Via.ENV)
    assert str(failed.error) == "missing a required argument: 'sender'"
    assert [each.text for each in world.told] == ["EmailClientV2: New email received from "]


def test_a_call_remembers_what_was_given_and_what_came_of_it() -> None:
    world = _World()
    world.call("City", "get_crime_rate", Via.AGENT, zip_code="70118")
    world.call("City", "get_crime_rate", Via.AGENT, zip_code="no")
    good, bad = world.logged
    assert (good.arguments, good.value["violent_crime"], good.failed) == ({"zip_code": "70118"}, 1.07, False)
    assert (bad.value, type(bad.error), bad.failed) == (None, ValueError, True)


def test_calls_inside_a_call_say_so() -> None:
    world = _World()
    world.call("Calendar", "read_today_calendar_events", Via.AGENT)
    assert [(each.function, each.nested) for each in world.logged] == [
        ("get_calendar_events_from_to", True),
        ("read_today_calendar_events", False),
    ]
