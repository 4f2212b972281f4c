"""The rows of an eval case: the same fold as for a session's timeline, over the events that the case stands for."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.timeline.events import Closed, Event, Session
from adk_agent_sim.timeline.read_model.session_read_model import create_read_model
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow


def build_case_rows(events: Sequence[Event]) -> list[TimelineRow]:
    """Return the rows of a case, oldest first."""
    if not events:
        return []
    session = Session(session_id=events[0].session_id, created_at=events[0].timestamp)
    # That it is closed is a fact about the import, not about the case.
    told = [event for event in events if not isinstance(event.payload, Closed)]
    # All events are folded at once, so all rows are new ones.
    rows = create_read_model(session).with_events(told).changed_rows
    return sorted(rows, key=lambda row: row.index)
