"""Which events of a session a golden trace contains: splits them into user turns, and leaves out faulty model turns and
rejected responses.

A golden trace says what the agent should do. A response that its own output model rejects is a mistake of whoever
played it, and the corrected response follows it. An injected fault is not what its model answered, and what followed
from it, such as the error for a tool that does not exist, would not have happened.

A user turn begins with a query and ends before the next one. It may take several runs, because an answer to a
confirmation starts another run. Only a turn whose last run ended with a final response belongs in a golden trace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import get_parts
from adk_agent_sim.timeline.events import (
    AgentEvent,
    EnvironmentDecided,
    Event,
    RunEnded,
    RunOutcome,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    UserSpoke,
)
from adk_agent_sim.timeline.framework_calls import SET_MODEL_RESPONSE, is_rejected_response, is_request_call
from adk_agent_sim.timeline.history import FinalResponse, UserQuery, build_history, is_user_query
from adk_agent_sim.timeline.undone_events import count_undone_turns, remove_undone_events


def remove_faulty_turns(events: Sequence[Event]) -> Sequence[Event]:
    """Return the events without changed model turns, their calls, and the results of these calls."""
    faulty_turns = _find_faulty_turns(events)
    if not faulty_turns:
        return events
    remover = _FaultRemover(faulty_turns)
    return [kept for event in events if (kept := remover.apply(event)) is not None]


def count_faulty_turns(events: Sequence[Event]) -> int:
    """Return how many model turns rules have changed."""
    return len(_find_faulty_turns(events))


def _find_faulty_turns(events: Sequence[Event]) -> set[str]:
    return {
        event.turn_id
        for event in events
        if isinstance(event.payload, EnvironmentDecided) and event.payload.changed_answer and event.turn_id
    }


class _FaultRemover:
    """Decides event by event what remains of it."""

    def __init__(self, faulty_turns: set[str]) -> None:
        self._faulty_turns = faulty_turns
        self._agents_with_fault: set[str] = set()
        """The agents whose changed answer is decided; the event that ADK makes of it follows."""
        self._dropped_calls: set[str] = set()

    def apply(self, event: Event) -> Event | None:
        """Return the event, what remains of it, or None."""
        match event.payload:
            case TurnAsked():
                # ADK makes no event of some answers: the next one is not that of the fault.
                self._agents_with_fault.discard(event.agent_name)
            case TurnDecided() if event.turn_id in self._faulty_turns:
                self._agents_with_fault.add(event.agent_name)
            case RunEnded():
                self._agents_with_fault.clear()
            case AgentEvent():
                return self._apply_agent_event(event, event.payload)
            case ToolStarted() | ToolFinished() | ToolFailed() | EnvironmentDecided() as fact:
                if fact.call_id and fact.call_id in self._dropped_calls:
                    return None
            case _:
                pass
        return None if event.turn_id in self._faulty_turns else event

    def _apply_agent_event(self, event: Event, emitted: AgentEvent) -> Event | None:
        parts = get_parts(emitted.event.get("content"))
        has_results = any(part.get("function_response") for part in parts)
        if event.agent_name in self._agents_with_fault and not has_results:
            self._agents_with_fault.discard(event.agent_name)
            self._dropped_calls |= {
                part["function_call"].get("id") or "" for part in parts if part.get("function_call")
            }
            return None
        remaining = [part for part in parts if not self._is_dropped_result(part)]
        if len(remaining) == len(parts):
            return event
        if not remaining:
            return None
        content = cast("Mapping[str, Json]", emitted.event.get("content") or {})
        value = {**emitted.event, "content": {**content, "parts": remaining}}
        return replace(event, payload=replace(emitted, event=value))

    def _is_dropped_result(self, part: Mapping[str, Json]) -> bool:
        response = part.get("function_response")
        return bool(response) and response.get("id") in self._dropped_calls


def remove_rejected_responses(events: Sequence[Event]) -> Sequence[Event]:
    """Return the events without rejected responses; other calls of the same turns are kept."""
    places = _find_rejected_responses(events)
    if not places:
        return events
    dropped = {place for each in places for place in each.tool_events}
    dropped_turns: set[str] = set()
    parts = {place: part_index for each in places for place, part_index in each.parts.items()}
    kept: dict[int, Event] = {}
    for place, event in enumerate(events):
        if place in dropped:
            continue
        trimmed = _remove_part(event, parts[place]) if place in parts else event
        if trimmed is not None:
            kept[place] = trimmed
        elif event.turn_id:
            dropped_turns.add(event.turn_id)
    return [event for event in kept.values() if not event.turn_id or event.turn_id not in dropped_turns]


def count_rejected_responses(events: Sequence[Event]) -> int:
    """Return how many structured responses ADK rejected."""
    return len(_find_rejected_responses(events))


@dataclass(kw_only=True)
class _ResponsePlaces:
    """Where a response is in the log."""

    tool_events: list[int] = field(default_factory=list[int])
    """The events of its call that contain nothing else."""

    parts: dict[int, int] = field(default_factory=dict[int, int])
    """The events whose contents have a part of it, with the index of the part."""

    is_rejected: bool = False


class _ResponseFinder:
    """Finds the rejected responses of a log, event by event."""

    def __init__(self) -> None:
        self.rejected: list[_ResponsePlaces] = []
        self._open_calls: dict[str, _ResponsePlaces] = {}
        self._last_decisions: dict[str, tuple[int, Event]] = {}
        """The last decision of each agent: its call gets an id only in the event that follows."""

    def apply(self, place: int, event: Event) -> None:
        match event.payload:
            case TurnDecided():
                self._last_decisions[event.agent_name] = (place, event)
            case AgentEvent():
                for part_index, part in enumerate(_get_parts(event)):
                    self._apply_part(place, part_index, part, event.agent_name)
            case ToolStarted(call_id=call_id) if call_id in self._open_calls:
                self._open_calls[call_id].tool_events.append(place)
            case ToolFinished(call_id=call_id) as finished if call_id in self._open_calls:
                self._open_calls[call_id].tool_events.append(place)
                self._open_calls[call_id].is_rejected = is_rejected_response(finished.result, finished.actions)
            case _:
                pass

    def _apply_part(self, place: int, part_index: int, part: Mapping[str, Json], agent_name: str) -> None:
        call, response = part.get("function_call"), part.get("function_response")
        if call and call.get("name") == SET_MODEL_RESPONSE:
            opened = self._open_calls[call.get("id") or ""] = _ResponsePlaces(parts={place: part_index})
            if decision := self._last_decisions.pop(agent_name, None):
                opened.parts |= _find_decided_part(*decision)
        elif response and response.get("id") in self._open_calls:
            closed = self._open_calls.pop(response["id"])
            closed.parts[place] = part_index
            if closed.is_rejected:
                self.rejected.append(closed)


def _find_rejected_responses(events: Sequence[Event]) -> list[_ResponsePlaces]:
    finder = _ResponseFinder()
    for place, event in enumerate(events):
        finder.apply(place, event)
    return finder.rejected


def _find_decided_part(place: int, decided: Event) -> dict[int, int]:
    for part_index, part in enumerate(_get_parts(decided)):
        call: Mapping[str, Json] = part.get("function_call") or {}
        if call.get("name") == SET_MODEL_RESPONSE:
            return {place: part_index}
    return {}


def _remove_part(event: Event, part_index: int) -> Event | None:
    """Return the event without a part of its content; None if no part remains."""
    remaining = [part for index, part in enumerate(_get_parts(event)) if index != part_index]
    if not remaining:
        return None
    match event.payload:
        case AgentEvent() as emitted:
            return replace(event, payload=replace(emitted, event=_replace_parts(emitted.event, remaining)))
        case TurnDecided() as decided:
            return replace(event, payload=replace(decided, response=_replace_parts(decided.response, remaining)))
        case _:
            return event


def _get_parts(event: Event) -> Sequence[Mapping[str, Json]]:
    match event.payload:
        case AgentEvent(event=value) | TurnDecided(response=value):
            return get_parts(value.get("content"))
        case _:
            return ()


def _replace_parts(value: Json, parts: Sequence[Mapping[str, Json]]) -> Json:
    content = cast("Mapping[str, Json]", value.get("content") or {})
    return {**value, "content": {**content, "parts": list(parts)}}


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
