"""Writes a session to a file in one of the export formats, at the place that the agent's config names.

It does not decide whether a session may be exported: `SessionExporter` does.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from adk_agent_sim.errors import ExportRefused, SessionIncomplete
from adk_agent_sim.golden.adk_test_fixture import (
    build_adk_test_fixture,
    find_fixture_obstacles,
    write_adk_test_fixture,
)
from adk_agent_sim.golden.eval_agent_folder import describe_unloadable_folder
from adk_agent_sim.golden.eval_criteria import (
    EvalCriteria,
    build_eval_command,
    check_config,
    get_config_path,
    write_criteria,
)
from adk_agent_sim.golden.eval_set import EvalSetWriter
from adk_agent_sim.golden.export_formats import EXPORT_FORMATS, ExportFormatName
from adk_agent_sim.golden.golden_trace_builder import GoldenTraceBuilder, build_eval_id
from adk_agent_sim.golden.session import SimulatedAgentConfig, SimulationSession, select_exported_events
from adk_agent_sim.golden.user_turns import describe_left_out
from adk_agent_sim.server.exports.api_models import ExportFormatInfo, ExportRecord, ExportResult
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.file_names import find_unused_path
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.strict_json import dump_json


@dataclass(frozen=True, kw_only=True)
class ExportSource:
    """What is exported, and for which agent."""

    config: SimulatedAgentConfig
    session_id: str
    events: Sequence[Event]

    has_tool_error_plugin: bool
    """Whether the agent's app answers tool errors as the simulator does; without it some traces do not replay."""

    now: float
    """When the export was requested, in seconds since 1970."""

    force: bool
    """Whether to write a fixture that `adk test` cannot replay."""

    path: Path | None = None
    """The file that was requested; None for the one that the agent's config names."""

    replaces: str | None = None
    """The case, or the fixture at `path`, whose place it takes; None to add one."""

    is_preview: bool = False
    """Whether nothing is written."""

    criteria: EvalCriteria | None = None
    """What `adk eval` compares; None to leave the criteria of the folder alone."""

    include_rejected: bool = False
    """Whether to include structured responses that the agent's output_schema rejected."""

    def select_events(self) -> Sequence[Event]:
        """Return the events to export; raise SessionIncomplete, which says why, if there are none."""
        finished = select_exported_events(self.events, finished_only=True, include_rejected=self.include_rejected)
        if not finished and (left_out := self.describe_left_out()):
            raise SessionIncomplete(self.session_id, left_out)
        return finished

    def describe_left_out(self) -> list[str]:
        """Return what is not exported, and why."""
        return describe_left_out(self.events, include_rejected=self.include_rejected)


ExportWriter: TypeAlias = Callable[[ExportSource], ExportResult]


def list_export_formats() -> list[ExportFormatInfo]:
    """Return the formats that this server can write, in the order in which people are offered them."""
    return [
        ExportFormatInfo(
            name=each.name,
            label=each.label,
            extension=each.extension,
            requirement=each.requirement,
            is_redactable=each.is_redactable,
        )
        for each in EXPORT_FORMATS.values()
        if each.name in EXPORT_WRITERS
    ]


def write_eval_case(source: ExportSource) -> ExportResult:
    """Append the finished part of a session to the agent's EvalSet; the notes name what is left out."""
    config, session_id = source.config, source.session_id
    session = SimulationSession.from_events(config, session_id, source.select_events())
    notes = [
        *describe_unloadable_folder(config.folder),
        *GoldenTraceBuilder(session).collect_notes(has_tool_error_plugin=source.has_tool_error_plugin),
    ]
    path = source.path or config.resolve_eval_set_path()
    if source.criteria is not None:
        _check_config_place(path)
        check_config(path, source.criteria)  # before the case is written
    writer = EvalSetWriter(path, session.agent_name)
    write = writer.preview_eval_case if source.is_preview else writer.write_eval_case
    case = write(GoldenTraceBuilder(session).build(), source.replaces)
    criteria_path = get_config_path(path) if source.criteria is not None else None
    if source.criteria is not None:
        notes = [*notes, *source.criteria.describe_needs()]
        if not source.is_preview:
            write_criteria(path, source.criteria)
    return ExportResult(
        record=ExportRecord(format="evalset", path=str(path), eval_id=case.eval_id, exported_at=source.now),
        case_json=dump_json(to_json_value(case), indent=2),
        command=build_eval_command("adk", _quote_folder(config), path, criteria_path),
        criteria_path=str(criteria_path) if criteria_path else None,
        notes=[*notes, *source.describe_left_out()],
        left_out=source.describe_left_out(),
        warnings=notes,
    )


def write_test_fixture(source: ExportSource) -> ExportResult:
    """Write the finished part of a session as a new fixture file for `adk test`."""
    config = source.config
    finished = source.select_events()
    session = SimulationSession.from_events(config, source.session_id, finished)
    # `adk test` names its test cases by file: the style without colons is valid in a file name on every platform.
    name = build_eval_id(session.agent_name, session.start_timestamp, "selectable")
    folder = config.folder or config.resolve_eval_set_path().parent
    extension = EXPORT_FORMATS["adk-test"].extension
    path = source.path or find_unused_path(Path(folder) / "tests", name, extension)
    if source.path is not None and source.path.exists() and source.replaces is None:
        raise ExportRefused(f"{path} exists already and was not changed. Choose another name.")
    if not source.is_preview:
        write_adk_test_fixture(
            session,
            finished,
            path,
            has_tool_error_plugin=source.has_tool_error_plugin,
            force=source.force,
            inside=Path(folder),
        )
    move_note = f"`adk test` reads fixtures only from the folder `tests` beside agent.py: move {path} there."
    warnings = [] if config.folder else [move_note]
    return ExportResult(
        record=ExportRecord(format="adk-test", path=str(path), eval_id=path.stem, exported_at=source.now),
        case_json=dump_json(build_adk_test_fixture(session, finished), indent=2),
        command=f"adk test {_quote_folder(config)}",
        notes=[*warnings, *source.describe_left_out()],
        left_out=source.describe_left_out(),
        warnings=warnings,
    )


def find_export_obstacles(source: ExportSource, path: str, format_name: ExportFormatName) -> list[str]:
    """Return why the export is refused unless `force` is set."""
    if format_name != "adk-test":
        return []
    events = source.select_events()
    session = SimulationSession.from_events(source.config, source.session_id, events)
    return find_fixture_obstacles(session, events, path, has_tool_error_plugin=source.has_tool_error_plugin)


EXPORT_WRITERS: Mapping[ExportFormatName, ExportWriter] = {"evalset": write_eval_case, "adk-test": write_test_fixture}
"""The formats for which the agent's config names a place to write to. The others need `adksim export`."""


def _check_config_place(path: Path) -> None:
    """Raise ExportRefused if the criteria would be written to another folder, through a link."""
    folder = Path(os.path.realpath(path.parent))
    config_path = get_config_path(path)
    if Path(os.path.realpath(config_path)) != folder / config_path.name:
        raise ExportRefused(f"Nothing was written: {config_path} is a link to another file. Remove the link.")


def _quote_folder(config: SimulatedAgentConfig) -> str:
    return shlex.quote(str(config.folder)) if config.folder is not None else "AGENT_FOLDER"
