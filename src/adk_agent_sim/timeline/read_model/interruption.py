"""Whether a session is over because its server stopped, rather than because somebody closed it; its summary says so."""

from __future__ import annotations

from enum import StrEnum

from adk_agent_sim.timeline.read_model.session_status import SessionStatus
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.session_events import SERVER_STOPPED, SERVER_STOPPED_IN_RUN


class Interruption(StrEnum):
    """When the server stopped that had a session which is over."""

    NONE = "none"
    """The session is not over, or somebody closed it."""

    BETWEEN_RUNS = "between_runs"
    """No run was going on."""

    IN_RUN = "in_run"
    """The agent was running, or a turn was waiting."""


_BY_REASON = {SERVER_STOPPED: Interruption.BETWEEN_RUNS, SERVER_STOPPED_IN_RUN: Interruption.IN_RUN}
_IN_RUN = (SessionStatus.RUNNING, SessionStatus.ABANDONED)


def find_interruption(summary: SessionSummary) -> Interruption:
    """Return when the server stopped that had a session which is over.

    A server that stops closes its sessions and says why; one that is killed leaves them as they were.
    """
    if summary.is_closed:
        return _BY_REASON.get(summary.closing_reason, Interruption.NONE)
    waits_in_run = any(request.is_inside_run for request in summary.pending.values())
    return Interruption.IN_RUN if waits_in_run or summary.status in _IN_RUN else Interruption.BETWEEN_RUNS
