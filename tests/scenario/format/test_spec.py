"""The code blocks of the format's specification, with this project's import path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError
from scenario_corpus import SPEC_EXAMPLE, load_scenarios, load_traces

from adk_agent_sim.errors import ExportRefused
from adk_agent_sim.scenario import (
    BaseAgentLog,
    JsonScenarioExporter,
    JsonScenarioImporter,
    ScenarioImportedFromJson,
    World,
    load_scenario,
)
from adk_agent_sim.scenario.apps.contacts import ContactsApp
from adk_agent_sim.scenario.format import models

_TRACE = json.dumps(load_traces()["scenario_synth_s04_shopping-oracle"])


def _import_example() -> ScenarioImportedFromJson:
    return JsonScenarioImporter().import_from_json(SPEC_EXAMPLE.read_bytes())[0]


@pytest.mark.req("004/JsonScenarioImporter", "004/ScenarioImportedFromJson", "004/example-import")
def test_programmatic_access(tmp_path: Path) -> None:
    (tmp_path / "scenario.json").write_text(_TRACE)
    importer = JsonScenarioImporter()
    with (tmp_path / "scenario.json").open() as f:
        json_content = f.read()
    scenario, completed_events, world_logs = importer.import_from_json(
        json_str=json_content, load_completed_events=True
    )
    assert scenario.scenario_id == "scenario_synth_s04_shopping"
    assert scenario.duration == 1000
    assert len(scenario.hints) == 1
    assert scenario.tags == ("Execution",)
    assert len(completed_events) == len(json.loads(_TRACE)["completed_events"])
    assert world_logs == []
    assert importer.import_from_json(json_str=json_content, load_completed_events=False)[1] == []


@pytest.mark.req("004/example-filter-apps")
def test_filtering_applications() -> None:
    importer = JsonScenarioImporter()
    json_content = json.dumps(load_scenarios()["scenario_synth_s04_shopping"])
    every = [app.name for app in importer.import_from_json(json_str=json_content)[0].apps]
    scenario, _, _ = importer.import_from_json(json_str=json_content, apps_to_skip=["EmailClientV2", "Chats"])
    assert [app.name for app in scenario.apps] == [name for name in every if name not in ("Emails", "Chats")]
    scenario, _, _ = importer.import_from_json(json_str=json_content, apps_to_keep=["Files", "Messages"])
    assert {app.name for app in scenario.apps} == {"Files", "Messages"}


@pytest.mark.req("004/BenchmarkScenarioImportedFromJson", "004/example-benchmark", "004/ExportedHuggingFaceMetadata")
def test_benchmark_scenarios() -> None:
    importer = JsonScenarioImporter()
    benchmark_scenario, completed_events, _ = importer.import_from_json_to_benchmark(
        json_str=_TRACE, load_completed_events=True
    )
    assert completed_events
    assert not hasattr(benchmark_scenario, "hf_metadata")
    origin = {"dataset": "gaia2", "split": "validation"}
    benchmark_scenario, _, _ = importer.import_from_json_to_benchmark(json_str=_TRACE, hf_metadata=origin)
    assert hasattr(benchmark_scenario, "hf_metadata")
    assert benchmark_scenario.hf_metadata.dataset == "gaia2"
    written = JsonScenarioExporter().export_to_json(scenario=benchmark_scenario)
    assert json.loads(written)["metadata"]["definition"]["hf_metadata"] == origin
    again, _, _ = importer.import_from_json_to_benchmark(json_str=written)
    assert (again.hf_metadata.dataset, again.hf_metadata.split) == ("gaia2", "validation")


def _run_world() -> World:
    """The world of the complete example after its last event: the reminder has been shown."""
    world = World(_import_example())
    world.run_oracle()
    return world


@pytest.mark.req("004/JsonScenarioExporter", "004/example-export")
def test_scenario_export(tmp_path: Path) -> None:
    environment = _run_world()
    json_output = JsonScenarioExporter().export_to_json(
        env=environment, scenario=environment.scenario, scenario_id="my_scenario_001"
    )
    (tmp_path / "exported_scenario.json").write_text(json_output)

    again = load_scenario(tmp_path / "exported_scenario.json")
    assert again.scenario_id == "my_scenario_001"
    assert environment.scenario.scenario_id == "email_apology_001"
    assert again.duration == 300
    assert [each.event_id for each in again.events] == ["reminder_001"]
    assert [each.event_id for each in again.completed_events] == ["reminder_001"]
    (mail,) = [app for app in again.apps if app.name == "EmailApp"]
    assert [each["subject"] for each in (mail.app_state or {})["folders"]["INBOX"]["emails"]] == [
        "Project Delay Concerns"
    ]


def _list_sent_subjects(trace: Any, app: str) -> list[str]:
    (state,) = [each["app_state"] for each in trace["apps"] if each["name"] == app]
    return [mail["subject"] for mail in state["folders"]["SENT"]["emails"]]


@pytest.mark.req("004/JsonScenarioExporter", "004/ExportedCompletedEvent", "004/operation-type")
def test_what_happened_in_a_world_is_exported_apart_from_what_was_scheduled() -> None:
    file = json.dumps(load_scenarios()["scenario_synth_s04_shopping"])
    world = World(JsonScenarioImporter().import_from_json(file)[0])
    world.tick()
    world.call("Emails", "list_emails", {"folder_name": "INBOX"})
    world.call("Emails", "send_email", {"recipients": ["a@example.org"], "subject": "By the agent"})
    with pytest.raises(ValueError, match="does not exist"):
        world.call("Emails", "delete_email", {"email_id": "x", "folder_name": "INBOX"})
    written = json.loads(JsonScenarioExporter().export_to_json(env=world, scenario=world.scenario))

    assert written["events"] == json.loads(file)["events"]
    asked, listed, sent, failed = written["completed_events"]
    assert asked["event_id"] == written["events"][0]["event_id"]
    assert (asked["class_name"], asked["event_type"]) == ("CompletedEvent", "USER")
    assert (sent["event_type"], sent["event_time"]) == ("AGENT", world.now)
    assert [sent["action"][key] for key in ("app", "function")] == ["Emails", "send_email"]
    assert [event["action"]["operation_type"] for event in (listed, sent)] == ["READ", "WRITE"]
    assert {"name": "subject", "value": "By the agent", "value_type": "str"} in sent["action"]["args"]
    assert sent["metadata"]["return_value"]
    assert failed["metadata"]["exception"] == "Email with id x does not exist"
    assert "By the agent" not in _list_sent_subjects(written, "Emails")  # the states are those of the start, as in ARE
    assert _list_sent_subjects(written, "Emails") == _list_sent_subjects(json.loads(file), "Emails")
    _, completed_events, _ = JsonScenarioImporter().import_from_json(json.dumps(written))
    assert completed_events == world.export_completed_events()


@pytest.mark.req("004/example-export-file")
def test_export_to_file(tmp_path: Path) -> None:
    exporter = JsonScenarioExporter()
    environment = _run_world()
    scenario = environment.scenario
    success, file_path = exporter.export_to_json_file(
        env=environment, scenario=scenario, output_dir=tmp_path, export_apps=True
    )
    assert success
    assert file_path == str(tmp_path / "email_apology_001.json")
    written = load_scenario(tmp_path / "email_apology_001.json")
    assert [each.event_id for each in written.completed_events] == ["reminder_001"]
    assert "EmailApp" in {app.name for app in written.apps}
    _, second = exporter.export_to_json_file(env=environment, scenario=scenario, output_dir=tmp_path, export_apps=False)
    assert second == str(tmp_path / "email_apology_001_2.json")
    assert load_scenario(tmp_path / "email_apology_001_2.json").apps == []
    (tmp_path / "file").write_text("")
    failed = exporter.export_to_json_file(env=environment, scenario=scenario, output_dir=tmp_path / "file" / "below")
    assert failed == (False, None)


def test_a_hostile_scenario_id_stays_in_the_output_directory(tmp_path: Path) -> None:
    _, path = JsonScenarioExporter().export_to_json_file(
        scenario=_import_example(), output_dir=tmp_path / "out", scenario_id="../../etc/passwd"
    )
    assert path is not None
    assert Path(path).parent == tmp_path / "out"


@pytest.mark.req("004/example-export-apps")
def test_controlling_app_export() -> None:
    exporter = JsonScenarioExporter()
    environment = _run_world()
    bare = json.loads(
        exporter.export_to_json(
            env=environment, scenario=environment.scenario, scenario_id="lightweight_scenario", export_apps=False
        )
    )
    assert bare["apps"] == []
    assert len(bare["completed_events"]) == 1
    custom_app_states = {
        "EmailApp": {
            "class_name": "are.simulation.apps.email.EmailApp",
            "serialized_state": '{"inbox": [], "sent": []}',
        }
    }
    json_output = exporter.export_to_json(
        env=environment,
        scenario=environment.scenario,
        scenario_id="custom_app_scenario",
        apps_state=custom_app_states,
    )
    (app,) = json.loads(json_output)["apps"]
    assert (app["name"], app["class_name"]) == ("EmailApp", "EmailClientV2")
    assert app["app_state"]["folders"]["INBOX"] == {"folder_name": "INBOX", "emails": []}


@pytest.mark.req("004/example-import", "004/example-world-logs")
def test_working_with_world_logs() -> None:
    logged = {"timestamp": 1640995200, "level": "INFO", "message": "Agent started scenario execution"}
    world_logs = [BaseAgentLog.from_dict(logged)]
    environment = _run_world()
    json_output = JsonScenarioExporter().export_to_json(
        env=environment, scenario=environment.scenario, scenario_id="scenario_with_logs", world_logs=world_logs
    )
    _, completed_events, again = JsonScenarioImporter().import_from_json(json_output)
    assert [each.fields for each in again] == [logged]
    assert len(completed_events) == 1
    # ARE refuses entries without a type, and a second export does not wrap the entry again.
    (text,) = json.loads(json_output)["world_logs"]
    assert json.loads(text)["log_type"] == "thought"
    assert again[0].to_are_text() == text
    typed = BaseAgentLog.from_dict({"log_type": "stop", "timestamp": 1.0, "agent_id": "a", "content": "x"})
    assert typed.to_are_text() == typed.text


def test_a_world_is_exported_with_positional_arguments_and_without_a_scenario(tmp_path: Path) -> None:
    world = World(_import_example())
    world.run_oracle()
    exporter = JsonScenarioExporter()
    text = exporter.export_to_json(world, world.scenario, "my_scenario_001")
    assert json.loads(text)["metadata"]["definition"]["scenario_id"] == "my_scenario_001"
    assert len(json.loads(text)["completed_events"]) == 1
    assert exporter.export_to_json(world) == exporter.export_to_json(env=world, scenario=world.scenario)
    success, path = exporter.export_to_json_file(world, output_dir=tmp_path)
    assert (success, path) == (True, str(tmp_path / "email_apology_001.json"))
    with pytest.raises(ExportRefused, match="nothing to export"):
        exporter.export_to_json()


_REQUIRED = object()

_FIELDS: dict[str, dict[str, tuple[Any, Any]]] = {
    "ExportedTraceBase": {
        "world_logs": (list[str], []),
        "apps": (list[models.ExportedApp], []),
        "events": (list[models.ExportedEvent | models.ExportedOracleEvent], []),
        "completed_events": (list[models.ExportedCompletedEvent], []),
        "version": (str, _REQUIRED),
        "context": (str | None, None),
        "augmentation": (dict[str, Any] | None, None),
    },
    "ExportedTrace": {"metadata": (models.ExportedTraceMetadata, _REQUIRED), "version": (str, _REQUIRED)},
    "ExportedTraceMetadata": {
        "definition": (models.ExportedTraceDefinitionMetadata, _REQUIRED),
        "simulation": (models.ExportedTraceSimulationMetadata | None, None),
        "annotation": (models.ExportedTraceAnnotationMetadata | None, None),
        "execution": (dict[str, Any] | None, None),
        "runner_config": (dict[str, Any] | None, None),
    },
    "ExportedTraceDefinitionMetadata": {
        "scenario_id": (str, _REQUIRED),
        "seed": (int | None, None),
        "duration": (float | None, None),
        "time_increment_in_seconds": (int | None, None),
        "start_time": (float | None, None),
        "run_number": (int | None, None),
        "hints": (list[models.ExportedHint], []),
        "config": (str | None, None),
        "has_a2a_augmentation": (bool, False),
        "has_tool_augmentation": (bool, False),
        "has_env_events_augmentation": (bool, False),
        "has_exception": (bool, False),
        "exception_type": (str | None, None),
        "exception_message": (str | None, None),
        "tags": (list[str] | None, None),
        "hf_metadata": (models.ExportedHuggingFaceMetadata | None, None),
    },
    "ExportedTraceSimulationMetadata": {"agent_id": (str | None, None), "model_id": (str | None, None)},
    "ExportedTraceAnnotationMetadata": {
        "annotation_id": (str | None, None),
        "annotator": (str | None, None),
        "validation_decision": (str | None, None),
        "comment": (str | None, None),
        "date": (float, 0.0),
    },
    "ExportedApp": {
        "name": (str, _REQUIRED),
        "class_name": (str | None, None),
        "app_state": (dict[str, Any] | None, None),
    },
    "ExportedEvent": {
        "class_name": (str, _REQUIRED),
        "event_type": (str, _REQUIRED),
        "event_time": (float | None, _REQUIRED),
        "event_id": (str, _REQUIRED),
        "dependencies": (list[str], _REQUIRED),
        "event_relative_time": (float | None, _REQUIRED),
        "action": (models.ExportedAction | None, None),
    },
    "ExportedCompletedEvent": {
        "class_name": (str, _REQUIRED),
        "event_type": (str, _REQUIRED),
        "event_time": (float, _REQUIRED),
        "event_id": (str, _REQUIRED),
        "dependencies": (list[str], _REQUIRED),
        "event_relative_time": (float | None, _REQUIRED),
        "action": (models.ExportedAction | None, None),
        "metadata": (models.ExportedEventMetadata | None, None),
    },
    "ExportedOracleEvent": {"event_id": (str, _REQUIRED), "event_time_comparator": (str | None, None)},
    "ExportedAction": {
        "action_id": (str, _REQUIRED),
        "app": (str | None, None),
        "function": (str | None, None),
        "operation_type": (str | None, None),
        "args": (list[models.ExportedActionArg] | None, None),
    },
    "ExportedActionArg": {"name": (str, _REQUIRED), "value": (str | None, None), "value_type": (str | None, None)},
    "ExportedHint": {
        "hint_type": (str, _REQUIRED),
        "content": (str, _REQUIRED),
        "associated_event_id": (str, _REQUIRED),
    },
}
"""The fields of the description: type and default. Where they differ, docs/requirements.md says why."""

_ARG: dict[str, Any] = {"name": "to", "value": "Ada", "value_type": "str"}
_ACTION: dict[str, Any] = {"action_id": "a", "app": "Emails", "function": "f", "operation_type": "READ", "args": [_ARG]}
_EVENT: dict[str, Any] = {
    "class_name": "Event",
    "event_type": "ENV",
    "event_time": 5,
    "event_id": "e",
    "dependencies": ["d"],
    "event_relative_time": 2.5,
    "action": _ACTION,
}
_HINT = {"hint_type": "TASK_HINT", "content": "Be polite", "associated_event_id": "e"}
_DEFINITION: dict[str, Any] = {"scenario_id": "s", "hints": [_HINT], "hf_metadata": {"dataset": "d", "split": "s"}}
_TEXT: dict[str, Any] = {"version": "are_simulation_v1"}

_WHOLE: dict[str, dict[str, Any]] = {
    "ExportedTraceBase": _TEXT | {"apps": [{"name": "Emails"}], "events": [_EVENT], "completed_events": [_EVENT]},
    "ExportedTrace": _TEXT | {"metadata": {"definition": _DEFINITION}},
    "ExportedTraceMetadata": {
        "definition": _DEFINITION,
        "simulation": {"agent_id": "a"},
        "annotation": {"date": 1},
        "execution": {"run_duration": 2.5},
        "runner_config": {"agent": "default"},
    },
    "ExportedTraceDefinitionMetadata": _DEFINITION,
    "ExportedTraceSimulationMetadata": {"agent_id": "a", "model_id": "m"},
    "ExportedTraceAnnotationMetadata": {"annotator": "Ada", "date": 1.5},
    "ExportedApp": {"name": "Emails", "class_name": "EmailClientV2", "app_state": {}},
    "ExportedEvent": _EVENT,
    "ExportedCompletedEvent": _EVENT | {"metadata": {"return_value": "x"}},
    "ExportedOracleEvent": _EVENT | {"event_time_comparator": "EQUAL"},
    "ExportedAction": _ACTION,
    "ExportedActionArg": _ARG,
    "ExportedHint": _HINT,
}

_CANDIDATES: list[Any] = ["text", 5, 2.5, True, None, ["text"], [5], [{}], {}, {"key": "value"}]


def _accepts(kind: Any, value: Any) -> bool:
    try:
        TypeAdapter(kind).validate_python(value, strict=True)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("name", _FIELDS)
@pytest.mark.req(
    "004/ExportedTraceBase",
    "004/ExportedTrace",
    "004/ExportedTraceMetadata",
    "004/ExportedTraceDefinitionMetadata",
    "004/ExportedTraceSimulationMetadata",
    "004/ExportedTraceAnnotationMetadata",
    "004/ExportedApp",
    "004/ExportedEvent",
    "004/ExportedCompletedEvent",
    "004/ExportedOracleEvent",
    "004/ExportedAction",
    "004/ExportedActionArg",
    "004/ExportedHint",
    "004/schema-types",
)
def test_the_models_have_the_fields_types_and_defaults_of_the_description(name: str) -> None:
    model: type[BaseModel] = getattr(models, name)
    whole = _WHOLE[name]
    assert models.to_json_value(model.model_validate(whole)) == whole
    for field, (kind, default) in _FIELDS[name].items():
        without = {key: value for key, value in whole.items() if key != field}
        assert _accepts(model, without) is (default is not _REQUIRED), field
        if default is not _REQUIRED:
            assert getattr(model.model_validate(without), field) == default, field
        for value in _CANDIDATES:
            assert _accepts(model, whole | {field: value}) is _accepts(kind, value), (field, value)


@pytest.mark.req("004/ExportedApp")
def test_the_name_of_an_app_stands_for_a_missing_class_name() -> None:
    trace = _TEXT | {"metadata": {"definition": {"scenario_id": "s"}}, "apps": [{"name": "ContactsApp"}]}
    world = World(JsonScenarioImporter().import_from_json(json.dumps(trace))[0])
    assert type(world.apps["ContactsApp"]) is ContactsApp


@pytest.mark.req("004/ExportedOracleEvent", "004/event-class-name")
@pytest.mark.parametrize("marker", [{"event_time_comparator": "LESS_THAN"}, {"class_name": "OracleEvent"}])
def test_an_oracle_event_is_known_by_its_comparator_or_its_class_name(marker: dict[str, str]) -> None:
    trace = _TEXT | {"metadata": {"definition": {"scenario_id": "s"}}, "events": [_EVENT | marker, _EVENT]}
    imported, _, _ = JsonScenarioImporter().import_from_json(json.dumps(trace))
    expected, scheduled = imported.events
    assert isinstance(expected, models.ExportedOracleEvent)
    assert expected.event_time_comparator == marker.get("event_time_comparator")
    assert not isinstance(scheduled, models.ExportedOracleEvent)
