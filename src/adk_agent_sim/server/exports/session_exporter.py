"""Exports sessions as golden traces: finds the agent's config, refuses repeated exports, records what it wrote."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

from adk_agent_sim.adk.loading.agent_loader import create_placeholder_agent
from adk_agent_sim.errors import AgentNotLocal, AlreadyExported, ExportRefused, MalformedValue, SessionNotFound
from adk_agent_sim.golden.eval_criteria import EvalCriteria, get_config_path, read_criteria
from adk_agent_sim.golden.eval_set import find_case_id
from adk_agent_sim.golden.export_formats import EXPORT_FORMATS, build_eval_set_name
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.server.evals.eval_catalog import EvalCatalog
from adk_agent_sim.server.exports.api_models import (
    CriteriaInfo,
    EvalCaseKeys,
    ExportInput,
    ExportPreview,
    ExportRecord,
    ExportResult,
)
from adk_agent_sim.server.exports.export_paths import find_export_folder, resolve_export_path
from adk_agent_sim.server.exports.export_writers import EXPORT_WRITERS, ExportSource, find_export_obstacles
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.timeline.read_model.session_summary import ExportEntry, SessionSummary
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.write_errors import explain_write_errors


class SessionExporter:
    """Writes sessions to the files that their agents' configs name, and to no others."""

    def __init__(self, timeline: Timeline, runs: SessionRuns, evals: EvalCatalog | None = None) -> None:
        self._timeline = timeline
        self._runs = runs
        self._evals = evals
        self._write_lock = asyncio.Lock()

    async def export_session(self, session_id: str, export_input: ExportInput) -> ExportResult:
        """Write the finished part of a session as a golden trace.

        Raises:
            AgentNotLocal: The session's agent is not one of this server's.
            AlreadyExported: The session was exported in this format before, and `again` is not set.
            MalformedValue: The server does not write this format.
        """
        source = await self._build_source(session_id, export_input)
        write = EXPORT_WRITERS[export_input.format]
        async with self._write_lock:  # otherwise two exports of one session could both find none before them
            if not (export_input.again or export_input.replace):
                await self._check_not_exported(export_input, source)
            result = await asyncio.to_thread(write, source)
            entry = ExportEntry(**dict(result.record))
            await self._timeline.record_export(session_id, entry)
        return result.model_copy(update={"eval_case": await self._find_case(session_id, result.record)})

    async def _find_case(self, session_id: str, record: ExportRecord) -> EvalCaseKeys | None:
        """Return where the eval pages show what was written; None if they do not."""
        agent = self._runs.find_agent(await self._timeline.get_summary(session_id))
        if self._evals is None or agent is None or record.format != "evalset":
            return None
        file = self._evals.add_export(Path(record.path), agent.key)
        case_key = await file.find_key_of(record.eval_id) if file is not None else ""
        return EvalCaseKeys(file_key=file.key, case_key=case_key) if file is not None and case_key else None

    async def preview_export(self, session_id: str, export_input: ExportInput) -> ExportPreview:
        """Return what `export_session` would write, and where; errors are the same, except for those to override."""
        source = replace(await self._build_source(session_id, export_input), is_preview=True)
        result = await asyncio.to_thread(EXPORT_WRITERS[export_input.format], source)
        path = result.record.path
        is_eval_set = export_input.format == "evalset"
        criteria = await asyncio.to_thread(read_criteria, Path(path)) if is_eval_set else None
        exists = await asyncio.to_thread(os.path.exists, path)
        return ExportPreview(
            path=path,
            folder=str(find_export_folder(source.config, export_input.format)),
            eval_id=result.record.eval_id,
            is_appended=EXPORT_FORMATS[export_input.format].is_appended and exists,
            case_json=result.case_json,
            left_out=result.left_out,
            warnings=result.warnings,
            criteria_path=str(get_config_path(Path(path))) if is_eval_set else None,
            criteria=CriteriaInfo(**criteria.model_dump()) if criteria else None,
            obstacles=await asyncio.to_thread(find_export_obstacles, source, path, export_input.format),
            previous=await self._find_previous_export(export_input, source),
            replaceable=await self._find_replaceable(export_input, source),
        )

    async def _build_source(self, session_id: str, export_input: ExportInput) -> ExportSource:
        summary = await self._timeline.get_summary(session_id)
        if export_input.format not in EXPORT_WRITERS:
            raise MalformedValue("The format", f"{export_input.format!r} is written by `adksim export` only")
        agent = self._runs.find_agent(summary) or await self._runs.load_agent(summary)
        if agent is None and not self._runs.allow_remote_agents:
            raise AgentNotLocal(session_id, "export a golden trace")
        # Without a run, one on a timeline of its own tells which plugins the agent's app has.
        run = self._runs.find(session_id) or (agent.create_run(Timeline()) if agent else None)
        config = agent.config if agent else _build_remote_agent_config(summary)
        requested = export_input.path
        source = ExportSource(
            config=config,
            path=resolve_export_path(config, export_input.format, requested) if requested else None,
            session_id=session_id,
            events=await self._timeline.read_events(session_id),
            has_tool_error_plugin=run.has_tool_error_plugin if run else False,
            now=self._timeline.clock.now(),
            force=export_input.force,
            include_rejected=export_input.include_rejected,
            criteria=_read_criteria_input(export_input),
        )
        if not export_input.replace:
            return source
        old = await self._find_replaceable(export_input, source)
        if old is None:
            raise ExportRefused("There is no earlier export of this session to be replaced. Add one instead.")
        # The path is checked again: the agent's folders may be others than when it was written.
        return replace(source, path=resolve_export_path(config, export_input.format, old.path), replaces=old.eval_id)

    async def _find_replaceable(self, export_input: ExportInput, source: ExportSource) -> ExportRecord | None:
        """Return the export that a corrected session replaces: its own last one, else of what it is a fork of."""
        own = await self._find_previous_export(export_input, source)
        if own is not None:
            return own
        origin_id = (await self._timeline.get_summary(source.session_id)).forked_from
        if not origin_id:
            return None
        try:
            return await self._find_replaceable(export_input, replace(source, session_id=origin_id))
        except SessionNotFound:
            return None

    async def _check_not_exported(self, export_input: ExportInput, source: ExportSource) -> None:
        """Raise AlreadyExported if this process, or an earlier one, has exported the session in this format."""
        previous = await self._find_previous_export(export_input, source)
        if previous is not None:
            raise AlreadyExported(previous.path, previous.eval_id)

    async def _find_previous_export(self, export_input: ExportInput, source: ExportSource) -> ExportRecord | None:
        exports = (await self._timeline.get_summary(source.session_id)).exports
        previous = [each for each in exports if each.format == export_input.format]
        if previous:
            last = previous[-1]
            return ExportRecord(
                format=export_input.format, path=last.path, eval_id=last.eval_id, exported_at=last.exported_at
            )
        if export_input.format != "evalset":
            return None  # only an EvalSet case holds the id of the session that it was made from
        path = source.path or source.config.resolve_eval_set_path()
        with explain_write_errors(path):
            known = await asyncio.to_thread(find_case_id, path, source.session_id)
        return ExportRecord(format="evalset", path=str(path), eval_id=known, exported_at=0) if known else None


def _read_criteria_input(export_input: ExportInput) -> EvalCriteria | None:
    """Return the criteria of a request; raise MalformedValue if the format has none."""
    if export_input.criteria is None:
        return None
    if export_input.format != "evalset":
        raise MalformedValue("The criteria", "they are for `adk eval`, and this format is not; choose evalset")
    return EvalCriteria.model_validate(export_input.criteria.model_dump())


def _build_remote_agent_config(summary: SessionSummary) -> SimulatedAgentConfig:
    """Return the config of an agent in another process: its EvalSet is in the server's current directory."""
    name = summary.app_name or summary.session.description or "agent"
    agent = create_placeholder_agent(name)
    return SimulatedAgentConfig(name=name, agent=agent, eval_set_path=build_eval_set_name(agent.name))
