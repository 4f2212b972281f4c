"""The verdict on a session, with what happened in each turn and the rows of the timeline that show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field, ValidationError

from adk_agent_sim.errors import NotFound
from adk_agent_sim.scenario.format.models import ExportedCompletedEvent
from adk_agent_sim.scenario.verdict.traced_action import TracedAction, assign_turns, order_as_are
from adk_agent_sim.scenario.verdict.turn_report import summarize_action
from adk_agent_sim.scenario.verdict.world_trace import find_world_start, list_numbered_trace
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.read_model.timeline_row import RowKind, TimelineRow
from adk_agent_sim.timeline.undone_events import remove_undone_events
from adk_agent_sim.timeline.verdict import ActionSummary, Verdict
from adk_agent_sim.timeline.world_events import VerdictReached, WorldEventHappened
from adk_agent_sim.use_cases.record import Record


class ShownAction(ActionSummary):
    """An event of the run, and where it is shown."""

    kind: str
    is_judged: bool = Field(description="Whether it counts: reads and failed calls do not")
    row_index: int | None = Field(description="The row of the timeline that shows it, if one does")


class SessionVerdict(Record):
    """A verdict on a session."""

    verdict: Verdict
    judge: str = Field(description="Who answered the soft checks, such as scripted or the name of a model")
    happened: list[list[ShownAction]] = Field(
        description="What happened in each turn; one more list for what happened after the last one"
    )


def build_session_verdict(
    reached: VerdictReached, events: Sequence[Event], rows: Sequence[TimelineRow]
) -> SessionVerdict:
    """Build a verdict for the browser.

    Args:
        reached: The verdict.
        events: The events of the session before it.
        rows: The rows of the session before it.

    Raises:
        NotFound: The verdict was stored in another form.
    """
    try:
        verdict = Verdict.model_validate(reached.verdict)
    except ValidationError as error:
        raise NotFound("The verdict cannot be read: it was stored in another form.") from error
    # A verdict judges what counted when it was reached.
    counting = remove_undone_events(events)
    started = find_world_start(counting)
    start_time = started.start_time if started is not None else 0.0
    call_ids = {each.seq: each.payload.call_id for each in counting if isinstance(each.payload, WorldEventHappened)}
    row_finder = _RowFinder(rows, call_ids)
    places: dict[int, int | None] = {}
    actions: list[TracedAction] = []
    for seq, completed in list_numbered_trace(counting):
        actions.append(TracedAction(completed, {}))
        # By identity, because ids of events may repeat, and the actions are put into another order below.
        places[id(actions[-1])] = row_finder.find(seq, completed)
    by_turn = _group_by_turn(order_as_are(actions), len(verdict.turns))
    return SessionVerdict(
        verdict=verdict,
        judge=reached.judge or "scripted",
        happened=[
            [
                ShownAction(
                    **vars(summarize_action(each, start_time, each.error or "")),
                    kind=each.kind,
                    is_judged=each.is_judged,
                    row_index=places[id(each)],
                )
                for each in happened
            ]
            for happened in by_turn
        ],
    )


def _group_by_turn(happened: Sequence[TracedAction], turn_count: int) -> list[list[TracedAction]]:
    """Return what a person compares by turn: what is judged, and calls of the agent that would be if they succeeded."""
    assign_turns(happened)
    by_turn: list[list[TracedAction]] = [[] for _ in range(turn_count + 1)]
    current = 0
    for each in happened:
        if each.is_judged:
            current = each.turn
        if each.is_judged or (each.error is not None and each.is_write):
            by_turn[min(current, turn_count)].append(each)
        current += each.is_judged and each.is_message_to_user
    return by_turn if by_turn[-1] else by_turn[:-1]


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
