"""Exports of a session: what is written, where, what is refused, and that the session is then shown as exported.

    timeline --read--> _Export --select, redact, render--> file --> recorded in the session's summary

Nothing is overwritten and no golden trace is written twice unless that is asked for, whoever asks.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from adk_agent_sim.adk.loading.agent_loader import create_placeholder_agent
from adk_agent_sim.adk.runs.run_app import has_tool_error_plugin
from adk_agent_sim.errors import AlreadyExported, ExportRefused, NotReplayable, SessionNotFound, StoreFailed
from adk_agent_sim.golden.adk_test_fixture import (
    build_adk_test_fixture,
    find_fixture_obstacles,
)
from adk_agent_sim.golden.eval_agent_folder import describe_unloadable_folder
from adk_agent_sim.golden.eval_criteria import (
    build_eval_command,
    check_config,
    get_config_path,
    read_criteria,
    write_criteria,
)
from adk_agent_sim.golden.eval_set import EvalSetWriter, find_case_id
from adk_agent_sim.golden.export_formats import EXPORT_FORMATS, ExportFormat, build_eval_set_name
from adk_agent_sim.golden.export_paths import find_export_folder, resolve_export_path
from adk_agent_sim.golden.export_source import ExportSource
from adk_agent_sim.golden.golden_trace_builder import GoldenTraceBuilder, build_eval_id
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.golden.text_renderers import TEXT_RENDERERS
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.atomic_files import atomic_write_text, explain_write_errors
from adk_agent_sim.timeline.clock import Clock
from adk_agent_sim.timeline.file_names import find_unused_path
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.read_model.session_summary import ExportEntry, SessionSummary
from adk_agent_sim.timeline.redaction.redacted_records import iter_redacted_records
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.export_records import (
    CriteriaInfo,
    ExportPreview,
    ExportRequest,
    ExportResult,
    WrittenExport,
)
from adk_agent_sim.use_cases.record import OperationResult


def list_export_formats() -> list[ExportFormat]:
    """Return the formats, in the order in which people are offered them."""
    return list(EXPORT_FORMATS.values())


async def export_session(
    timeline: Timeline,
    session_id: str,
    request: ExportRequest,
    agent: SimulatedAgentConfig | None = None,
    *,
    is_confined: bool = False,
    in_thread: bool = True,
    record: Callable[[str, ExportEntry], Awaitable[object]] | None = None,
) -> ExportResult:
    """Write a session to a file, and record it, so that the session is shown as exported.

    Args:
        timeline: The timeline of the session.
        session_id: The session.
        request: The format, the file and the options.
        agent: The session's agent; without it, only its name is known, and files are in the current directory.
        is_confined: Whether the path comes from outside: it must be in the folder of the agent's exports.
        in_thread: Whether the file is written in a thread, so that other tasks go on.
        record: Records the export where the timeline cannot; by default the timeline does.

    Raises:
        SessionNotFound: There is no such session.
        SessionIncomplete: It has a user turn without a final response, or nothing else.
        AlreadyExported: It was exported as this kind of golden trace, and neither `again` nor `replace` is set.
        NotReplayable: `adk test` cannot replay it, and `force` is not set.
        ExportRefused: The file exists, may not be written, or has nothing to replace.
    """
    async with timeline.export_lock:  # otherwise two exports of one session could both find none before them
        export = await _read_export(timeline, session_id, request, agent, is_confined=is_confined)
        result = await asyncio.to_thread(export.write) if in_thread else export.write()
        entry = ExportEntry(
            format=result.format, path=result.path, eval_id=result.eval_id, exported_at=result.exported_at
        )
        try:
            await (record or timeline.record_export)(session_id, entry)
        except StoreFailed as error:
            note = f"The file was written, but the session is not shown as exported: {error}"
            return result.model_copy(update={"warnings": [*result.warnings, note]})
    return result


async def preview_export(
    timeline: Timeline,
    session_id: str,
    request: ExportRequest,
    agent: SimulatedAgentConfig | None = None,
    *,
    is_confined: bool = False,
) -> ExportPreview:
    """Return what `export_session` would write, and where; errors are the same, except for those to override."""
    export = await _read_export(timeline, session_id, request, agent, is_confined=is_confined, has_lines=False)
    return await asyncio.to_thread(export.preview)


async def render_export(
    timeline: Timeline, session_id: str, request: ExportRequest, agent: SimulatedAgentConfig | None = None
) -> str:
    """Return what `export_session` would write, as text; an export that is only shown is not recorded."""
    return (await _read_export(timeline, session_id, request, agent)).text


async def record_export(timeline: Timeline, session_id: str, export: WrittenExport) -> OperationResult:
    """Record an export that another process has written, because this one has the database."""
    await timeline.record_export(session_id, ExportEntry(**dict(export)))
    return OperationResult(session_id=session_id, revision=(await timeline.get_summary(session_id)).last_seq)


async def _read_export(
    timeline: Timeline,
    session_id: str,
    request: ExportRequest,
    agent: SimulatedAgentConfig | None,
    *,
    is_confined: bool = False,
    has_lines: bool = True,
) -> _Export:
    """Read all of an export that is on the timeline."""
    summary = await timeline.get_summary(session_id)
    config = agent or _describe_unknown_agent(summary)
    lines: list[str] = []
    if request.format == "jsonl" and has_lines:
        iter_records = iter_redacted_records if request.is_redacted else jsonl.iter_records
        lines = [jsonl.encode_line(each) async for each in iter_records(timeline.store, summary.session)]
    return _Export(
        request=request,
        source=ExportSource(
            config=config,
            session_id=session_id,
            events=await timeline.read_events(session_id),
            finished_only=request.finished_only,
            include_rejected=request.include_rejected,
            redact=request.is_redacted,
            eval_id_style=request.eval_id_style,
        ),
        lineage=[summary, *[each async for each in _iter_origins(timeline, summary)]],
        lines=lines,
        clock=timeline.clock,
        is_confined=is_confined,
    )


async def _iter_origins(timeline: Timeline, summary: SessionSummary) -> AsyncIterator[SessionSummary]:
    """Yield the session that a session is a fork of, what that is a fork of, and so on, as far as they exist."""
    with suppress(SessionNotFound):
        while summary.forked_from:
            summary = await timeline.get_summary(summary.forked_from)
            yield summary


def _describe_unknown_agent(summary: SessionSummary) -> SimulatedAgentConfig:
    """Return the config of an agent of which only the name is known; its EvalSet is in the current directory."""
    name = summary.agent_name or summary.session.description or "agent"
    agent = create_placeholder_agent(name)
    return SimulatedAgentConfig(name=name, agent=agent, eval_set_path=build_eval_set_name(name))


@dataclass(frozen=True, kw_only=True)
class _Export:
    """An export of one session, which can be written or previewed; it knows files, and no timeline."""

    request: ExportRequest
    source: ExportSource
    lineage: Sequence[SessionSummary]
    """The summary of the session, and those of the sessions that it is a fork of."""
    lines: Sequence[str]
    """The lines of its timeline, if they are what is exported."""
    clock: Clock
    is_confined: bool

    def write(self) -> ExportResult:
        """Write the file; the errors are those of `export_session`."""
        request, path = self.request, self.path
        has_override = request.again or request.replace or request.replaces is not None
        if self._format.is_golden_trace and not has_override and self._previous is not None:
            raise AlreadyExported(self._previous.path, self._previous.eval_id)
        if self._obstacles and not request.force:
            raise NotReplayable(self.source.session_id, self._obstacles)
        self._check_place()
        if request.format == "evalset":
            case = self._writer.write_eval_case(self.source.case, self._replaced_id)
            eval_id, text = case.eval_id, dump_json(to_json_value(case), indent=2)
        else:
            with explain_write_errors(path):
                atomic_write_text(path, self.text, inside=self._boundary)
            eval_id, text = path.stem, "" if self.lines else self.text
        criteria_path = write_criteria(path, request.criteria) if request.criteria is not None else None
        return ExportResult(
            session_id=self.source.session_id,
            revision=self.lineage[0].last_seq,
            format=request.format,
            path=str(path),
            eval_id=eval_id,
            exported_at=self.clock.now(),
            text=text,
            command=self._build_command(criteria_path),
            criteria_path=str(criteria_path) if criteria_path else None,
            left_out=self._left_out,
            warnings=self._list_warnings(),
        )

    def preview(self) -> ExportPreview:
        """Return what `write` would write."""
        self._check_place()
        path, is_eval_set = self.path, self.request.format == "evalset"
        case = self._writer.preview_eval_case(self.source.case, self._replaced_id) if is_eval_set else None
        criteria = read_criteria(path) if is_eval_set else None
        return ExportPreview(
            path=str(path),
            folder=str(self._folder),
            eval_id=case.eval_id if case else path.stem,
            is_appended=self._format.is_appended and path.exists(),
            is_redacted=self.request.is_redacted,
            text=dump_json(to_json_value(case), indent=2) if case else self.text,
            left_out=self._left_out,
            warnings=self._list_warnings(),
            criteria_path=str(get_config_path(path)) if is_eval_set else None,
            criteria=CriteriaInfo(**criteria.model_dump()) if criteria else None,
            obstacles=self._obstacles,
            previous=self._previous,
            replaceable=self._find_replaceable(None),
        )

    @cached_property
    def text(self) -> str:
        """The content of the file, or of the case that is added to it."""
        match self.request.format:
            case "evalset":
                return dump_json(to_json_value(self.source.case), indent=2)
            case "adk-test":
                fixture = build_adk_test_fixture(self.source.session, self.source.trace_events)
                return json.dumps(fixture, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
            case "jsonl":
                return "".join(f"{line}\n" for line in self.lines)
            case name:
                return TEXT_RENDERERS[name](self.source.shown_events)

    @cached_property
    def path(self) -> Path:
        """The file to write."""
        if self._replaced is not None:
            # Checked again: the agent's folders may be others than when it was written.
            return self._resolve(self._replaced.path)
        if self._requested_path is not None:
            return self._requested_path
        if self.request.format == "evalset":
            return self.source.config.resolve_eval_set_path()
        # `adk test` names its test cases by file: the style without colons is valid in a file name on every platform.
        started = self.source.events[0].timestamp if self.source.events else self.lineage[0].session.created_at
        name = build_eval_id(self.source.config.name, started, "selectable")
        return find_unused_path(self._folder, name, self._format.extension)

    @property
    def _format(self) -> ExportFormat:
        return self.request.table_entry

    @property
    def _folder(self) -> Path:
        return find_export_folder(self.source.config, self.request.format)

    @property
    def _boundary(self) -> Path | None:
        """The folder that no link may lead out of; None for that of the file, which a person has named."""
        if self._requested_path is not None and not self.is_confined:
            return None
        return Path(self.source.config.folder or self._folder) if self.request.format == "adk-test" else self._folder

    @property
    def _writer(self) -> EvalSetWriter:
        return EvalSetWriter(self.path, self.source.session.agent_name, self.clock)

    @cached_property
    def _requested_path(self) -> Path | None:
        return self._resolve(self.request.path) if self.request.path else None

    def _resolve(self, path: str) -> Path:
        if self.is_confined:
            return resolve_export_path(self.source.config, self.request.format, path)
        return Path.cwd() / path

    @cached_property
    def _replaced(self) -> ExportEntry | None:
        """What is replaced: the file that was named, or an earlier export; None if nothing is."""
        if not self.request.replace:
            return None
        requested = self._requested_path
        if requested is not None and not self._format.is_appended:
            return self._build_entry(requested, requested.stem)
        if (old := self._find_replaceable(requested)) is None:
            raise ExportRefused("There is no earlier export of this session to be replaced. Add one instead.")
        return old

    @property
    def _replaced_id(self) -> str | None:
        return self._replaced.eval_id if self._replaced else self.request.replaces

    @cached_property
    def _previous(self) -> ExportEntry | None:
        """The last export of the session in this format, by whichever process."""
        return self._find_written(self.lineage[0], None)

    def _find_replaceable(self, path: Path | None) -> ExportEntry | None:
        """Return the export that a corrected session replaces: its own last one, else of what it is a fork of."""
        written = (self._find_written(summary, path) for summary in self.lineage)
        return next((entry for entry in written if entry is not None), None)

    def _find_written(self, summary: SessionSummary, path: Path | None) -> ExportEntry | None:
        """Return the last export of a session in this format, to this file or to any."""
        formats = [entry for entry in summary.exports if entry.format == self.request.format]
        if found := [entry for entry in formats if path is None or Path(entry.path) == path]:
            return found[-1]
        if self.request.format != "evalset":
            return None  # only an EvalSet case holds the id of the session that it was made from
        path = path or self._requested_path or self.source.config.resolve_eval_set_path()
        with explain_write_errors(path):
            known = find_case_id(path, summary.session.session_id)
        return self._build_entry(path, known) if known else None

    def _build_entry(self, path: Path, eval_id: str) -> ExportEntry:
        return ExportEntry(format=self.request.format, path=str(path), eval_id=eval_id, exported_at=0)

    @cached_property
    def _obstacles(self) -> list[str]:
        """Why `adk test` cannot replay the session."""
        if self.request.format != "adk-test":
            return []
        source = self.source
        return find_fixture_obstacles(
            source.session, source.trace_events, self.path, has_tool_error_plugin=self._has_tool_error_plugin
        )

    @property
    def _has_tool_error_plugin(self) -> bool:
        """Whether the agent's app is known to answer tool errors as the simulator does; some traces need that."""
        app = self.source.config.app
        return app is not None and has_tool_error_plugin(app)

    @property
    def _left_out(self) -> list[str]:
        return self.source.left_out if self._format.is_golden_trace else []

    def _list_warnings(self) -> list[str]:
        config, request = self.source.config, self.request
        if request.format == "adk-test" and not config.folder:
            return [f"`adk test` reads fixtures only from the folder `tests` beside agent.py: move {self.path} there."]
        if request.format != "evalset":
            return []
        builder = GoldenTraceBuilder(self.source.session)
        return [
            *describe_unloadable_folder(config.folder),
            *builder.collect_notes(has_tool_error_plugin=self._has_tool_error_plugin),
            *(request.criteria.describe_needs() if request.criteria else ()),
        ]

    def _build_command(self, criteria_path: Path | None) -> str:
        folder = self.source.config.folder
        quoted = shlex.quote(str(folder)) if folder is not None else "AGENT_FOLDER"
        match self.request.format:
            case "evalset":
                return build_eval_command("adk", quoted, self.path, criteria_path)
            case "adk-test":
                return f"adk test {quoted}"
            case _:
                return ""

    def _check_place(self) -> None:
        """Raise ExportRefused if a file would be overwritten, or if the criteria cannot be written beside it."""
        path, criteria = self.path, self.request.criteria
        is_file = self._requested_path is not None and not self._format.is_appended and self._replaced is None
        # A golden trace may have been edited since; a report or a timeline of the same session is only older.
        is_own = not self._format.is_golden_trace and self._previous is not None and Path(self._previous.path) == path
        if is_file and not is_own and (path.exists() or path.is_symlink()):
            raise ExportRefused(f"{path} exists already and was not changed. Choose another name, or replace it.")
        if criteria is not None:
            config_path = get_config_path(path)
            # realpath, because the folder itself may be reached through a link.
            if Path(os.path.realpath(config_path)) != Path(os.path.realpath(path.parent)) / config_path.name:
                raise ExportRefused(f"Nothing was written: {config_path} is a link to another file. Remove the link.")
            check_config(path, criteria)  # before the case is written
