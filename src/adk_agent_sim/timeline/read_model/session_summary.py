"""The summary of a session, folded from its log event by event: what lists, the queue, headers and the CLI show.

A `SessionSummary` is immutable: `with_event` returns the next one. A timeline therefore knows the summary after an
event before it commits, and stores both in one transaction, so that showing sessions never reads a log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.decision_checks import get_function_calls
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    Closed,
    Event,
    Player,
    RunEnded,
    RunOutcome,
    Session,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.history import is_user_query
from adk_agent_sim.timeline.read_model.content_parts import extract_text
from adk_agent_sim.timeline.read_model.line_summary import summarize_text
from adk_agent_sim.timeline.read_model.pending_requests import (
    PendingRequest,
    RequestKind,
    build_turn_request,
    iter_consent_requests,
    list_answered_ids,
)
from adk_agent_sim.timeline.read_model.session_status import SessionStatus

T = TypeVar("T")

UNNAMED = "Unnamed session"
MAX_AGENT_NAMES = 50
"""How many agents a summary names."""

_MAX_TITLE_CHARS = 60

SessionCursor: TypeAlias = tuple[int, str]
"""The sort key of sessions: creation time in milliseconds, then id."""

QueueCursor: TypeAlias = tuple[int, str, int]
"""The sort key of pending requests: the time of the request in milliseconds, the session's id, the position in it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportEntry:
    """A golden trace that was written of a session."""

    format: str
    path: str
    eval_id: str
    exported_at: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionSummary:
    """A session with everything that follows from its log and is shown without opening it."""

    session: Session
    given_name: str = ""
    """The name that a person gave the session; empty if none did."""

    title: str = ""
    """The beginning of the first user message."""

    app_name: str = ""
    """The ADK app that joined; empty if the agent reports only its turns."""

    has_joined: bool = False
    """Whether an ADK app joined, which reports the end of its runs."""

    agent_names: Sequence[str] = ()
    """The agents that called their models, in the order of their first call."""

    pending: Mapping[str, PendingRequest] = field(default_factory=dict[str, PendingRequest])
    """The requests that wait for a person by id, oldest first."""

    delegated: Mapping[str, str] = field(default_factory=dict[str, str])
    """The invocations of model turns that wait for another player, such as the agent's own model, by turn id."""

    running_calls: Mapping[str, float] = field(default_factory=dict[str, float])
    """When the tool calls that are running started, by call id."""

    busy_since: float | None = None
    """When the agent began to run; None if it does not run."""

    has_started: bool = False
    """Whether the agent was sent a message, or has called its model."""

    is_abandoned: bool = False
    """Whether the agent's process went away, and has not come back."""

    outcome: RunOutcome | None = None
    """How the last run ended; None before and while one runs."""

    failure: str = ""
    """Why the last run failed, or why the session cannot be read."""

    is_closed: bool = False
    """Whether the session takes no more events."""

    is_cancelled: bool = False
    """Whether it was closed as cancelled."""

    is_broken: bool = False
    """Whether what is stored of the session cannot be read."""

    last_turn_id: str = ""
    """The newest model turn."""

    turn_count: int = 0
    call_count: int = 0
    row_count: int = 0
    last_seq: int = 0
    """The number of events."""

    last_event_at: float = 0.0
    """The time of the last event, or of the creation if there is none, in seconds since the Unix epoch."""

    exports: Sequence[ExportEntry] = ()

    @property
    def status(self) -> SessionStatus:
        """The status; the first that applies wins."""
        if self.is_broken:
            return SessionStatus.BROKEN
        if self.is_closed:
            return SessionStatus.CANCELLED if self.is_cancelled else SessionStatus.CLOSED
        if any(request.kind is RequestKind.MODEL for request in self.pending.values()):
            return SessionStatus.WAITING
        if self.is_abandoned:
            return SessionStatus.ABANDONED
        # ADK takes the answer to a confirmation only when the run that asked for it has ended.
        if self.busy_since is not None:
            return SessionStatus.RUNNING
        if self.pending:
            return SessionStatus.WAITING
        if self.outcome in (RunOutcome.FAILED, RunOutcome.CANCELLED):
            return SessionStatus.FAILED if self.outcome is RunOutcome.FAILED else SessionStatus.STOPPED
        return SessionStatus.DONE if self.has_started else SessionStatus.NEW

    @property
    def name(self) -> str:
        """The name to show: a chosen one, or the beginning of the first user message."""
        description = self.session.description
        is_chosen = description not in ("", self.app_name, *self.agent_names)
        return self.given_name or (description if is_chosen else self.title) or description or UNNAMED

    @property
    def agent_name(self) -> str:
        """The app, or the first agent that called its model."""
        return self.app_name or (self.agent_names[0] if self.agent_names else "")

    @property
    def running_since(self) -> float | None:
        """When the oldest running tool started, else when the agent did; None if nothing is running."""
        if self.running_calls:
            return min(self.running_calls.values())
        return self.busy_since if self.status is SessionStatus.RUNNING else None

    @property
    def cursor(self) -> SessionCursor:
        """The position in a list."""
        return round(self.session.created_at * 1_000), self.session.session_id

    def is_waiting(self, turn_id: str) -> bool:
        """Return whether a turn needs a decision, of a person or of another player."""
        return turn_id in self.pending or turn_id in self.delegated

    def with_events(self, events: Iterable[Event]) -> SessionSummary:
        """Return the summary after more events."""
        summary = self
        for event in events:
            summary = summary.with_event(event)
        return summary

    def with_event(self, event: Event) -> SessionSummary:
        """Return the summary after one more event."""
        counted = replace(
            self,
            last_seq=event.seq,
            last_event_at=event.timestamp,
            is_abandoned=isinstance(event.payload, TurnWithdrawn) and event.payload.abandoned,
        )
        match event.payload:
            case TurnAsked() | TurnRevived() | TurnDecided() | TurnWithdrawn():
                return _apply_turn_event(counted, event)
            case ToolStarted(call_id=call_id):
                running = {**self.running_calls, call_id: event.timestamp}
                return replace(counted, running_calls=running, call_count=self.call_count + 1)
            case ToolFinished(call_id=call_id) | ToolFailed(call_id=call_id):
                return replace(counted, running_calls=_exclude(self.running_calls, call_id))
            case AgentJoined(app_name=app_name):
                return replace(counted, app_name=app_name or self.app_name, has_joined=True)
            case UserSpoke(content=content):
                return _apply_user_message(counted, event, content)
            case AgentEvent() as emitted:
                requests = {request.request_id: request for request in iter_consent_requests(event, emitted)}
                return replace(counted, pending={**self.pending, **requests}) if requests else counted
            case RunEnded() as ended:
                return _apply_run_ended(counted, ended)
            case Closed(cancelled=cancelled):
                return replace(
                    counted,
                    pending={},
                    delegated={},
                    running_calls={},
                    busy_since=None,
                    is_closed=True,
                    is_cancelled=cancelled,
                )
            case _:
                return counted


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
        return replace(counted, pending={**summary.pending, event.turn_id: build_turn_request(event, asked)})
    return replace(counted, delegated={**summary.delegated, event.turn_id: asked.invocation_id})


def _apply_user_message(summary: SessionSummary, event: Event, content: Json) -> SessionSummary:
    started = replace(summary, has_started=True, busy_since=event.timestamp, outcome=None, failure="")
    if not is_user_query(content):
        return replace(started, pending=_exclude(summary.pending, *list_answered_ids(content)))
    # After a new query ADK no longer runs the calls that wait for consent.
    pending = {key: value for key, value in summary.pending.items() if value.kind is RequestKind.MODEL}
    title = summary.title or summarize_text(extract_text(content))[:_MAX_TITLE_CHARS]
    return replace(started, pending=pending, title=title)


def _apply_run_ended(summary: SessionSummary, ended: RunEnded) -> SessionSummary:
    is_done = ended.outcome is RunOutcome.DONE
    return replace(
        summary,
        # The consents that a finished run asked for are answered after its end.
        pending={
            key: value
            for key, value in summary.pending.items()
            if (is_done and value.kind is not RequestKind.MODEL)
            or (value.kind is RequestKind.MODEL and value.invocation_id != ended.invocation_id)
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


def create_summary(session: Session) -> SessionSummary:
    """Create the summary of a session without events."""
    return SessionSummary(session=session, last_event_at=session.created_at)


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
