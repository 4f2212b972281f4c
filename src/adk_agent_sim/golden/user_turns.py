"""Splits a session's events into user turns, and tells which of them a golden trace can contain.

A user turn begins with a query and ends before the next one. It may take several runs, because an answer to a
confirmation starts another run. Only a turn whose last run ended with a final response belongs in a golden trace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adk_agent_sim.golden.trace_omissions import count_faulty_turns, count_rejected_responses, remove_faulty_turns
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import get_parts
from adk_agent_sim.timeline.events import AgentEvent, Event, RunEnded, RunOutcome, UserSpoke
from adk_agent_sim.timeline.framework_calls import is_request_call
from adk_agent_sim.timeline.history import FinalResponse, UserQuery, build_history, is_user_query
from adk_agent_sim.timeline.undone_events import count_undone_turns, remove_undone_events

_MAX_QUERY_LENGTH = 60


@dataclass(frozen=True, kw_only=True)
class UserTurn:
    """The events of one user turn."""

    events: Sequence[Event]

    query: str
    """What the user said."""

    outcome: RunOutcome | None
    """How its last run ended; None if it is still going on."""

    has_answer: bool
    """Whether it has a final response."""

    @property
    def is_finished(self) -> bool:
        """Whether a golden trace can contain it."""
        return self.outcome is RunOutcome.DONE and self.has_answer

    def explain_omission(self) -> str:
        """Return why a golden trace leaves the turn out."""
        match self.outcome:
            case RunOutcome.CANCELLED:
                return "its run was stopped before the final response"
            case RunOutcome.FAILED:
                return "its run failed"
            case RunOutcome.DONE:
                return "it has no final response"
            case _:
                return "it has no final response yet"


def split_events(events: Sequence[Event]) -> tuple[Sequence[Event], Sequence[UserTurn]]:
    """Return the events before the first query, and the user turns."""
    starts = [place for place, event in enumerate(events) if _is_query(event)]
    if not starts:
        return events, []
    ends = [*starts[1:], len(events)]
    before = events[: starts[0]]
    return before, [_build_turn(events[start:end]) for start, end in zip(starts, ends, strict=True)]


def describe_left_out(events: Sequence[Event], *, include_rejected: bool = False) -> list[str]:
    """Return what a golden trace of the session leaves out, and why."""
    undone = count_undone_turns(events)
    events = remove_undone_events(events)
    _, turns = split_events(remove_faulty_turns(events))
    notes = [
        f"user turn {place} ({_shorten(turn.query)!r}) was left out: {turn.explain_omission()}"
        for place, turn in enumerate(turns, start=1)
        if not turn.is_finished
    ]
    finished = [event for turn in turns if turn.is_finished for event in turn.events]
    rejected = 0 if include_rejected else count_rejected_responses(finished)
    if rejected:
        what = "1 structured response was" if rejected == 1 else f"{rejected} structured responses were"
        notes.append(f"{what} left out: the agent's output_schema rejected them")
    if faulty := count_faulty_turns(events):
        what = "1 model turn was" if faulty == 1 else f"{faulty} model turns were"
        notes.append(f"{what} left out: rules for the model's seat changed them")
    if undone:
        what = "1 model turn was" if undone == 1 else f"{undone} model turns were"
        notes.append(f"{what} left out: the decisions were undone")
    return notes


def _build_turn(events: Sequence[Event]) -> UserTurn:
    entries = build_history(events)
    outcomes = [event.payload.outcome for event in events if isinstance(event.payload, RunEnded)]
    return UserTurn(
        events=events,
        query=next((entry.content for entry in entries if isinstance(entry, UserQuery)), ""),
        outcome=outcomes[-1] if outcomes and not _is_running(events) else None,
        has_answer=bool(entries) and isinstance(entries[-1], FinalResponse) and not _find_open_requests(events),
    )


def _find_open_requests(events: Sequence[Event]) -> set[str]:
    """Return the ids of ADK's requests, such as for consent, that the user has not answered: they end a run too."""
    open_ids: set[str] = set()
    for event in events:
        match event.payload:
            case AgentEvent(event=emitted):
                calls = _list_part_values(emitted.get("content"), "function_call")
                open_ids |= {call.get("id") or "" for call in calls if is_request_call(call.get("name") or "")}
            case UserSpoke(content=content):
                answers = _list_part_values(content, "function_response")
                open_ids -= {answer.get("id") or "" for answer in answers}
            case _:
                pass
    return open_ids


def _list_part_values(content: Json, kind: str) -> list[Mapping[str, Any]]:
    return [part[kind] for part in get_parts(content) if part.get(kind)]


def _is_running(events: Sequence[Event]) -> bool:
    """Return whether a run began after the last one ended, as it does when the user answers a confirmation."""
    for event in reversed(events):
        if isinstance(event.payload, RunEnded):
            return False
        if isinstance(event.payload, UserSpoke):
            return True
    return True


def _is_query(event: Event) -> bool:
    return isinstance(event.payload, UserSpoke) and is_user_query(event.payload.content)


def _shorten(query: str) -> str:
    return query if len(query) <= _MAX_QUERY_LENGTH else f"{query[: _MAX_QUERY_LENGTH - 1]}…"
