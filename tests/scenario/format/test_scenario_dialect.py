"""The specification's complete example: read, and written as ARE reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scenario_corpus import SPEC_EXAMPLE, build_event, build_scenario

from adk_agent_sim.scenario import JsonScenarioExporter, JsonScenarioImporter, load_scenario, load_scenarios
from adk_agent_sim.scenario.format.exporter import convert_to_are


def _export_example() -> Any:
    return json.loads(JsonScenarioExporter().export_to_json(scenario=load_scenario(SPEC_EXAMPLE)))


@pytest.mark.req("004/complete-example-class-names")
def test_what_was_adapted_is_listed() -> None:
    assert load_scenario(SPEC_EXAMPLE).adapted == (
        "version '2.0' is written as 'are_simulation_v1'",
        "flat metadata is written under metadata.definition",
        "hint_type 'task' is written as 'TASK_HINT'",
        "a hint without an event gets the associated_event_id ''",
        "class_name 'are.simulation.apps.email.EmailApp' is written as 'EmailApp'",
        "class_name 'ScheduledEvent' is written as 'Event'",
        "an event without event_relative_time gets it as null",
        "an argument's 'type' is written as 'value_type'",
    )


@pytest.mark.req("004/complete-example-metadata", "004/complete-example-version", "004/complete-example-class-names")
@pytest.mark.req("004/complete-example-keys", "004/ExportedHint", "004/ExportedTraceMetadata")
def test_the_example_is_written_in_the_shape_of_are() -> None:
    example, written = load_scenario(SPEC_EXAMPLE), _export_example()
    assert (example.scenario_id, example.seed, example.duration) == ("email_apology_001", 12345, 300)
    assert example.tags == ("email", "communication", "customer-service")
    assert [app.class_name for app in example.apps] == ["EmailApp"]
    action = example.events[0].action
    assert action is not None
    assert [(each.name, each.value_type) for each in action.args or ()] == [("message", "str")]
    assert "." not in written["apps"][0]["class_name"]
    assert written["version"] == "are_simulation_v1"
    assert written["metadata"]["definition"]["scenario_id"] == "email_apology_001"
    assert written["metadata"]["definition"]["hints"][0]["hint_type"] == "TASK_HINT"
    assert written["metadata"]["definition"]["hints"][0]["associated_event_id"] == ""
    assert written["events"][0]["class_name"] == "Event"
    assert written["events"][0]["event_relative_time"] is None
    assert written["events"][0]["event_time"] == 1640995260
    assert written["context"] == "Customer service scenario focusing on professional communication"


@pytest.mark.req("004/hint-type-values")
@pytest.mark.parametrize(
    ("described", "of_are"),
    [
        ("task", "TASK_HINT"),
        ("context", "ENVIRONMENT_HINT"),
        ("warning", "ENVIRONMENT_HINT"),
        ("tip", "ENVIRONMENT_HINT"),
    ],
)
def test_each_hint_type_of_the_description_is_read_and_written_as_one_of_are(described: str, of_are: str) -> None:
    hint = {"hint_type": described, "content": "Be polite", "associated_event_id": "env"}
    imported, _, _ = JsonScenarioImporter().import_from_json(
        json.dumps(build_scenario(build_event("env"), hints=[hint]))
    )
    written = json.loads(JsonScenarioExporter().export_to_json(scenario=imported))
    assert written["metadata"]["definition"]["hints"] == [hint | {"hint_type": of_are}]
    assert imported.adapted == (f"hint_type {described!r} is written as {of_are!r}",)


@pytest.mark.req("004/complete-example-apps", "004/JsonScenarioExporter", "004/schema-serialization")
def test_apps_that_are_lacks_are_written_as_apps_it_has() -> None:
    trace, changed = convert_to_are(load_scenario(SPEC_EXAMPLE).trace)
    assert changed == (
        "app 'EmailApp': EmailApp is not an app of ARE; it is written as EmailClientV2, its lists as folders",
        "NotificationApp.show_reminder is written as EmailApp.send_email_to_user_only",
        "an ENV event without dependencies is written as a USER event",
    )
    (mail,) = (trace.apps[0].app_state or {})["folders"]["INBOX"]["emails"]
    assert (mail["sender"], mail["subject"], mail["timestamp"]) == (
        "client@company.com",
        "Project Delay Concerns",
        1640995100,
    )
    (reminder,) = _export_example()["events"]
    assert (reminder["event_type"], reminder["dependencies"]) == ("USER", [])
    written = reminder["action"]
    assert (written["app"], written["function"]) == ("EmailApp", "send_email_to_user_only")
    assert written["args"][-1] == {
        "name": "content",
        "value": "Don't forget to respond to the client",
        "value_type": "str",
    }
    assert written["operation_type"] == "READ"


def test_writing_what_was_written_changes_nothing_more() -> None:
    text = json.dumps(_export_example())
    again, _, _ = JsonScenarioImporter().import_from_json(text)
    assert again.adapted == ()
    assert json.loads(JsonScenarioExporter().export_to_json(scenario=again)) == json.loads(text)


@pytest.mark.req("004/arg-value")
@pytest.mark.parametrize(
    ("value", "text", "kind"),
    [
        (5, "5", "int"),
        (2.5, "2.5", "float"),
        (True, "True", "bool"),
        (["a"], '["a"]', "list"),
        ({"a": 1}, '{"a": 1}', "dict"),
    ],
)
def test_an_argument_that_is_not_text_becomes_text(value: Any, text: str, kind: str) -> None:
    given = build_event("env")
    given["action"]["args"] = [{"name": "sender", "value": value}]
    imported, _, _ = JsonScenarioImporter().import_from_json(json.dumps(build_scenario(given)))
    assert imported.events[0].action is not None
    (argument,) = imported.events[0].action.args or []
    assert (argument.value, argument.value_type) == (text, kind)
    assert imported.adapted == ("an argument's value that is not text is written as text",)


def test_scenarios_are_loaded_from_json_lines_and_directories(tmp_path: Path) -> None:
    one, two = json.dumps(build_scenario(scenario_id="one")), json.dumps(build_scenario(scenario_id="two"))
    row = json.dumps({"scenario_id": "three", "data": json.dumps(build_scenario(scenario_id="three"))})
    (tmp_path / "b.jsonl").write_text(f"{two}\n\n{row}\n")
    (tmp_path / "a.json").write_text(one)
    (tmp_path / "notes.txt").write_text("no scenario")
    assert [each.scenario_id for each in load_scenarios(tmp_path)] == ["one", "two", "three"]
    assert load_scenario(tmp_path / "a.json").scenario_id == "one"
