"""What can be asked of a store about its sessions: filters of lists, and entries of the queue."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest
from adk_agent_sim.timeline.read_model.session_status import SessionStatus
from adk_agent_sim.timeline.read_model.session_summary import QueueCursor, SessionCursor, SessionSummary


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionFilter:
    """Which sessions a list contains."""

    before: SessionCursor | None = None
    """The cursor of the last session of the previous page; later pages omit sessions created since."""

    text: str = ""
    """A part of the name or of an agent's name, in any case."""

    agent: str = ""
    """The name of the app or of one of the agents."""

    statuses: Collection[SessionStatus] = ()
    """Any of these; all if it is empty."""

    live_ids: Collection[str] | None = None
    """The sessions that can go on here; all others count as closed. None: each session has its own status."""

    def matches(self, summary: SessionSummary) -> bool:
        """Return whether a list with this filter contains the session."""
        agents = [name for name in (summary.app_name, *summary.agent_names) if name]
        text = self.text.casefold()
        return (
            (self.before is None or summary.cursor < self.before)
            and (not self.statuses or self._get_status(summary) in self.statuses)
            and (not self.agent or self.agent in agents)
            and any(text in name.casefold() for name in (summary.name, *agents))
        )

    def _get_status(self, summary: SessionSummary) -> SessionStatus:
        is_live = self.live_ids is None or summary.session.session_id in self.live_ids
        return summary.status if is_live else SessionStatus.CLOSED


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A request that waits for a person, with its session."""

    summary: SessionSummary
    request: PendingRequest

    @property
    def cursor(self) -> QueueCursor:
        """The position in the queue."""
        return round(self.request.requested_at * 1_000), self.summary.session.session_id, self.request.position
