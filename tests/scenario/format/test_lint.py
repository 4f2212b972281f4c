"""Lint findings: each kind of mistake once, with its path and line."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from scenario_corpus import SPEC_EXAMPLE, build_event, build_scenario, load_lines, load_sandbox, load_scenarios

from adk_agent_sim.scenario import JsonScenarioExporter, JsonScenarioImporter, load_scenario
from adk_agent_sim.scenario.format.lint import lint
from adk_agent_sim.scenario.format.lint_finding import LocatedFinding


def _lint_file(file: Any, *, are: bool = False) -> list[LocatedFinding]:
    imported, _, _ = JsonScenarioImporter().import_from_json(json.dumps(file, indent=1))
    return lint(imported, checks_are=are)


def _call(app: str, function: str, **arguments: str) -> dict[str, Any]:
    args = [{"name": name, "value": value, "value_type": "str"} for name, value in arguments.items()]
    return {"action": {"action_id": "a", "app": app, "function": function, "operation_type": None, "args": args}}


_MAIL = ("Emails", "send_email_to_user_only")
_ASK = build_event("ask", "USER")

_ANSWER: dict[str, Any] = build_event("a", "AGENT")["action"]

_WRONG: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "a cycle": (
        build_scenario(build_event("a", after=("b",)), build_event("b", after=("c",)), build_event("c", after=("a",))),
        "dependency-cycle",
        "events[2].dependencies",
        "events depend on each other: c -> b -> a -> c",
    ),
    "an event that waits for itself": (
        build_scenario(build_event("a", after=("a",))),
        "dependency-cycle",
        "events[0].dependencies",
        "events depend on each other: a -> a",
    ),
    "a dependency on nothing": (
        build_scenario(build_event("a", after=("gone",))),
        "dependency-unknown",
        "events[0].dependencies[0]",
        "event 'a' depends on 'gone', which does not exist",
    ),
    "an unknown app": (
        build_scenario(build_event("a", **_call("Letters", "send"))),
        "app-unknown",
        "events[0].action.app",
        "there is no app 'Letters' in this scenario",
    ),
    "an unknown app class": (
        build_scenario() | {"apps": [{"name": "Letters", "class_name": "LetterApp", "app_state": None}]},
        "app-unknown",
        "apps[0].class_name",
        "there is no app class 'LetterApp'",
    ),
    "an unknown tool": (
        build_scenario(build_event("a", **_call("Emails", "send_letter"))),
        "tool-unknown",
        "events[0].action.function",
        "Emails (EmailClientV2) has no tool 'send_letter'",
    ),
    "an unknown argument": (
        build_scenario(build_event("a", **_call(*_MAIL, sender="a@b.c", color="red"))),
        "argument-unfit",
        "events[0].action.args[1]",
        "has no argument 'color'; its arguments are: sender, subject, content",
    ),
    "a missing argument": (
        build_scenario(build_event("a", **_call(*_MAIL))),
        "argument-unfit",
        "events[0].action.args",
        "requires the argument 'sender' (str)",
    ),
    "an argument of another type": (
        build_scenario(
            build_event("a", "AGENT", after=("ask",), **_call("Emails", "send_email", recipients="a@b.c")), _ASK
        ),
        "argument-unfit",
        "events[0].action.args[0]",
        "recipients must be list[str] | None, but 'a@b.c' is str",
    ),
    "a placeholder to a later event": (
        build_scenario(build_event("a", **_call(*_MAIL, sender="{{b.sender}}")), build_event("b", after=("a",))),
        "placeholder-later",
        "events[0].action.args[0].value",
        "refers to the return value of event 'b', which happens later",
    ),
    "a placeholder to the event itself": (
        build_scenario(build_event("a", **_call(*_MAIL, sender="{{a}}"))),
        "placeholder-later",
        "events[0].action.args[0].value",
        "the return value of event 'a', which happens later",
    ),
    "a placeholder to nothing": (
        build_scenario(build_event("a", **_call(*_MAIL, sender="{{gone}}"))),
        "placeholder-unknown",
        "events[0].action.args[0].value",
        "refers to event 'gone', which does not exist",
    ),
    "an oracle with a tool that the agent does not have": (
        build_scenario(_ASK, build_event("a", "AGENT", after=("ask",), **_call(*_MAIL, sender="a@b.c"))),
        "oracle-impossible",
        "events[1].action.function",
        "send_email_to_user_only is not a tool that the agent can call",
    ),
    "an oracle after the end": (
        build_scenario(_ASK, build_event("a", "AGENT", after=("ask",), event_relative_time=700)),
        "oracle-impossible",
        "events[1]",
        "can never happen: it is due 101 s after the scenario's end",
    ),
    "an event after the end": (
        build_scenario(build_event("a", event_relative_time=601)),
        "event-cannot-fire",
        "events[0]",
        "can never happen: it is due 1 s after the scenario's end",
    ),
    "an event behind one that never happens": (
        build_scenario(build_event("a", event_relative_time=601), build_event("b", after=("a",))),
        "event-cannot-fire",
        "events[1]",
        "it depends on 'a', which never happens",
    ),
    "an event behind a cycle": (
        build_scenario(build_event("a", after=("b",)), build_event("b", after=("a",)), build_event("c", after=("b",))),
        "event-cannot-fire",
        "events[2]",
        "it depends on events that depend on each other",
    ),
    "an event without action": (
        build_scenario(build_event("a", action=None)),
        "event-cannot-fire",
        "events[0]",
        "it has no action",
    ),
    "a hint to a missing event": (
        build_scenario(hints=[{"hint_type": "TASK_HINT", "content": "", "associated_event_id": "gone"}]),
        "hint-unknown-event",
        "metadata.definition.hints[0].associated_event_id",
        "belongs to event 'gone', which does not exist",
    ),
    "a time before what it waits for": (
        build_scenario(
            build_event("a", event_relative_time=50),
            build_event("b", after=("a",), event_relative_time=None, event_time=1020),
        ),
        "time-contradiction",
        "events[1].event_time",
        "it is scheduled 30 s before an event it depends on",
    ),
    "a negative time": (
        build_scenario(build_event("a"), build_event("b", after=("a",), event_relative_time=-5)),
        "time-contradiction",
        "events[1].event_relative_time",
        "it is scheduled 5 s before the events it depends on",
    ),
    "an event id twice": (
        build_scenario(build_event("a"), build_event("a") | _call(*_MAIL, sender="a@b.c")),
        "id-twice",
        "events[1].event_id",
        "the event_id 'a' is used twice",
    ),
    "an action id twice": (
        build_scenario(build_event("a", **_call(*_MAIL, sender="x")), build_event("b", **_call(*_MAIL, sender="x"))),
        "id-twice",
        "events[1].action.action_id",
        "the action_id 'a' is used twice",
    ),
    "an unknown kind of event": (
        build_scenario(build_event("a", event_type="ALIEN")),
        "value-unknown",
        "events[0].event_type",
        "'ALIEN' is not a known value",
    ),
    "an unknown comparator": (
        build_scenario(_ASK, build_event("a", "AGENT", after=("ask",), event_time_comparator="ABOUT")),
        "value-unknown",
        "events[1].event_time_comparator",
        "'ABOUT' is not a known value",
    ),
    "an unknown strictness": (
        build_scenario(
            _ASK,
            build_event("a", "AGENT", after=("ask",))
            | {"action": _ANSWER | {"args": [{"name": "content", "value": "x", "value_type": "str", "strictness": 1}]}},
        ),
        "value-unknown",
        "events[1].action.args[0].strictness",
        "'1' is not a known value",
    ),
}


@pytest.mark.parametrize("name", _WRONG)
@pytest.mark.req("004/event-ids")
def test_each_mistake_is_found_where_it_is(name: str) -> None:
    file, code, path, message = _WRONG[name]
    found = _lint_file(file)
    (finding,) = [each for each in found if each.code == code and each.path == path]
    assert finding.severity == "error"
    assert message in finding.message
    assert finding.advice
    assert finding.line > 1


@pytest.mark.parametrize("seconds", [0, -5])
def test_steps_of_time_that_lead_nowhere_are_found(seconds: int) -> None:
    file = build_scenario()
    file["metadata"]["definition"]["time_increment_in_seconds"] = seconds

    (finding,) = _lint_file(file)
    assert (finding.code, finding.path) == ("time-contradiction", "metadata.definition.time_increment_in_seconds")
    assert f"in steps of {seconds} s" in finding.message


_HINT = {"hint_type": "bogus", "content": "Be polite", "associated_event_id": ""}

_COMPLETED: dict[str, Any] = {
    "class_name": "CompletedEvent",
    "event_type": "USER",
    "event_time": 1.0,
    "event_id": "done",
    "dependencies": [],
    "event_relative_time": None,
    "action": None,
    "metadata": None,
}

_UNKNOWN_VALUES: dict[str, tuple[dict[str, Any], str, str]] = {
    "hint type": (
        build_scenario(hints=[_HINT]),
        "metadata.definition.hints[0].hint_type",
        "'bogus' is not a known value",
    ),
    "event type": (
        build_scenario(build_event("a", event_type="ALIEN")),
        "events[0].event_type",
        "'ALIEN' is not a known value",
    ),
    "time comparator": (
        build_scenario(_ASK, build_event("a", "AGENT", after=("ask",), event_time_comparator="ABOUT")),
        "events[1].event_time_comparator",
        "'ABOUT' is not a known value",
    ),
    "type of a completed event": (
        build_scenario(_ASK) | {"completed_events": [_COMPLETED | {"event_type": "ALIEN"}]},
        "completed_events[0].event_type",
        "'ALIEN' is not a known value",
    ),
    "reviewer's decision": (
        build_scenario()
        | {"metadata": build_scenario()["metadata"] | {"annotation": {"validation_decision": "perhaps"}}},
        "metadata.annotation.validation_decision",
        "'perhaps' is not a known review decision",
    ),
}


@pytest.mark.req("004/schema-values")
@pytest.mark.parametrize("name", _UNKNOWN_VALUES)
def test_a_value_outside_those_that_the_format_lists_is_kept_and_reported(name: str) -> None:
    file, path, message = _UNKNOWN_VALUES[name]
    imported, _, _ = JsonScenarioImporter().import_from_json(json.dumps(file))
    assert json.loads(JsonScenarioExporter().export_to_json(scenario=imported)) == file
    (finding,) = [each for each in lint(imported) if each.path == path]
    assert message in finding.message
    assert finding.advice.startswith("Write one of ")


def test_a_finding_names_the_line() -> None:
    file = build_scenario(build_event("a", after=("gone",)))
    (finding,) = _lint_file(file)
    text = json.dumps(file, indent=1).splitlines()
    assert '"gone"' in text[finding.line - 1]


@pytest.mark.parametrize("name", load_scenarios())
def test_what_are_wrote_is_clean(name: str) -> None:
    assert _lint_file(load_scenarios()[name], are=True) == []


def test_the_sandbox_universe_is_clean() -> None:
    assert _lint_file(load_sandbox(), are=True) == []


def test_are_refuses_the_traces_that_it_cannot_import_and_no_others() -> None:
    for each in load_lines("agent_traces.jsonl"):
        errors = [found for found in _lint_file(each["trace"], are=True) if found.severity == "error"]
        assert (errors == []) == each["importable"], (each["scenario"], each["mutation"])


def _graph(rows: list[list[Any]]) -> dict[str, Any]:
    """A scenario of recorded rows; an AGENT event that does not talk lists mails."""
    events: list[dict[str, Any]] = []
    for name, kind, after, relative, time, talks in rows:
        quiet = {} if talks else _call("Emails", "list_emails")
        events.append(build_event(name, kind, tuple(after), event_relative_time=relative, event_time=time, **quiet))
        events[-1]["action"]["action_id"] = name
    return build_scenario(*events)


def test_are_refuses_the_event_graphs_that_it_was_seen_to_refuse_and_no_others() -> None:
    for recorded in load_lines("import_verdicts.jsonl"):
        found = [each for each in _lint_file(_graph(recorded["events"]), are=True) if each.severity == "error"]
        assert (found != []) == (recorded["refused"] is not None), recorded


@pytest.mark.req("004/complete-example")
def test_the_complete_example_has_no_errors_and_are_accepts_it_once_converted() -> None:
    example = load_scenario(SPEC_EXAMPLE)
    assert [each.code for each in lint(example)] == ["app-unlisted"]
    assert {each.code for each in lint(example, checks_are=True)} == {
        "app-unlisted",
        "are-dialect",
        "are-app",
        "are-env-parents",
    }
    assert _lint_file(json.loads(JsonScenarioExporter().export_to_json(scenario=example)), are=True) == []


_READ_MAIL = _call("Emails", "list_emails")
_SAY = build_event("say", "AGENT", after=("ask",))
_LATER = build_event("later", "AGENT", after=("ask",), event_relative_time=60, **_READ_MAIL)

_REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "an agent event that depends on nothing": (
        build_scenario(build_event("say", "AGENT")),
        "are-agent-first",
        "events[0]",
    ),
    "an ENV event that depends on nothing": (build_scenario(build_event("a")), "are-env-parents", "events[0]"),
    "an ENV event with two dependencies": (
        build_scenario(_ASK, build_event("a", after=("ask",)), build_event("b", after=("ask", "a"))),
        "are-env-parents",
        "events[2]",
    ),
    "an ENV event after what the agent does": (
        build_scenario(
            _ASK, build_event("read", "AGENT", after=("ask",), **_READ_MAIL), build_event("b", after=("read",))
        ),
        "are-env-parents",
        "events[2]",
    ),
    "an agent event after a message to the user": (
        build_scenario(_ASK, _SAY, build_event("more", "AGENT", after=("say",), **_READ_MAIL)),
        "are-after-message",
        "events[2]",
    ),
    "a message to the user that is not last": (build_scenario(_ASK, _LATER, _SAY), "are-turn", "events[2]"),
    "an event after the message that ends its turn": (
        build_scenario(_ASK, _SAY | {"event_relative_time": 2}, _LATER),
        "are-turn",
        "events[2]",
    ),
    "dependencies in two turns": (
        build_scenario(
            _ASK, _SAY, build_event("two", "USER", after=("say",)), build_event("x", "USER", after=("ask", "two"))
        ),
        "are-turn",
        "events[3]",
    ),
    "two threads of messages": (build_scenario(_ASK, build_event("other", "USER")), "are-two-threads", "events[1]"),
    "a comparator where it does not belong": (
        build_scenario(build_event("ask", "USER", event_time_comparator="EQUAL")),
        "are-comparator",
        "events[0]",
    ),
    "a condition without what it needs": (
        build_scenario(build_event("c", event_type="CONDITION")),
        "are-condition",
        "events[0]",
    ),
    "an empty value": (
        build_scenario(_ASK, build_event("a", after=("ask",), **_call(*_MAIL, sender="x", subject=""))),
        "are-value",
        "events[1].action.args[1]",
    ),
    "a log that is no object": (build_scenario() | {"world_logs": ["hello"]}, "are-log", "world_logs[0]"),
    "an app that it cannot import": (
        build_scenario() | {"apps": [{"name": "R", "class_name": "ReminderApp", "app_state": None}]},
        "are-app",
        "apps[0].class_name",
    ),
    "an app without its state": (
        build_scenario() | {"apps": [{"name": "Shopping", "class_name": "ShoppingApp", "app_state": {"products": {}}}]},
        "are-state",
        "apps[0].app_state",
    ),
    "an app that is not listed": (
        build_scenario(_ASK) | {"apps": build_scenario()["apps"][1:]},
        "are-app",
        "events[0].action.app",
    ),
}


@pytest.mark.parametrize("name", _REFUSED)
def test_what_are_refuses_is_an_error_only_if_asked_for(name: str) -> None:
    file, code, path = _REFUSED[name]
    assert [each for each in _lint_file(file) if each.severity == "error"] == []
    assert [(each.code, each.path) for each in _lint_file(file, are=True) if each.severity == "error"] == [(code, path)]


@pytest.mark.parametrize("count", [5_000, pytest.param(50_000, marks=pytest.mark.long)])
def test_a_chain_and_a_ring_of_very_many_events_are_read_and_checked(count: int) -> None:
    chain = [
        build_event("0"),
        *(build_event(str(n), after=(str(n - 1),), event_relative_time=0) for n in range(1, count)),
    ]
    ring = [build_event(f"r{n}", after=(f"r{(n + 1) % count}",)) for n in range(count)]
    imported, _, _ = JsonScenarioImporter().import_from_json(json.dumps(build_scenario(*chain, *ring)))
    assert len(imported.events) == 2 * count
    assert [each.code for each in lint(imported)] == ["dependency-cycle"]


@pytest.mark.parametrize("count", [2_000, pytest.param(50_000, marks=pytest.mark.long)])
def test_very_many_apps_and_threads_are_checked_in_one_pass(count: int) -> None:
    file = build_scenario(*(build_event(str(n), "USER") for n in range(count)))
    file["apps"] += [{"name": f"R{n}", "class_name": "ReminderApp", "app_state": None} for n in range(count)]
    imported, _, _ = JsonScenarioImporter().import_from_json(json.dumps(file))
    codes = Counter(each.code for each in lint(imported, checks_are=True))
    assert codes == {"are-app": count, "are-two-threads": count - 1}
