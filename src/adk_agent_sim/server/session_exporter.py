"""Exports sessions as golden traces: finds the agent's config, refuses repeated exports, records what it wrote."""

from __future__ import annotations

import asyncio

from adk_agent_sim.adk.agent_loader import create_placeholder_agent
from adk_agent_sim.errors import AgentNotLocal, AlreadyExported, MalformedValue
from adk_agent_sim.golden.eval_set import find_case_id
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.server.api_models import ExportInput, ExportResult
from adk_agent_sim.server.export_writers import EXPORT_WRITERS, ExportSource
from adk_agent_sim.server.session_runs import SessionRuns
from adk_agent_sim.timeline.file_names import to_file_stem
from adk_agent_sim.timeline.read_model.session_summary import ExportEntry, SessionSummary
from adk_agent_sim.timeline.timeline import Timeline


class SessionExporter:
    """Writes sessions to the files that their agents' configs name, and to no others."""

    def __init__(self, timeline: Timeline, runs: SessionRuns) -> None:
        self._timeline = timeline
        self._runs = runs
        self._write_lock = asyncio.Lock()

    async def export_session(self, session_id: str, export_input: ExportInput) -> ExportResult:
        """Write the finished part of a session as a golden trace.

        Raises:
            AgentNotLocal: The session's agent is not one of this server's.
            AlreadyExported: The session was exported in this format before, and `again` is not set.
            MalformedValue: The server does not write this format.
        """
        summary = await self._timeline.get_summary(session_id)
        write = EXPORT_WRITERS.get(export_input.format)
        if write is None:
            raise MalformedValue("The format", f"{export_input.format!r} is written by `adksim export` only")
        agent = self._runs.find_agent(summary)
        if agent is None and not self._runs.allow_remote_agents:
            raise AgentNotLocal(session_id, "export a golden trace")
        # Without a run, one on a timeline of its own tells which plugins the agent's app has.
        run = self._runs.find(session_id) or (agent.create_run(Timeline()) if agent else None)
        source = ExportSource(
            config=agent.config if agent else _build_remote_agent_config(summary),
            session_id=session_id,
            events=await self._timeline.read_events(session_id),
            has_tool_error_plugin=run.has_tool_error_plugin if run else False,
            now=self._timeline.clock.now(),
            anyway=export_input.anyway,
            include_rejected=export_input.include_rejected,
        )
        async with self._write_lock:  # otherwise two exports of one session could both find none before them
            if not export_input.again:
                await self._check_not_exported(export_input, source)
            result = await asyncio.to_thread(write, source)
            entry = ExportEntry(**dict(result.record))
            await self._timeline.record_export(session_id, entry)
        return result

    async def _check_not_exported(self, export_input: ExportInput, source: ExportSource) -> None:
        """Raise AlreadyExported if this process, or an earlier one, has exported the session in this format."""
        exports = (await self._timeline.get_summary(source.session_id)).exports
        previous = [each for each in exports if each.format == export_input.format]
        if previous:
            raise AlreadyExported(previous[-1].path, previous[-1].eval_id)
        if export_input.format != "evalset":
            return  # only an EvalSet case holds the id of the session that it was made from
        path = source.config.resolve_eval_set_path()
        if (known := await asyncio.to_thread(find_case_id, path, source.session_id)) is not None:
            raise AlreadyExported(str(path), known)


def _build_remote_agent_config(summary: SessionSummary) -> SimulatedAgentConfig:
    """Returns the config of an agent in another process: its EvalSet is in the server's working directory."""
    name = summary.app_name or summary.session.description or "agent"
    agent = create_placeholder_agent(name)
    return SimulatedAgentConfig(name=name, agent=agent, eval_set_path=f"{to_file_stem(agent.name)}.evalset.json")
