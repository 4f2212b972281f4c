"""Summary and rows of a session together: what a timeline folds before it commits events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from adk_agent_sim.timeline.events import Event, Noted, Session
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest
from adk_agent_sim.timeline.read_model.session_rows import SessionRows
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary, create_summary
from adk_agent_sim.timeline.read_model.summary_fold import fold_event
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow


@dataclass(frozen=True, slots=True)
class SessionReadModel:
    """The read model of one session after its last event."""

    summary: SessionSummary
    rows: SessionRows = field(default_factory=SessionRows)
    changed_requests: Mapping[str, PendingRequest | None] = field(
        default_factory=dict[str, PendingRequest | None], compare=False
    )
    """The requests that the last `with_events` added or changed, by id; None for those that no longer wait."""

    @property
    def changed_rows(self) -> Sequence[TimelineRow]:
        """The rows that the last `with_events` added or changed."""
        return list(self.rows.changed.values())

    def list_missing_rows(self, events: Iterable[Event]) -> list[int]:
        """Return the rows that notes among the events are about, and that the fold has dropped since."""
        noted = {event.payload.row_index for event in events if isinstance(event.payload, Noted)}
        return sorted(index for index in noted if index < self.rows.row_count and index not in self.rows.rows)

    def with_events(self, events: Iterable[Event], noted_rows: Iterable[TimelineRow] = ()) -> SessionReadModel:
        """Return the read model after more events; this one stays as it is, so a commit may still fail.

        Args:
            events: The events.
            noted_rows: The rows of `list_missing_rows`, as they are stored.
        """
        # A fold changes its rows in place, and the commit of these events may be refused.
        rows = self.rows.copy()
        # With those that this fold still has: the first events may drop what a later note is about.
        rows.noted_rows = {**self.rows.rows, **{row.index: row for row in noted_rows}}
        summary = self.summary
        for event in events:
            summary = fold_event(summary, event)
            rows.apply(event)
        changed_requests = _find_changed_requests(self.summary.pending, summary.pending)
        return SessionReadModel(replace(summary, row_count=rows.row_count), rows, changed_requests)

    def with_summary(self, summary: SessionSummary) -> SessionReadModel:
        """Return the read model with another summary, such as one with another name."""
        return SessionReadModel(summary, self.rows)


def create_read_model(session: Session) -> SessionReadModel:
    """Create the read model of a session without events."""
    return SessionReadModel(create_summary(session))


def _find_changed_requests(
    before: Mapping[str, PendingRequest], after: Mapping[str, PendingRequest]
) -> dict[str, PendingRequest | None]:
    changed: dict[str, PendingRequest | None] = {key: None for key in before if key not in after}
    changed.update((key, request) for key, request in after.items() if before.get(key) != request)
    return changed
