"""Describes a session as the `SessionInfo` of the web API, from its summary alone."""

from __future__ import annotations

from adk_agent_sim.server.sessions.session_api_models import AgentPathInfo, PendingInfo, SessionInfo
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.timeline.read_model.interruption import Interruption, find_interruption
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest
from adk_agent_sim.timeline.read_model.session_status import SessionStatus
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary


class SessionDescriber:
    """Builds the `SessionInfo` of sessions; one that cannot go on in this process is shown as closed."""

    def __init__(self, runs: SessionRuns) -> None:
        self._runs = runs

    def describe(self, summary: SessionSummary) -> SessionInfo:
        """Return the info of a session."""
        session_id = summary.session.session_id
        agent = self._runs.find_agent(summary)
        entry = self._runs.find_entry(summary) if agent is None else None
        # A broken session keeps its status, which says more than `closed`.
        is_live = self._runs.is_playable(session_id) or summary.is_broken
        status = summary.status if is_live or summary.is_closed else SessionStatus.CLOSED
        return SessionInfo(
            session_id=session_id,
            has_world=session_id in self._runs.worlds,
            name=summary.name,
            agent_key=agent.key if agent else entry.key if entry else "",
            agent_revision=self._runs.find_revision(session_id),
            agent_name=agent.config.agent.name if agent else summary.agent_name or summary.session.description,
            agent_label=agent.config.name if agent else summary.agent_name or summary.session.description,
            agent_names=list(summary.agent_names),
            created_at=summary.session.created_at,
            status=status,
            interruption=find_interruption(summary) if status is SessionStatus.CLOSED else Interruption.NONE,
            failure=summary.failure,
            last_seq=summary.last_seq,
            row_count=summary.row_count,
            turn_count=summary.turn_count,
            call_count=summary.call_count,
            pending=[self.describe_request(request, summary) for request in _list_next_first(summary)]
            if is_live
            else [],
            running_since=summary.running_since if is_live else None,
            last_event_at=summary.last_event_at,
            exports=list(summary.exports),
        )

    def describe_request(self, request: PendingRequest, summary: SessionSummary) -> PendingInfo:
        """Return the info of a pending request of a session."""
        path = request.agent_path
        agent = self._runs.find_agent(summary)
        is_root = agent is not None and agent.config.agent.name == request.agent_name
        return PendingInfo(
            kind=request.kind,
            request_id=request.request_id,
            agent_name=request.agent_name,
            agent_label=agent.config.name if agent and is_root else request.agent_name,
            agent_path=AgentPathInfo(branch=path.branch, parent_call_id=path.parent_call_id) if path else None,
            requested_at=request.requested_at,
            tool_name=request.tool_name,
            claimed_by=request.claimed_by,
            claimed_until=request.claimed_until,
        )


def _list_next_first(summary: SessionSummary) -> list[PendingRequest]:
    """Return the pending requests; those of a run that is going on come first, because it must go on first."""
    return sorted(summary.pending.values(), key=lambda request: not request.is_inside_run)
