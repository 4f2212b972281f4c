"""The verdict on a session, with the rows of the timeline that show the judged events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adk_agent_sim.scenario.format.models import ExportedCompletedEvent
from adk_agent_sim.scenario.verdict.world_trace import find_world_start, list_numbered_trace
from adk_agent_sim.server.scenarios.verdict_api_models import VerdictInfo
from adk_agent_sim.server.scenarios.verdict_view import build_verdict_info
from adk_agent_sim.timeline.content_parts import as_mapping
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.read_model.timeline_row import RowKind, TimelineRow
from adk_agent_sim.timeline.undone_events import remove_undone_events
from adk_agent_sim.timeline.world_events import VerdictReached, WorldEventHappened


def build_session_verdict(reached: VerdictReached, events: Sequence[Event], rows: Sequence[TimelineRow]) -> VerdictInfo:
    """Build a verdict for the browser.

    Args:
        reached: The verdict.
        events: The events of the session before it.
        rows: The rows of the session before it.
    """
    # A verdict judges what counted when it was reached.
    counting = remove_undone_events(events)
    started = find_world_start(counting)
    trace = list_numbered_trace(counting)
    call_ids = {each.seq: each.payload.call_id for each in counting if isinstance(each.payload, WorldEventHappened)}
    row_finder = _RowFinder(rows, call_ids)
    return build_verdict_info(
        as_mapping(reached.verdict),
        [completed for _, completed in trace],
        start_time=started.start_time if started is not None else 0.0,
        judge=reached.judge or "scripted",
        find_row=lambda place: row_finder.find(*trace[place]),
    )


class _RowFinder:
    """Finds the rows of completed events."""

    def __init__(self, rows: Sequence[TimelineRow], call_ids: Mapping[int, str]) -> None:
        """Find rows; `call_ids` has the calls that completed events come from, by the `seq` of the event."""
        self._call_ids = call_ids
        self._by_call = {row.call_id: row.index for row in rows if row.call_id}
        self._by_seq: Mapping[int, int] = {source.seq: row.index for row in rows for source in row.sources}
        self._user_rows = [row for row in rows if row.kind is RowKind.USER]
        self._agent_rows = [row for row in rows if row.kind in (RowKind.ANSWER, RowKind.COMMENTARY)]

    def find(self, seq: int, completed: ExportedCompletedEvent) -> int | None:
        """Return the index of the row that shows an event; None if no row does.

        Messages between user and agent have no row of their own: the nearest of the conversation shows them.
        """
        if seq in self._by_seq:
            return self._by_seq[seq]
        if call_id := self._call_ids.get(seq):
            return self._by_call.get(call_id)
        spoken = self._user_rows if completed.event_type == "USER" else self._agent_rows
        nearest = min(spoken, key=lambda row: abs(row.seq - seq), default=None)
        return None if nearest is None else nearest.index
