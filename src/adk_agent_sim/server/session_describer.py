"""Describes a session as the `SessionInfo` of the web API: its name, agent, status, and what waits in it."""

from __future__ import annotations

from adk_agent_sim.server.api_models import DisplayStatus, SessionInfo
from adk_agent_sim.server.export_records import ExportRecords
from adk_agent_sim.server.session_runs import SessionRuns
from adk_agent_sim.server.session_view import SessionView
from adk_agent_sim.timeline.session_progress import SessionStatus, SessionSummary

_DISPLAY_STATUSES = {
    SessionStatus.WAITING: DisplayStatus.YOUR_TURN,
    SessionStatus.RUNNING: DisplayStatus.RUNNING,
    SessionStatus.DONE: DisplayStatus.DONE,
    SessionStatus.FAILED: DisplayStatus.FAILED,
    SessionStatus.ABANDONED: DisplayStatus.ABANDONED,
}

_UNNAMED = "Unnamed session"
_MAX_TITLE_CHARS = 60


class SessionDescriber:
    """Builds a `SessionInfo` from a session's view, or from its stored summary alone."""

    def __init__(self, runs: SessionRuns, export_records: ExportRecords) -> None:
        self._runs = runs
        self._export_records = export_records
        self._names: dict[str, str] = {}

    def set_name(self, session_id: str, name: str) -> None:
        """Show a session under the name a person gave it."""
        self._names[session_id] = name

    def remove(self, session_id: str) -> None:
        """Forget the name of a session."""
        self._names.pop(session_id, None)

    def describe_view(self, view: SessionView) -> SessionInfo:
        """Returns the info of a session whose view is loaded."""
        session_id = view.session.session_id
        agent = self._runs.find_agent(view)
        is_playable = self._runs.is_playable(session_id)
        return SessionInfo(
            session_id=session_id,
            name=self._names.get(session_id) or self._find_title(view) or _UNNAMED,
            agent_key=agent.key if agent else "",
            agent_name=agent.config.agent.name if agent else view.app_name,
            created_at=view.session.created_at,
            status=view.status if is_playable else DisplayStatus.CLOSED,
            failure=view.failure,
            last_seq=view.rows.last_seq,
            row_count=len(view.rows),
            pending_turns=view.pending_turns if is_playable else [],
            confirmation=view.rows.confirmation if is_playable else None,
            running_since=view.running_since if is_playable else None,
            last_event_at=view.last_event_at,
            exports=self._export_records.get(session_id),
        )

    def describe_summary(self, summary: SessionSummary) -> SessionInfo:
        """Returns the info of a session without reading its log; counts and details of its rows are left empty."""
        session_id = summary.session.session_id
        is_playable = self._runs.is_playable(session_id)
        return SessionInfo(
            session_id=session_id,
            name=self._names.get(session_id) or summary.session.description or _UNNAMED,
            agent_key="",
            agent_name=summary.snapshot.agent_name,
            created_at=summary.session.created_at,
            status=_DISPLAY_STATUSES[summary.snapshot.status] if is_playable else DisplayStatus.CLOSED,
            last_seq=summary.last_seq,
            row_count=0,
            pending_turns=[],
            last_event_at=summary.last_event_at,
            exports=self._export_records.get(session_id),
        )

    def _find_title(self, view: SessionView) -> str:
        """Returns the session's description if its program chose one, else the beginning of the first user message."""
        description = view.session.description
        agent = self._runs.find_agent(view)
        is_chosen = description not in ("", agent.config.name if agent else "", view.app_name)
        return description if is_chosen else view.rows.title[:_MAX_TITLE_CHARS] or description
