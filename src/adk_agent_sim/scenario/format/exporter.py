"""`JsonScenarioExporter`: writes scenarios as JSON that ARE reads, without losing anything that was read."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from adk_agent_sim.errors import ExportRefused
from adk_agent_sim.scenario.apps.registry import strip_module_path
from adk_agent_sim.scenario.format.agent_log import BaseAgentLog
from adk_agent_sim.scenario.format.are_conversion import convert_to_are
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.models import ExportedApp, ExportedTrace, to_json_value
from adk_agent_sim.scenario.format.run_metadata import RunMetadata
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.atomic_files import atomic_write_text
from adk_agent_sim.timeline.file_names import find_unused_path
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

_LOG = get_logger(__name__)

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which UTF-8 cannot encode and only a JSON escape can represent."""


class ExportableWorld(Protocol):
    """A world in which a scenario was run."""

    def export_trace(self) -> ExportedTrace:
        """Return the scenario with the completed events and the apps in their initial states."""
        ...


class JsonScenarioExporter:
    """Writes scenarios in ARE's dialect."""

    def export_to_json(
        self,
        env: ExportableWorld | None = None,
        scenario: ScenarioImportedFromJson | None = None,
        scenario_id: str | None = None,
        *,
        export_apps: bool = True,
        apps_state: Mapping[str, Mapping[str, Any]] | None = None,
        world_logs: Sequence[BaseAgentLog] | None = None,
        run: RunMetadata | None = None,
        indent: int | None = None,
    ) -> str:
        """Return the JSON text of a scenario.

        Args:
            env: The world in which it was run, to include its completed events and the initial states of its apps.
            scenario: The scenario; that of the world if omitted.
            scenario_id: A different id for the file.
            export_apps: Whether to write the apps; they are large and can be stored elsewhere.
            apps_state: Apps to write instead, each with `class_name` and `serialized_state`, a JSON text.
            world_logs: The agent's log, to replace the scenario's own.
            run: Who played, and what else the file says about the run; by default what the scenario says.
            indent: The number of spaces to indent with; everything on one line if None.

        Raises:
            ExportRefused: The scenario contains something that JSON cannot represent.
        """
        trace = _build_trace(env, scenario, scenario_id, export_apps, apps_state, world_logs, run)
        return serialize_trace(trace, indent=indent)

    def export_to_json_file(
        self,
        env: ExportableWorld | None = None,
        scenario: ScenarioImportedFromJson | None = None,
        *,
        output_dir: str | Path,
        scenario_id: str | None = None,
        export_apps: bool = True,
        apps_state: Mapping[str, Mapping[str, Any]] | None = None,
        world_logs: Sequence[BaseAgentLog] | None = None,
        run: RunMetadata | None = None,
        indent: int | None = 2,
    ) -> tuple[bool, str | None]:
        """Write a scenario into a folder, to a new file named after its id.

        Returns:
            Whether it was written, and its path.
        """
        trace = _build_trace(env, scenario, scenario_id, export_apps, apps_state, world_logs, run)
        text = serialize_trace(trace, indent=indent)
        written_id = trace.metadata.definition.scenario_id
        path = find_unused_path(Path(output_dir), written_id, ".json", fallback="scenario")
        try:
            atomic_write_text(path, text + "\n")
        # As in ARE's exporter, the result says whether the file was written.
        except OSError as error:
            _LOG.warning("Could not write scenario %r to %s: %s", written_id, path, error)
            return False, None
        return True, str(path)


def _build_trace(
    env: ExportableWorld | None,
    scenario: ScenarioImportedFromJson | None,
    scenario_id: str | None,
    export_apps: bool,
    apps_state: Mapping[str, Mapping[str, Any]] | None,
    world_logs: Sequence[BaseAgentLog] | None,
    run_metadata: RunMetadata | None,
) -> ExportedTrace:
    changes: dict[str, Any] = {}
    run = None if env is None else env.export_trace()
    if run is not None:
        changes |= {"apps": run.apps, "completed_events": run.completed_events}
    if apps_state is not None:
        changes["apps"] = [_build_app(name, given) for name, given in apps_state.items()]
    base = run if scenario is None else scenario.trace
    if base is None:
        raise ExportRefused("There is nothing to export: pass a world as env, or a scenario.")
    logs = [BaseAgentLog(text) for text in base.world_logs] if world_logs is None else world_logs
    if logs:
        changes["world_logs"] = [each.to_are_text() for each in logs]
    trace, _ = convert_to_are(_with_scenario_id(base.model_copy(update=changes), scenario_id))
    if run_metadata is not None:
        trace = run_metadata.apply_to_trace(trace)
    # After the conversion, which looks up the classes of the apps that events call.
    if not export_apps:
        trace = trace.model_copy(update={"apps": []})
    return trace


def serialize_trace(trace: ExportedTrace, *, indent: int | None = None) -> str:
    """Return the JSON text of a scenario."""
    try:
        text = json.dumps(to_json_value(trace), ensure_ascii=False, allow_nan=False, indent=indent)
        # A lone surrogate cannot be encoded as UTF-8; escaping everything keeps it.
        if text.isascii() or not _LONE_SURROGATE.search(text):
            return text
        return json.dumps(to_json_value(trace), allow_nan=False, indent=indent)
    except (ValueError, RecursionError) as error:
        raise ExportRefused(f"The scenario cannot be written as JSON: {error}.") from error


def _with_scenario_id(trace: ExportedTrace, scenario_id: str | None) -> ExportedTrace:
    if scenario_id is None:
        return trace
    definition = trace.metadata.definition.model_copy(update={"scenario_id": scenario_id})
    return trace.model_copy(update={"metadata": trace.metadata.model_copy(update={"definition": definition})})


def _build_app(name: str, fields: Mapping[str, Any]) -> ExportedApp:
    try:
        state = parse_json(fields.get("serialized_state") or "null")
        return ExportedApp(
            name=name, class_name=strip_module_path(str(fields.get("class_name", name))), app_state=state
        )
    except (InvalidJson, ValueError) as error:
        raise ExportRefused(f"The serialized_state of app {name!r} is not a JSON object: {error}.") from error
