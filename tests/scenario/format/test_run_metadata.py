"""A trace says who played, which run it was, how it was disturbed and what it failed with."""

from __future__ import annotations

import json
from typing import Any

import pytest
from world_builders import build_reply_event, build_world, build_world_event

from adk_agent_sim.scenario import JsonScenarioExporter, JsonScenarioImporter, World
from adk_agent_sim.scenario.format.augmentation_options import AugmentationOptions
from adk_agent_sim.scenario.format.exporter import RunMetadata

RUN = RunMetadata(
    agent_id="mail_agent",
    model_id="gemini-2.5-flash",
    run_number=3,
    exception=TimeoutError("The run took longer than 60 s."),
    augmentation=AugmentationOptions(tool_failure_probability=0.2),
)


def _build_world() -> World:
    world = build_world(build_world_event("u", "USER", delay=0), build_reply_event("r", "u"))
    world.tick()
    return world


def _export(world: World, run: RunMetadata | None, *, by_exporter: bool) -> dict[str, Any]:
    if by_exporter:
        return json.loads(JsonScenarioExporter().export_to_json(env=world, run=run))["metadata"]
    return json.loads(world.export_trace(run).model_dump_json())["metadata"]


@pytest.mark.parametrize("by_exporter", [True, False], ids=["exporter", "world"])
@pytest.mark.req("004/ExportedTraceDefinitionMetadata")
@pytest.mark.req("004/ExportedTraceSimulationMetadata")
def test_the_metadata_of_a_run_is_written(by_exporter: bool) -> None:
    metadata = _export(_build_world(), RUN, by_exporter=by_exporter)

    assert metadata["simulation"] == {"agent_id": "mail_agent", "model_id": "gemini-2.5-flash"}
    definition = metadata["definition"]
    assert definition["run_number"] == 3
    assert definition["has_exception"] is True
    assert definition["exception_type"] == "TimeoutError"
    assert definition["exception_message"] == "The run took longer than 60 s."
    assert (definition["has_tool_augmentation"], definition["has_env_events_augmentation"]) == (True, False)
    assert definition["has_a2a_augmentation"] is False
    config = metadata["runner_config"]
    assert config["tool_augmentation_config"]["tool_failure_probability"] == 0.2
    assert (config["agent"], config["model"]) == ("mail_agent", "gemini-2.5-flash")


def test_without_metadata_a_trace_says_what_its_scenario_says() -> None:
    before = _build_world().scenario.trace.metadata

    assert _build_world().export_trace().metadata == before


def test_a_run_that_ended_well_does_not_keep_an_older_exception() -> None:
    text = JsonScenarioExporter().export_to_json(env=_build_world(), run=RUN)
    scenario = JsonScenarioImporter().import_from_json(json_str=text)[0]
    metadata = World(scenario).export_trace(RunMetadata(agent_id="other")).metadata

    definition, simulation = metadata.definition, metadata.simulation
    assert (definition.has_exception, definition.exception_type, definition.exception_message) == (False, None, None)
    assert simulation is not None
    assert (simulation.agent_id, simulation.model_id) == ("other", "gemini-2.5-flash")
    assert definition.run_number == 3


def test_the_stack_trace_of_a_failed_event_names_modules_and_no_path() -> None:
    world = _build_world()
    world.try_call("Emails", "delete_email", {"email_id": "none"})
    (failed,) = [each.metadata for each in world.export_completed_events() if each.metadata and each.metadata.exception]

    trace = failed.exception_stack_trace
    assert trace is not None
    lines = trace.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1].endswith(failed.exception or "-")
    assert any("adk_agent_sim.scenario.apps.emails, line " in line for line in lines)
    assert "/" not in trace
    assert all(each.metadata and each.metadata.exception_stack_trace is None
               for each in world.export_completed_events()[:1])  # fmt: skip
