"""What a process knows about sessions beside their logs: which of them can go on, and what their agents are called.

Timeline (summaries) ------------------+--> SessionHost.describe --> SessionRecord
SessionHost (of a command, a server) --+
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from adk_agent_sim.persistence.database_lock import is_used_by_server
from adk_agent_sim.persistence.default_path import is_run_database
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow, end_open_row
from adk_agent_sim.timeline.session_liveness import ANY_MAY_GO_ON, PROCESS_ENDED, OtherProcesses, SessionLiveness
from adk_agent_sim.timeline.session_queries import SessionFilter
from adk_agent_sim.use_cases.session_record import SessionRecord

_SUMMARY_FIELDS = [name for name in SessionRecord.model_fields if hasattr(SessionSummary, name)]


@dataclass(frozen=True, kw_only=True, slots=True)
class HostedAgent:
    """What a process knows about the agent of a session."""

    key: str = ""
    """Its key in the list of agents; empty if it is not in it."""

    revision: int | None = None
    """The revision of the code that the session runs with; None if it does not run here."""

    name: str = ""
    """The name of the agent; empty if the log knows best."""

    label: str = ""
    """Its display name; empty if its name is used."""


class SessionHost:
    """A process that reads sessions and runs none; servers know more."""

    def __init__(self, liveness: SessionLiveness = ANY_MAY_GO_ON) -> None:
        self._liveness = liveness

    @classmethod
    async def of_database(cls, url_or_path: str | Path) -> Self:
        """Return what can be known about the sessions of a database from outside of the server that uses it."""
        if await is_used_by_server(url_or_path):
            return cls()
        is_local = is_run_database(str(url_or_path))
        return cls(SessionLiveness(others=OtherProcesses.NONE if is_local else OtherProcesses.REMOTE))

    @property
    def liveness(self) -> SessionLiveness:
        """Which sessions can go on."""
        return self._liveness

    def find_hosted_agent(self, summary: SessionSummary) -> HostedAgent:
        """Return what is known here about the agent of a session."""
        return HostedAgent()

    def has_world(self, session_id: str) -> bool:
        """Return whether the world that a session runs in can be seen here."""
        return False

    def complete_filter(self, wanted: SessionFilter) -> SessionFilter:
        """Return a filter with what is known here about the sessions that it is about."""
        return replace(wanted, liveness=self.liveness)

    async def close_run(self, session_id: str, reason: str) -> bool:
        """Close the run of a session, if it has one here; returns whether it had."""
        return False

    def describe(self, summary: SessionSummary, *, stored_bytes: int | None = None) -> SessionRecord:
        """Return a session as people see it."""
        liveness = self.liveness
        has_ended = liveness.has_ended(summary)
        agent = self.find_hosted_agent(summary)
        known_name = summary.agent_name or summary.session.description
        shown: dict[str, Any] = {name: getattr(summary, name) for name in _SUMMARY_FIELDS}
        shown |= {
            "session_id": summary.session.session_id,
            "description": summary.session.description,
            "created_at": summary.session.created_at,
            "status": liveness.find_status(summary),
            "has_world": self.has_world(summary.session.session_id),
            "agent_key": agent.key,
            "agent_revision": agent.revision,
            "agent_name": agent.name or known_name,
            "agent_label": agent.label or known_name,
            "closing_reason": PROCESS_ENDED if has_ended else summary.closing_reason,
            "pending": [] if has_ended else _list_next_first(summary),
            "running_since": None if has_ended else summary.running_since,
            "stored_bytes": stored_bytes,
        }
        return SessionRecord(**shown)

    def label_request(self, request: PendingRequest, summary: SessionSummary) -> str:
        """Return what lists call the agent that asks for something."""
        agent = self.find_hosted_agent(summary)
        return agent.label if agent.label and agent.name == request.agent_name else request.agent_name

    def describe_row(self, session_id: str, row: TimelineRow) -> TimelineRow:
        """Return a row of a session as people see it."""
        return row if self.liveness.can_go_on(session_id) else end_open_row(row)


def _list_next_first(summary: SessionSummary) -> list[PendingRequest]:
    """Return the pending requests; those of a run that is going on come first, because it must go on first."""
    return sorted(summary.pending.values(), key=lambda request: not request.is_inside_run)
