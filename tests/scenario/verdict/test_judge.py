"""What a verdict says, and what can be judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from world_builders import build_reply_event, build_scenario_file, build_world_event

from adk_agent_sim.errors import InvalidCheckerParam, NotJudgeable
from adk_agent_sim.scenario import JsonScenarioImporter, Judge, ScenarioImportedFromJson, World, judge
from adk_agent_sim.scenario.format.exporter import serialize_trace
from adk_agent_sim.scenario.verdict.checker_params import CheckerParam
from adk_agent_sim.scenario.world.event_plan import WorldValidation
from adk_agent_sim.timeline.verdict import Verdict

USER = build_world_event("u", "USER", delay=0)
MAIL = build_world_event("a", "AGENT", ("u",), "Emails__send_email", recipients=["a@example.org"], subject="Hello")
REPLY = build_reply_event("m", "a")


def _read(file: dict[str, Any]) -> ScenarioImportedFromJson:
    return JsonScenarioImporter().import_from_json(json_str=json.dumps(file))[0]


def _build(*events: dict[str, Any]) -> ScenarioImportedFromJson:
    return _read(build_scenario_file(*(events or (USER, MAIL, REPLY))))


def _play(scenario: ScenarioImportedFromJson, *calls: tuple[str, dict[str, Any]], **options: Any) -> World:
    """Let an agent make calls, one per second."""
    world = World(scenario, **options)
    world.tick()
    for name, arguments in calls:
        world.advance(1)
        app, _, function = name.partition("__")
        world.try_call(app, function, arguments)
    world.advance(5)
    world.stop()
    return world


def _send(*recipients: str, **others: Any) -> tuple[str, dict[str, Any]]:
    return "Emails__send_email", {"recipients": list(recipients or ("a@example.org",)), **others}


SAY = ("AgentUserInterface__send_message_to_user", {"content": "Done."})


def _statuses(verdict: Verdict) -> dict[str, str]:
    return {event.event_id: event.status for turn in verdict.turns for event in turn.events}


@pytest.mark.req("004/oracle-validation")
def test_a_run_that_does_what_is_expected_passes() -> None:
    scenario = _build()
    verdict = judge(scenario, _play(scenario, _send(), SAY))
    assert (verdict.passed, verdict.reason) == (True, "")
    assert _statuses(verdict) == {"u": "matched", "a": "matched", "m": "matched"}
    assert str(verdict) == "PASSED  small\nTurn 1: passed, 3 events as expected"


def test_a_world_and_its_exported_trace_get_the_same_verdict(tmp_path: Path) -> None:
    scenario = _build()
    world = _play(scenario, _send("b@example.org"), SAY)
    file = tmp_path / "trace.json"
    file.write_text(serialize_trace(world.export_trace()), encoding="utf-8")
    prepared = Judge(scenario)
    verdicts = [prepared.judge(each) for each in (world, world.export_trace(), world.event_log(), file, str(file))]
    assert len({json.dumps(each.to_json()) for each in verdicts}) == 1
    assert not verdicts[0].passed


def test_a_wrong_argument_is_shown_with_the_rule_that_decided() -> None:
    scenario = _build()
    verdict = judge(scenario, _play(scenario, _send("b@example.org"), SAY))
    event = verdict.turns[0].events[1]
    (difference,) = event.differences
    assert (event.status, event.rule) == ("wrong", "unordered")
    assert (difference.argument, difference.expected, difference.got) == (
        "recipients",
        ["a@example.org"],
        ["b@example.org"],
    )
    assert '          - ["a@example.org"]\n          + ["b@example.org"]\n' in str(verdict)
    assert "Turn 1: EmailClientV2__send_email (a): recipients: expected" in verdict.reason


def test_the_nearest_action_is_the_one_with_the_fewest_differences() -> None:
    other = build_world_event("b", "AGENT", ("u",), "Emails__send_email", recipients=["b@example.org"], cc=["c@x.org"])
    scenario = _build(USER, MAIL, other, build_reply_event("m", "a", "b"))
    verdict = judge(scenario, _play(scenario, _send("x@example.org", cc=["c@x.org"]), _send("a@example.org"), SAY))
    assert _statuses(verdict) == {"u": "matched", "a": "matched", "b": "wrong", "m": "matched"}
    assert [each.argument for each in verdict.turns[0].events[2].differences] == ["recipients"]


def test_a_missing_action_names_the_attempt_that_failed() -> None:
    scenario = _build()
    verdict = judge(scenario, _play(scenario, _send("nobody"), SAY))
    event = verdict.turns[0].events[1]
    assert (event.status, event.rule) == ("missing", "no such call")
    assert event.nearest is not None
    assert event.nearest.note == "it failed: Invalid email address: nobody"
    assert [(each.tool, each.expected, each.got) for each in verdict.turns[0].counts] == [
        ("EmailClientV2__send_email", 1, 0)
    ]


def test_what_nothing_expects_is_extra() -> None:
    scenario = _build()
    verdict = judge(scenario, _play(scenario, _send(), _send("b@example.org"), SAY))
    assert _statuses(verdict) == {"u": "matched", "a": "matched", "m": "matched"}
    (extra,) = verdict.turns[0].extra
    assert (extra.tool, extra.arguments["recipients"]) == ("EmailClientV2__send_email", ["b@example.org"])
    assert "  + extra    EmailClientV2__send_email at +2 s" in str(verdict)


def test_actions_after_the_last_turn_are_listed_and_not_judged() -> None:
    scenario = _build()
    verdict = judge(scenario, _play(scenario, _send(), SAY, _send("late@example.org")))
    assert verdict.passed
    assert [each.tool for each in verdict.after_end] == ["EmailClientV2__send_email"]


@pytest.mark.parametrize(
    ("strictness", "subject", "passed"),
    [
        (None, "Other", True),
        ("exact", "Hello", True),
        ("exact", "hello", False),
        ("contains", "Well, hello!", True),
        ("contains", "Good bye", False),
        ("any", "Good bye", True),
    ],
)
def test_an_argument_is_compared_as_strictly_as_the_author_says(
    strictness: str | None, subject: str, passed: bool
) -> None:
    mail = json.loads(json.dumps(MAIL))
    if strictness:
        mail["action"]["args"][1]["strictness"] = strictness
    scenario = _build(USER, mail, REPLY)
    verdict = judge(scenario, _play(scenario, _send(subject=subject), SAY))
    assert verdict.passed is passed
    rules = [each.rule for event in verdict.turns[0].events for each in event.differences]
    assert rules == ([] if passed else [f"strictness: {strictness}"])


def test_strictness_any_also_frees_an_argument_that_is_compared_by_default() -> None:
    mail = json.loads(json.dumps(MAIL))
    mail["action"]["args"][0]["strictness"] = "any"
    scenario = _build(USER, mail, REPLY)
    assert judge(scenario, _play(scenario, _send("b@example.org"), SAY)).passed


def test_all_arguments_of_a_tool_that_is_not_in_the_table_are_compared() -> None:
    arguments: dict[str, Any] = {"title": "Call", "due_datetime": "2030-01-01 10:00:00", "description": "Soon"}
    remind = build_world_event("r", "AGENT", ("u",), "ReminderApp__add_reminder", **arguments)
    scenario = _build(USER, remind, build_reply_event("m", "r"))
    good = judge(scenario, _play(scenario, ("ReminderApp__add_reminder", arguments), SAY))
    bad = judge(scenario, _play(scenario, ("ReminderApp__add_reminder", arguments | {"description": "Now"}), SAY))
    assert good.passed, str(good)
    assert [each.argument for each in bad.turns[0].events[1].differences] == ["description"]
    trace = _play(scenario, ("ReminderApp__add_reminder", arguments), SAY).export_trace()
    assert trace.completed_events[1].action is not None
    trace.completed_events[1].action.args = []
    lacking = {each.argument: each.got for each in judge(scenario, trace).turns[0].events[1].differences}
    assert lacking["title"] == "(missing)"


def test_a_date_that_is_none_is_wrong_and_no_error() -> None:
    event: dict[str, Any] = {
        "title": "Lunch",
        "start_datetime": "2030-01-01 10:00:00",
        "end_datetime": "2030-01-01 11:00:00",
    }
    file = build_scenario_file(
        USER,
        build_world_event("c", "AGENT", ("u",), "Calendar__add_calendar_event", **event),
        build_reply_event("m", "c"),
    )
    file["apps"].append({"name": "Calendar", "class_name": "CalendarApp", "app_state": {"events": {}}})
    scenario = _read(file)
    trace = _play(scenario, ("Calendar__add_calendar_event", event), SAY).export_trace()
    (argument,) = [
        argument
        for completed in trace.completed_events
        for argument in (completed.action.args or () if completed.action else ())
        if argument.name == "start_datetime"
    ]
    argument.value = "noon"
    verdict = judge(scenario, trace)
    assert [(each.argument, each.got, each.rule) for each in verdict.turns[0].events[1].differences] == [
        ("start_datetime", "noon", "datetime")
    ]


def test_an_argument_that_the_log_lacks_has_its_default_or_is_missing() -> None:
    scenario = _build()
    trace = _play(scenario, _send(), SAY).export_trace()
    action = trace.completed_events[1].action
    assert action is not None
    action.args = [each for each in action.args or () if each.name != "cc"]
    assert judge(scenario, trace).passed
    action.args = []
    differences = judge(scenario, trace).turns[0].events[1].differences
    assert [(each.argument, each.got) for each in differences] == [("recipients", None)]


def test_additional_checks_apply_to_one_event() -> None:
    scenario = _build()
    world = _play(scenario, _send(), SAY)
    wanted = CheckerParam(argument="content", checker="contains_any", texts=["done", "ready"])
    absent = {"arg_name": "content", "checker_type": "contain_all_checker", "checker_args": {"targets": ["sorry"]}}
    elsewhere = CheckerParam(argument="content", checker="equal", tool="Another__tool")
    assert judge(scenario, world, checker_params={"m": [wanted, elsewhere]}).passed
    verdict = judge(scenario, world, checker_params={"m": [absent]})
    assert [(each.expected, each.got, each.rule) for each in verdict.turns[0].events[2].differences] == [
        (["sorry"], "Done.", "parameter: contains_all")
    ]
    with pytest.raises(InvalidCheckerParam, match="there is no checker 'magic'; use equal, unordered"):
        Judge(scenario, checker_params={"m": [CheckerParam(argument="content", checker="magic")]})


@pytest.mark.parametrize(("minefield", "passed"), [(False, True), (True, False)])
def test_a_validation_of_the_author_decides_too(minefield: bool, passed: bool) -> None:
    scenario = _build()
    validation = WorldValidation(minefields={"too many mails": lambda world: minefield})
    world = _play(scenario, _send(), SAY, watches={"v": validation})
    verdict = judge(scenario, world)
    assert verdict.passed is passed
    assert [(each.event_id, each.passed) for each in verdict.validations] == [("v", passed)]
    assert ("Minefield 'too many mails' was triggered" in verdict.reason) is minefield


def test_a_validation_that_was_never_decided_fails() -> None:
    planned = build_world_event("v", "ENV", ("u",)) | {"event_type": "VALIDATION", "action": None}
    scenario = _build(USER, MAIL, REPLY, planned)
    verdict = judge(scenario, _play(scenario, _send(), SAY))
    assert not verdict.passed
    assert verdict.reason == "The validation 'v' failed: the run does not say how it ended"


def test_a_scenario_that_expects_nothing_cannot_be_judged() -> None:
    with pytest.raises(NotJudgeable, match="it expects nothing of the agent"):
        Judge(_build(USER))


def test_a_scenario_whose_oracle_fails_cannot_be_judged() -> None:
    bad = build_world_event("a", "AGENT", ("u",), "Emails__delete_email", email_id="none")
    with pytest.raises(NotJudgeable, match="its own oracle run is not clean: event 'a'"):
        Judge(_build(USER, bad, REPLY))


@pytest.mark.req("004/comparator-less-than", "004/comparator-greater-than", "004/comparator-equal")
@pytest.mark.parametrize(
    ("comparator", "passed"),
    [
        ("LESS_THAN", {50: True, 89: True, 100: True, 125: True, 126: False, 200: False}),
        ("GREATER_THAN", {50: False, 89: False, 90: True, 100: True, 200: True}),
        ("EQUAL", {50: False, 89: False, 90: True, 100: True, 125: True, 126: False, 200: False}),
    ],
)
def test_a_comparator_decides_on_which_side_of_the_expected_time_an_action_counts(
    comparator: str, passed: dict[int, bool]
) -> None:
    expected = MAIL | {"event_relative_time": 100, "event_time_comparator": comparator}
    scenario = _build(USER, expected, REPLY)
    verdicts: dict[int, bool] = {}
    for seconds in passed:
        world = World(scenario)
        world.tick()
        world.advance(seconds)
        world.try_call("Emails", "send_email", _send()[1])
        world.try_call("AgentUserInterface", "send_message_to_user", SAY[1])
        world.advance(5)
        world.stop()
        verdicts[seconds] = judge(scenario, world).passed
    assert verdicts == passed


def test_an_unknown_comparator_cannot_be_judged() -> None:
    with pytest.raises(NotJudgeable, match="its comparator 'NEARLY' is unknown"):
        Judge(_build(USER, MAIL | {"event_time_comparator": "NEARLY"}, REPLY))


def test_independent_actions_may_happen_in_any_order() -> None:
    other = build_world_event("b", "AGENT", ("u",), "Emails__send_email", recipients=["b@example.org"])
    scenario = _build(USER, MAIL, other, build_reply_event("m", "a", "b"))
    for calls in ((_send(), _send("b@example.org")), (_send("b@example.org"), _send())):
        assert judge(scenario, _play(scenario, *calls, SAY)).passed
    dependent = _build(USER, MAIL, {**other, "dependencies": ["a"]}, build_reply_event("m", "b"))
    assert not judge(dependent, _play(dependent, _send("b@example.org"), _send(), SAY)).passed


def test_a_trace_without_events_cannot_be_judged() -> None:
    scenario = _build()
    with pytest.raises(NotJudgeable, match="the trace has no completed events"):
        judge(scenario, scenario)


def test_noise_and_reads_do_not_matter() -> None:
    scenario = _build()
    trace = _play(scenario, _send(), ("Emails__list_emails", {"folder_name": "SENT"}), SAY).export_trace()
    noise = trace.completed_events[0].model_copy(update={"event_id": "Noise-ENV-00001", "event_type": "ENV"})
    trace.completed_events.insert(1, noise)
    assert judge(scenario, trace).passed


@pytest.mark.parametrize(("stops", "asked"), [(True, ["u"]), (False, ["u", "v"])])
def test_a_rejected_turn_stops_the_world_if_that_is_wanted(stops: bool, asked: list[str]) -> None:
    again = build_world_event("v", "USER", ("m",), delay=2)
    scenario = _build(USER, MAIL, REPLY, again, build_reply_event("n", "v"))
    verdicts: list[Verdict] = []
    watch = Judge(scenario).watch_turns(verdicts.append, stops=stops)
    world = _play(scenario, _send("b@example.org"), SAY, turn_condition=watch)
    assert [each.event_id for each in world.event_log() if each.kind == "USER"] == asked
    assert [each.passed for each in verdicts] == [False]
    assert [each.status for each in verdicts[0].turns] == ["failed", "not judged"]
