"""`JsonScenarioImporter`: reads scenarios from JSON text, optionally without some of their apps."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from adk_agent_sim.scenario.apps.registry import strip_module_path
from adk_agent_sim.scenario.format.agent_log import BaseAgentLog
from adk_agent_sim.scenario.format.imported_scenario import (
    BenchmarkScenarioImportedFromJson,
    ScenarioImportedFromJson,
    read_scenario,
)
from adk_agent_sim.scenario.format.models import ExportedApp, ExportedCompletedEvent, ExportedHuggingFaceMetadata


class JsonScenarioImporter:
    """Reads scenarios in ARE's dialect and in that of the format's specification."""

    def import_from_json(
        self,
        json_str: str | bytes,
        apps_to_skip: Collection[str] | None = None,
        apps_to_keep: Collection[str] | None = None,
        load_completed_events: bool = True,
    ) -> tuple[ScenarioImportedFromJson, list[ExportedCompletedEvent], list[BaseAgentLog]]:
        """Read a scenario.

        Args:
            json_str: The text of the file.
            apps_to_skip: Apps to omit, by name or class name.
            apps_to_keep: The only apps to read, by name or class name.
            load_completed_events: Whether to read the completed events.

        Returns:
            The scenario, its completed events, and the agent's logs.

        Raises:
            InvalidScenario: The text is not a scenario; the message says where and why.
        """
        scenario = read_scenario(json_str)
        changes: dict[str, Any] = {}
        if apps_to_skip is not None or apps_to_keep is not None:
            changes["apps"] = [app for app in scenario.apps if _is_wanted(app, apps_to_skip, apps_to_keep)]
        if not load_completed_events and scenario.completed_events:
            changes["completed_events"] = []
        scenario = replace(scenario, trace=scenario.trace.model_copy(update=changes))
        logs = [BaseAgentLog(text) for text in scenario.trace.world_logs]
        return scenario, scenario.completed_events, logs

    def import_from_json_to_benchmark(
        self,
        json_str: str | bytes,
        apps_to_skip: Collection[str] | None = None,
        apps_to_keep: Collection[str] | None = None,
        load_completed_events: bool = True,
        hf_metadata: ExportedHuggingFaceMetadata | Mapping[str, Any] | None = None,
    ) -> tuple[BenchmarkScenarioImportedFromJson, list[ExportedCompletedEvent], list[BaseAgentLog]]:
        """Read a scenario of a benchmark; `hf_metadata` is its origin, if the file does not have it."""
        scenario, events, logs = self.import_from_json(json_str, apps_to_skip, apps_to_keep, load_completed_events)
        trace = scenario.trace
        if hf_metadata is not None:
            origin = ExportedHuggingFaceMetadata.model_validate(hf_metadata)
            definition = scenario.definition.model_copy(update={"hf_metadata": origin})
            metadata = trace.metadata.model_copy(update={"definition": definition})
            trace = trace.model_copy(update={"metadata": metadata})
        benchmark = BenchmarkScenarioImportedFromJson(trace=trace, adapted=scenario.adapted, source=scenario.source)
        return benchmark, events, logs


def _is_wanted(app: ExportedApp, skip: Collection[str] | None, keep: Collection[str] | None) -> bool:
    names = {app.name, strip_module_path(app.class_name or "")}
    return names.isdisjoint(skip or ()) and (keep is None or not names.isdisjoint(keep))
