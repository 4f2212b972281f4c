"""Whether a session is over because its server stopped, rather than because somebody closed it."""

from __future__ import annotations

from adk_agent_sim.server.session_api_models import Interruption
from adk_agent_sim.timeline.read_model.session_status import SessionStatus
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.session_events import SERVER_STOPPED, SERVER_STOPPED_IN_RUN, Closed
from adk_agent_sim.timeline.timeline import Timeline

_BY_REASON = {SERVER_STOPPED: Interruption.BETWEEN_RUNS, SERVER_STOPPED_IN_RUN: Interruption.IN_RUN}
_IN_RUN = (SessionStatus.RUNNING, SessionStatus.ABANDONED)


async def find_interruption(timeline: Timeline, summary: SessionSummary) -> Interruption:
    """Returns when the server stopped that had a session, which is shown as closed now.

    A server that stops closes its sessions and says why; one that is killed leaves them as they were.
    """
    if summary.is_closed:
        closing = await timeline.find_closing_event(summary)
        reason = closing.payload.reason if isinstance(closing.payload, Closed) else ""
        return _BY_REASON.get(reason, Interruption.NONE)
    waits_in_run = any(request.is_inside_run for request in summary.pending.values())
    return Interruption.IN_RUN if waits_in_run or summary.status in _IN_RUN else Interruption.BETWEEN_RUNS
