"""The code blocks of the format's specification, with this project's import path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scenario_corpus import SPEC_EXAMPLE, load_scenarios, load_traces

from adk_agent_sim.scenario import BaseAgentLog, JsonScenarioExporter, JsonScenarioImporter, ScenarioImportedFromJson
from adk_agent_sim.scenario.format import models
from adk_agent_sim.scenario.format.models import ExportedApp, ExportedCompletedEvent

_TRACE = json.dumps(load_traces()["scenario_synth_s04_shopping-oracle"])


def _imported() -> ScenarioImportedFromJson:
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
    written = json.loads(JsonScenarioExporter().export_to_json(scenario=benchmark_scenario))
    assert written["metadata"]["definition"]["hf_metadata"] == origin


class _World:
    def list_exported_apps(self) -> list[ExportedApp]:
        return [ExportedApp(name="Emails", class_name="EmailClientV2", app_state={"folders": {}})]

    def list_exported_events(self) -> list[ExportedCompletedEvent]:
        happened: dict[str, Any] = {
            "class_name": "CompletedEvent",
            "event_type": "ENV",
            "event_id": "e",
            "dependencies": [],
        }
        return [ExportedCompletedEvent.model_validate(happened | {"event_time": 5, "event_relative_time": None})]


@pytest.mark.req("004/JsonScenarioExporter", "004/example-export", "004/ExportedCompletedEvent")
def test_scenario_export() -> None:
    json_output = JsonScenarioExporter().export_to_json(
        env=_World(), scenario=_imported(), scenario_id="my_scenario_001"
    )
    written = json.loads(json_output)
    assert written["metadata"]["definition"]["scenario_id"] == "my_scenario_001"
    assert [app["name"] for app in written["apps"]] == ["Emails"]
    assert [event["event_id"] for event in written["completed_events"]] == ["e"]


@pytest.mark.req("004/example-export-file")
def test_export_to_file(tmp_path: Path) -> None:
    exporter = JsonScenarioExporter()
    success, file_path = exporter.export_to_json_file(env=None, scenario=_imported(), output_dir=tmp_path)
    assert success
    assert file_path == str(tmp_path / "email_apology_001.json")
    _, second = exporter.export_to_json_file(env=None, scenario=_imported(), output_dir=tmp_path, export_apps=False)
    assert second == str(tmp_path / "email_apology_001_2.json")
    (tmp_path / "file").write_text("")
    failed = exporter.export_to_json_file(scenario=_imported(), output_dir=tmp_path / "file" / "below")
    assert failed == (False, None)


def test_a_hostile_scenario_id_stays_in_the_output_directory(tmp_path: Path) -> None:
    _, path = JsonScenarioExporter().export_to_json_file(
        scenario=_imported(), output_dir=tmp_path / "out", scenario_id="../../etc/passwd"
    )
    assert path is not None
    assert Path(path).parent == tmp_path / "out"


@pytest.mark.req("004/example-export-apps", "004/ExportedApp")
def test_controlling_app_export() -> None:
    exporter = JsonScenarioExporter()
    bare = json.loads(
        exporter.export_to_json(scenario=JsonScenarioImporter().import_from_json(_TRACE)[0], export_apps=False)
    )
    assert bare["apps"] == []
    custom_app_states = {
        "EmailApp": {
            "class_name": "are.simulation.apps.email.EmailApp",
            "serialized_state": '{"inbox": [], "sent": []}',
        }
    }
    json_output = exporter.export_to_json(
        env=None, scenario=_imported(), scenario_id="custom_app_scenario", apps_state=custom_app_states
    )
    (app,) = json.loads(json_output)["apps"]
    assert (app["name"], app["class_name"]) == ("EmailApp", "EmailClientV2")
    assert app["app_state"]["folders"]["INBOX"] == {"folder_name": "INBOX", "emails": []}


@pytest.mark.req("004/example-world-logs")
def test_working_with_world_logs() -> None:
    logged = {"timestamp": 1640995200, "level": "INFO", "message": "Agent started scenario execution"}
    world_logs = [BaseAgentLog.from_dict(logged)]
    json_output = JsonScenarioExporter().export_to_json(
        env=None, scenario=_imported(), scenario_id="scenario_with_logs", world_logs=world_logs
    )
    _, _, again = JsonScenarioImporter().import_from_json(json_output)
    assert [each.fields for each in again] == [logged]


_FIELDS: dict[str, set[str]] = {
    "ExportedTraceBase": {"world_logs", "apps", "events", "completed_events", "version", "context", "augmentation"},
    "ExportedTrace": {"metadata"},
    "ExportedTraceMetadata": {"definition", "simulation", "annotation"},
    "ExportedTraceDefinitionMetadata": {
        *("scenario_id", "seed", "duration", "time_increment_in_seconds", "start_time", "run_number", "hints"),
        *("config", "has_a2a_augmentation", "has_tool_augmentation", "has_env_events_augmentation", "has_exception"),
        *("exception_type", "exception_message", "tags", "hf_metadata"),
    },
    "ExportedTraceSimulationMetadata": {"agent_id", "model_id"},
    "ExportedTraceAnnotationMetadata": {"annotation_id", "annotator", "validation_decision", "comment", "date"},
    "ExportedApp": {"name", "class_name", "app_state"},
    "ExportedEvent": {
        *("class_name", "event_type", "event_time", "event_id", "dependencies", "event_relative_time", "action"),
    },
    "ExportedOracleEvent": {"event_time_comparator"},
    "ExportedAction": {"action_id", "app", "function", "operation_type", "args"},
    "ExportedActionArg": {"name", "value", "value_type"},
    "ExportedHint": {"hint_type", "content", "associated_event_id"},
}


@pytest.mark.parametrize("name", _FIELDS)
@pytest.mark.req(
    "004/ExportedTrace",
    "004/ExportedTraceMetadata",
    "004/ExportedTraceDefinitionMetadata",
    "004/ExportedTraceSimulationMetadata",
    "004/ExportedTraceAnnotationMetadata",
    "004/ExportedEvent",
    "004/ExportedOracleEvent",
    "004/ExportedAction",
    "004/ExportedActionArg",
    "004/ExportedHint",
)
def test_the_models_have_the_fields_of_the_description(name: str) -> None:
    model: Any = getattr(models, name)
    assert _FIELDS[name] <= set(model.model_fields)
