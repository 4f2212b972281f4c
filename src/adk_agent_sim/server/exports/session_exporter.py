"""Exports of the web API: finds the agent of a session on this server, and where the eval pages show its case.

Requests name files in the folder of the agent's exports only.
"""

from __future__ import annotations

from pathlib import Path

from adk_agent_sim.errors import AgentNotLocal
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.server.evals.eval_catalog import EvalCatalog
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases import exports
from adk_agent_sim.use_cases.export_records import (
    EvalCaseKeys,
    ExportPreview,
    ExportRequest,
    ExportResult,
    WrittenExport,
)
from adk_agent_sim.use_cases.record import OperationResult


class SessionExporter:
    """Exports the sessions of this server's timeline."""

    def __init__(self, timeline: Timeline, runs: SessionRuns, evals: EvalCatalog | None = None) -> None:
        self._timeline = timeline
        self._runs = runs
        self._evals = evals

    async def export_session(self, session_id: str, request: ExportRequest) -> ExportResult:
        """Export a session; the errors are those of the use case and of `_find_config`."""
        config = await self._find_config(session_id)
        result = await exports.export_session(self._timeline, session_id, request, config, is_confined=True)
        return result.model_copy(update={"eval_case": await self._find_case(result)})

    async def preview_export(self, session_id: str, request: ExportRequest) -> ExportPreview:
        """Return what `export_session` would write."""
        config = await self._find_config(session_id)
        return await exports.preview_export(self._timeline, session_id, request, config, is_confined=True)

    async def record_export(self, session_id: str, export: WrittenExport) -> OperationResult:
        """Record an export that a command has written."""
        return await exports.record_export(self._timeline, session_id, export)

    async def _find_config(self, session_id: str) -> SimulatedAgentConfig | None:
        """Return the config of a session's agent; None if it runs in another process.

        Raises:
            AgentNotLocal: The session's agent is not one of this server's.
        """
        summary = await self._timeline.get_summary(session_id)
        agent = self._runs.find_agent(summary) or await self._runs.load_agent(summary)
        if agent is None and not self._runs.allow_remote_agents:
            raise AgentNotLocal(session_id, "export a golden trace")
        return agent.config if agent else None

    async def _find_case(self, result: ExportResult) -> EvalCaseKeys | None:
        """Return where the eval pages show what was written; None if they do not."""
        agent = self._runs.find_agent(await self._timeline.get_summary(result.session_id))
        if self._evals is None or agent is None or result.format != "evalset":
            return None
        file = self._evals.add_export(Path(result.path), agent.key)
        case_key = await file.find_key_of(result.eval_id) if file is not None else ""
        return EvalCaseKeys(file_key=file.key, case_key=case_key) if file is not None and case_key else None
