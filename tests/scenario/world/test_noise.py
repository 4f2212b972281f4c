"""Noise is off by default, and the same for the same seed."""

from __future__ import annotations

import pytest
from world_builders import build_reply_event, build_world, build_world_event, list_happened

from adk_agent_sim.scenario import World
from adk_agent_sim.scenario.world.noise import Noise

EVENTS = [build_world_event("u", "USER", delay=0), build_reply_event("m", "u")]


def _list_failed_calls(world: World) -> list[int]:
    return [
        number
        for number in range(200)
        if world.try_call("Emails", "list_emails", {"folder_name": "INBOX"}).error is not None
    ]


def test_calls_of_the_agent_fail_by_chance_and_by_the_seed() -> None:
    noise = Noise(failure_probability=0.1)
    failed = _list_failed_calls(build_world(*EVENTS, noise=noise))
    assert 8 <= len(failed) <= 35
    assert failed == _list_failed_calls(build_world(*EVENTS, noise=noise))
    assert failed != _list_failed_calls(build_world(*EVENTS, noise=noise, seed=7))
    assert _list_failed_calls(build_world(*EVENTS)) == []


def test_a_failed_call_says_what_ares_says_and_is_not_made() -> None:
    world = build_world(*EVENTS, noise=Noise(failure_probability=1))
    with pytest.raises(Exception, match=r"^Calling Emails__send_email failed with error: Internal error - Retry again"):
        world.call("Emails", "send_email", {"recipients": ["a@example.org"]})
    assert world.event_log() == []
    world.call("Emails", "send_email_to_user_only", {"sender": "a@example.org"}, via="env")
    assert len(world.state()["Emails"]["folders"]["INBOX"]["emails"]) == 1


def test_a_call_without_noise_never_fails_by_chance() -> None:
    world = build_world(*EVENTS, noise=Noise(failure_probability=1))
    text = {"content": "Done."}
    assert world.try_call("AgentUserInterface", "send_message_to_user", text).error is not None
    assert world.try_call("AgentUserInterface", "send_message_to_user", text, has_noise=False).error is None
    assert [each.arguments for each in world.event_log()] == [text]


def test_how_other_tools_are_called_does_not_change_which_calls_fail() -> None:
    noise = Noise(failure_probability=0.3)
    alone, between = build_world(*EVENTS, noise=noise), build_world(*EVENTS, noise=noise)
    found: list[int] = []
    for number in range(200):
        between.try_call("SystemApp", "get_current_time")
        if between.try_call("Emails", "list_emails", {"folder_name": "INBOX"}).error is not None:
            found.append(number)
    assert found == _list_failed_calls(alone)


def test_events_nobody_asked_for_arrive_at_random_times() -> None:
    world = build_world(*EVENTS, noise=Noise(events_per_minute=10), definition={"duration": 3000})
    world.advance(3000)
    noise = [time for time, name in list_happened(world) if name.startswith("Noise-ENV-")]
    assert 400 <= len(noise) <= 600
    assert world.failed_events == []
    other = build_world(*EVENTS, noise=Noise(events_per_minute=10), definition={"duration": 3000}, seed=3)
    other.advance(3000)
    assert [time for time, name in list_happened(other) if name.startswith("Noise-ENV-")] != noise


def test_an_oracle_run_has_no_noise() -> None:
    world = build_world(*EVENTS, noise=Noise(events_per_minute=100, failure_probability=1))
    assert world.run_oracle().is_ok
    assert [name for _, name in list_happened(world)] == ["u", "m"]


def test_noise_takes_its_texts_from_the_scenarios_augmentation() -> None:
    mail = {"sender": "x@example.org", "subject": "Only this", "content": "c"}
    state = {"folders": {"INBOX": {"emails": [mail]}}}
    scenario = build_world(*EVENTS).scenario
    apps = [{"name": "Emails", "class_name": "EmailClientV2", "app_state": state}, "junk", {"name": 5}]
    scenario.trace.augmentation = {"apps": apps}
    world = World(scenario, noise=Noise(events_per_minute=10))
    world.advance(300)
    assert {each["subject"] for each in world.state()["Emails"]["folders"]["INBOX"]["emails"]} == {"Only this"}


def test_tools_are_offered_under_other_words() -> None:
    plain = build_world(*EVENTS).tools()
    other = build_world(*EVENTS, noise=Noise(rename_tools=True, reword_tools=True)).tools()
    assert len(plain) == len(other)
    assert plain["Emails__send_email"].tool.name == "send_email"
    renamed = next(each for each in other.values() if each.tool.name == "send_email")
    assert renamed.name in ("Emails__dispatch_email", "Emails__transmit_email")
    assert renamed.description.endswith(renamed.tool.description)
    assert renamed.description != renamed.tool.description
    again = build_world(*EVENTS, noise=Noise(rename_tools=True, reword_tools=True)).tools()
    assert list(other) == list(again)


def test_the_tools_by_which_an_agent_talks_and_waits_keep_their_names() -> None:
    plain = build_world(*EVENTS).tools()
    other = build_world(*EVENTS, noise=Noise(rename_tools=True, reword_tools=True)).tools()
    kept = [name for name, each in plain.items() if each.app in ("AgentUserInterface", "SystemApp")]

    assert "AgentUserInterface__send_message_to_user" in kept
    assert {name: other[name].description for name in kept} == {name: plain[name].description for name in kept}


def test_tools_are_renamed_and_reworded_as_the_scenario_says() -> None:
    scenario = build_world(*EVENTS).scenario
    names = {
        "Emails__send_email": "Emails__fling",
        "Emails__list_emails": "Emails__throw",
        "Emails__reply_to_email": "Emails__throw",  # taken
        "Emails__search_emails": "Emails__send_email",
        "Emails__get_email_by_id": "rm -rf\x1b[2J",
        "Emails__move_email": 5,
        "AgentUserInterface__send_message_to_user": "shout",
    }
    descriptions = {"Emails__send_email": "Throw a mail."}
    scenario.trace.augmentation = {"tool_names_mapping": names, "tool_descriptions_mapping": descriptions}
    tools = World(scenario, noise=Noise(rename_tools=True, reword_tools=True)).tools()

    assert tools["Emails__fling"].description == "Throw a mail."
    assert tools["Emails__fling"].tool.name == "send_email"
    assert tools["Emails__send_email"].tool.name == "search_emails"
    assert tools["Emails__throw"].tool.name == "list_emails"
    for name in ("Emails__reply_to_email", "Emails__get_email_by_id", "Emails__move_email"):
        assert tools[name].tool.name == name.removeprefix("Emails__")
        assert tools[name].description == tools[name].tool.description
    assert "AgentUserInterface__send_message_to_user" in tools
    assert len(tools) == len(World(scenario).tools())
    assert list(World(scenario).tools()) == list(build_world(*EVENTS).tools())


def test_no_tool_is_lost_when_another_takes_its_name() -> None:
    scenario = build_world(*EVENTS).scenario
    scenario.trace.augmentation = {"tool_names_mapping": {"Emails__list_emails": "Emails__send_email"}}
    tools = World(scenario, noise=Noise(rename_tools=True)).tools()

    assert tools["Emails__send_email"].tool.name == "list_emails"
    assert (tools["Emails__send_email_2"].tool.name, tools["Emails__send_email_2"].name) == (
        "send_email",
        "Emails__send_email_2",
    )
