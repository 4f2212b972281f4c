"""Summary and rows of a session together: what a timeline folds before it commits events. The summary is
folded here, the rows in `session_rows`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import extract_visible_text
from adk_agent_sim.timeline.decision_checks import get_function_calls
from adk_agent_sim.timeline.events import (
    REMARK_CLASSES,
    SERVER_STOPPED,
    SERVER_STOPPED_IN_RUN,
    AgentEvent,
    AgentJoined,
    Closed,
    Event,
    Forked,
    Noted,
    Player,
    Rewound,
    RunEnded,
    RunOutcome,
    Session,
    ToolAnswered,
    ToolAsked,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    ToolWithdrawn,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.history import is_user_query
from adk_agent_sim.timeline.read_model.line_summary import summarize_text
from adk_agent_sim.timeline.read_model.pending_requests import (
    PendingRequest,
    RequestKind,
    build_tool_request,
    build_turn_request,
    iter_pause_requests,
    list_answered_ids,
)
from adk_agent_sim.timeline.read_model.session_rows import SessionRows
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary, create_summary
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow
from adk_agent_sim.timeline.undone_events import ends_redo, extend_segments

T = TypeVar("T")

MAX_AGENT_NAMES = 50
"""How many agents a summary names."""

_MAX_TITLE_CHARS = 60


def fold_event(summary: SessionSummary, event: Event) -> SessionSummary:
    """Return the summary after one more event."""
    # One copy for the most frequent events: a summary has many fields.
    more: dict[str, Any] = {}
    if isinstance(event.payload, ToolStarted):
        more["running_calls"] = {**summary.running_calls, event.payload.call_id: event.timestamp}
        more["call_count"] = summary.call_count + 1
    elif isinstance(event.payload, ToolFinished) and not summary.pending:
        more["running_calls"] = _exclude(summary.running_calls, event.payload.call_id)
    counted = replace(
        summary,
        last_seq=event.seq,
        # Events of a scenario's world have its times, which may be years before or after those of other sessions.
        last_event_at=max(event.timestamp, summary.session.created_at),
        segments=extend_segments(summary.segments, event),
        redoable_count=_count_redoable(summary.redoable_count, event),
        is_abandoned=_is_abandoned_after(summary, event),
        **more,
    )
    if more:
        return counted
    match event.payload:
        case TurnAsked() | TurnRevived() | TurnDecided() | TurnWithdrawn():
            return _apply_turn_event(counted, event)
        case ToolFinished() | ToolFailed() | ToolAsked() | ToolAnswered() | ToolWithdrawn():
            return _apply_tool_event(counted, event)
        case AgentJoined(app_name=app_name):
            return replace(counted, app_name=app_name or summary.app_name, has_joined=True)
        case UserSpoke(content=content):
            return _apply_user_message(counted, event, content)
        case AgentEvent() as emitted:
            requests = {request.request_id: request for request in iter_pause_requests(event, emitted)}
            return replace(counted, pending={**summary.pending, **requests}) if requests else counted
        case RunEnded() as ended:
            return _apply_run_ended(counted, ended)
        case _:
            return _apply_session_event(counted, event)


def _apply_tool_event(summary: SessionSummary, event: Event) -> SessionSummary:
    match event.payload:
        case ToolAsked() as asked:
            pending = {**summary.pending, asked.request_id: build_tool_request(event, asked)}
            return replace(summary, pending=pending, client_id=asked.client_id)
        case ToolAnswered(request_id=request_id) | ToolWithdrawn(request_id=request_id):
            return replace(summary, pending=_exclude(summary.pending, request_id))
        case ToolFinished(call_id=call_id) | ToolFailed(call_id=call_id):
            # A call that is cancelled waits for nobody.
            open_ids = [
                key
                for key, request in summary.pending.items()
                if request.kind is RequestKind.TOOL and request.call_id == call_id
            ]
            running = _exclude(summary.running_calls, call_id)
            return replace(summary, running_calls=running, pending=_exclude(summary.pending, *open_ids))
        case _:
            return summary


def _apply_session_event(summary: SessionSummary, event: Event) -> SessionSummary:
    """Apply what happened to the session itself, rather than in it."""
    match event.payload:
        case Rewound() as rewound:
            return _apply_rewound(summary, event, rewound)
        case Forked(source_session_id=source_id):
            # The calls that were copied without a response are made again.
            pending = {key: value for key, value in summary.pending.items() if value.kind is not RequestKind.TOOL}
            return replace(summary, forked_from=source_id, pending=pending)
        case Closed(reason=reason, cancelled=cancelled):
            return replace(
                summary,
                pending={},
                delegated={},
                running_calls={},
                busy_since=None,
                is_closed=True,
                is_cancelled=cancelled,
                is_interrupted=reason == SERVER_STOPPED_IN_RUN or (reason == SERVER_STOPPED and bool(summary.pending)),
                closing_reason=summarize_text(reason),
            )
        case _:
            return summary


def _is_abandoned_after(summary: SessionSummary, event: Event) -> bool:
    if isinstance(event.payload, REMARK_CLASSES):
        return summary.is_abandoned
    # Any other event shows that somebody goes on with the session.
    match event.payload:
        case TurnWithdrawn(abandoned=is_abandoned):
            return is_abandoned
        case _:
            return isinstance(event.payload, ToolWithdrawn)


def _apply_turn_event(summary: SessionSummary, event: Event) -> SessionSummary:
    turn_id = event.turn_id
    match event.payload:
        case TurnAsked() as asked:
            return _add_turn(summary, event, asked)
        case TurnRevived() as revived:
            return replace(summary, pending={**summary.pending, turn_id: build_turn_request(event, revived)})
        case TurnDecided(response=response):
            busy_since = event.timestamp if _is_running_after(summary, response) else None
            return replace(_remove_turn(summary, turn_id), busy_since=busy_since)
        case _:
            return _remove_turn(summary, turn_id)


def _add_turn(summary: SessionSummary, event: Event, asked: TurnAsked) -> SessionSummary:
    name = event.agent_name
    is_new = name and name not in summary.agent_names and len(summary.agent_names) < MAX_AGENT_NAMES
    counted = replace(
        summary,
        agent_names=(*summary.agent_names, name) if is_new else summary.agent_names,
        has_started=True,
        outcome=None,
        failure="",
        last_turn_id=event.turn_id,
        turn_count=summary.turn_count + 1,
    )
    if event.player in (None, Player.HUMAN):
        pending = {**summary.pending, event.turn_id: build_turn_request(event, asked)}
        return replace(counted, pending=pending, client_id=asked.client_id)
    return replace(counted, delegated={**summary.delegated, event.turn_id: asked.invocation_id})


def _apply_user_message(summary: SessionSummary, event: Event, content: Json) -> SessionSummary:
    started = replace(
        summary,
        has_started=True,
        busy_since=event.timestamp,
        outcome=None,
        failure="",
        first_message_seq=summary.first_message_seq or event.seq,
    )
    if not is_user_query(content):
        return replace(started, pending=_exclude(summary.pending, *list_answered_ids(content)))
    # After a new query ADK no longer continues what waits for an answer of the user.
    pending = {key: value for key, value in summary.pending.items() if value.is_inside_run}
    title = summary.title or summarize_text(extract_visible_text(content))[:_MAX_TITLE_CHARS]
    return replace(started, pending=pending, title=title)


def _apply_rewound(summary: SessionSummary, event: Event, rewound: Rewound) -> SessionSummary:
    rewound_summary = replace(
        summary, pending={}, delegated={}, running_calls={}, busy_since=event.timestamp, outcome=None, failure=""
    )
    if rewound.to_seq < summary.first_message_seq and not rewound.turn_id:
        return replace(rewound_summary, busy_since=None, has_started=False, title="", first_message_seq=0)
    # What follows says what the session waits for.
    return rewound_summary


def _count_redoable(count: int, event: Event) -> int:
    match event.payload:
        case Rewound(redone=redone):
            return max(count - 1, 0) if redone else count + 1
        case payload:
            return 0 if ends_redo(payload) else count


def _apply_run_ended(summary: SessionSummary, ended: RunEnded) -> SessionSummary:
    is_done = ended.outcome is RunOutcome.DONE
    return replace(
        summary,
        # What a finished run asked the user for is answered after its end.
        pending={
            key: value
            for key, value in summary.pending.items()
            if (is_done and not value.is_inside_run)
            or (value.is_inside_run and value.invocation_id != ended.invocation_id)
        },
        delegated={key: value for key, value in summary.delegated.items() if value != ended.invocation_id},
        running_calls={},
        busy_since=None,
        outcome=ended.outcome,
        failure=_describe_failure(ended),
    )


def _remove_turn(summary: SessionSummary, turn_id: str) -> SessionSummary:
    return replace(summary, pending=_exclude(summary.pending, turn_id), delegated=_exclude(summary.delegated, turn_id))


def _is_running_after(summary: SessionSummary, response: Json) -> bool:
    """Return whether the agent is still running after a decision.

    An agent that joined reports the end of its runs itself. One that reports only turns (the first protocol) runs
    on if it was told to call tools.
    """
    return summary.has_joined or bool(get_function_calls(response))


def _describe_failure(ended: RunEnded) -> str:
    match ended.outcome:
        case RunOutcome.DONE:
            return ""
        case RunOutcome.CANCELLED:
            return "The run was stopped."
        case RunOutcome.FAILED:
            return summarize_text(f"{ended.error_type}: {ended.error_message}")


def _exclude(values: Mapping[str, T], *keys: str) -> Mapping[str, T]:
    return {key: value for key, value in values.items() if key not in keys}


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


def build_rows(events: Sequence[Event]) -> list[TimelineRow]:
    """Return the rows of a session from its whole log, oldest first."""
    if not events:
        return []
    session = Session(session_id=events[0].session_id, created_at=events[0].timestamp)
    # All events are folded at once, so all rows are new ones.
    return sorted(create_read_model(session).with_events(events).changed_rows, key=lambda row: row.index)


def _find_changed_requests(
    before: Mapping[str, PendingRequest], after: Mapping[str, PendingRequest]
) -> dict[str, PendingRequest | None]:
    changed: dict[str, PendingRequest | None] = {key: None for key in before if key not in after}
    changed.update((key, request) for key, request in after.items() if before.get(key) != request)
    return changed
