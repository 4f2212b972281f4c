"""Annotations: a reviewer's decision and comment on a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from adk_agent_sim.scenario.format.exporter import serialize_trace
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.scenario_files import load_scenario
from adk_agent_sim.timeline.atomic_files import atomic_write_text

_Scenario = TypeVar("_Scenario", bound=ScenarioImportedFromJson)


def with_annotation(scenario: _Scenario, fields: Mapping[str, str], *, now: float) -> _Scenario:
    """Return the scenario with these annotation fields set and dated `now`; other fields are kept."""
    annotation = scenario.annotation.model_copy(update={**fields, "date": now})
    metadata = scenario.trace.metadata.model_copy(update={"annotation": annotation})
    return replace(scenario, trace=scenario.trace.model_copy(update={"metadata": metadata}))


def annotate_file(file: Path, fields: Mapping[str, str], *, now: float) -> ScenarioImportedFromJson:
    """Write annotation fields into a scenario file, preserving whether it is indented.

    Raises:
        InvalidScenario: The file does not contain exactly one scenario; it is not modified.
    """
    scenario = load_scenario(file)
    text = scenario.source.text if scenario.source else ""
    scenario = with_annotation(scenario, fields, now=now)
    indent = 2 if "\n" in text.strip() else None
    # The file was the reader's before, and stays as readable as it was.
    atomic_write_text(file, serialize_trace(scenario.trace, indent=indent) + "\n", keep_mode=True)
    return scenario
