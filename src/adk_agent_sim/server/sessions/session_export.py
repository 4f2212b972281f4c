"""Exports of the web API: finds the agent of a session on this server, and where the eval pages show its case.

Requests name files in the folder of the agent's exports only.
"""

from __future__ import annotations

from pathlib import Path

from adk_agent_sim.errors import AgentNotLocal
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.server.sessions.session_services import ServedSession
from adk_agent_sim.use_cases import exports
from adk_agent_sim.use_cases.export_records import (
    EvalCaseKeys,
    ExportPreview,
    ExportRequest,
    ExportResult,
)


async def export_session(session: ServedSession, request: ExportRequest) -> ExportResult:
    """Export a session; the errors are those of the use case and of `_find_config`."""
    config = await _find_config(session)
    result = await exports.export_session(session.timeline, session.session_id, request, config, is_confined=True)
    return result.model_copy(update={"eval_case": await _find_case(session, result)})


async def preview_export(session: ServedSession, request: ExportRequest) -> ExportPreview:
    """Return what `export_session` would write."""
    config = await _find_config(session)
    return await exports.preview_export(session.timeline, session.session_id, request, config, is_confined=True)


async def _find_config(session: ServedSession) -> SimulatedAgentConfig | None:
    """Return the config of a session's agent; None if it runs in another process.

    Raises:
        AgentNotLocal: The session's agent is not one of this server's.
    """
    summary, runs = await session.timeline.get_summary(session.session_id), session.services.runs
    agent = runs.find_agent(summary) or await runs.load_agent(summary)
    if agent is None and not session.may_be_remote:
        raise AgentNotLocal(session.session_id, "export a golden trace")
    return agent.config if agent else None


async def _find_case(session: ServedSession, result: ExportResult) -> EvalCaseKeys | None:
    """Return where the eval pages show what was written; None if they do not."""
    agent = session.services.runs.find_agent(await session.timeline.get_summary(session.session_id))
    if session.services.evals is None or agent is None or result.format != "evalset":
        return None
    file = session.services.evals.add_export(Path(result.path), agent.key)
    case_key = await file.find_key_of(result.eval_id) if file is not None else ""
    return EvalCaseKeys(file_key=file.key, case_key=case_key) if file is not None and case_key else None
