"""Derives a session's history from its events: the five kinds of entries that people and golden traces use, and
the state that they leave the session in.

    UserSpoke                  -> UserQuery
    AgentEvent, function call  -> ToolCall
    ToolFinished / ToolFailed  -> ToolOutput / ToolError     (an AgentEvent's function response, if no code ran)
    RunEnded, done             -> FinalResponse              (the last final AgentEvent of the invocation)

Events of an agent that is used as a tool belong to that call and add no entries of their own.

    AWAITING_QUERY --submit_query--> ACTIVE --respond--> COMPLETED
                                        ^                    |
                                        +---- submit_query --+

Tools leave a session active. Another user message reopens a completed session: each user turn is one invocation.
A session on a timeline was created for an agent, so none is in SELECTING_AGENT.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, Field

from adk_agent_sim.errors import InvalidTransition
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.clock import WallClock
from adk_agent_sim.timeline.content_parts import as_mapping, as_text, extract_visible_text, get_parts
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    Event,
    RunEnded,
    RunOutcome,
    ToolFailed,
    ToolFinished,
    UserSpoke,
)
from adk_agent_sim.timeline.framework_calls import is_request_call
from adk_agent_sim.timeline.read_model.session_summary import SessionState
from adk_agent_sim.timeline.undone_events import remove_undone_events


class UniqueIds:
    """Ids of one history. A model may use the same id for several calls, and files may repeat or omit them."""

    def __init__(self, separator: str) -> None:
        """Start without ids; `separator` stands between an id that was used before and its number."""
        self._separator = separator
        self._used: set[str] = set()
        self._last_numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._used)

    def assign(self, wanted: str) -> str:
        """Return the id, or with the first free number from 2 up if it was used before."""
        free, number = wanted, self._last_numbers.get(wanted, 1)
        while free in self._used:
            number += 1
            free = f"{wanted}{self._separator}{number}"
        self._last_numbers[wanted] = number
        self._used.add(free)
        return free


def _now() -> datetime:
    return datetime.fromtimestamp(WallClock().now(), UTC)


class UserQuery(BaseModel):
    """A user message."""

    type: Literal["user_query"] = "user_query"
    content: str = Field(description="The user's text, or structured data as JSON")
    timestamp: datetime = Field(default_factory=_now)
    raw: Json = Field(default=None, description="The whole message, a `types.Content` as JSON")


class ToolCall(BaseModel):
    """A tool was called."""

    type: Literal["tool_call"] = "tool_call"
    tool_name: str
    arguments: dict[str, Any]
    call_id: str = Field(description="Joins the call with its output or error")
    timestamp: datetime = Field(default_factory=_now)
    agent_name: str = Field(default="", description="The agent that called")


class ToolOutput(BaseModel):
    """A tool returned."""

    type: Literal["tool_output"] = "tool_output"
    call_id: str = Field(description="The call_id of the ToolCall")
    result: Any = Field(description="What the tool returned")
    duration_ms: float = Field(description="How long the tool ran, in milliseconds")
    timestamp: datetime = Field(default_factory=_now)
    response: dict[str, Any] | None = Field(default=None, description="What the model got, after all callbacks")


class ToolError(BaseModel):
    """A tool raised an exception, or its call was cancelled."""

    type: Literal["tool_error"] = "tool_error"
    call_id: str = Field(description="The call_id of the ToolCall")
    error_type: str = Field(description="The exception's class name")
    error_message: str = Field(description="The exception's message")
    traceback: str | None = Field(default=None, description="The whole traceback, if there is one")
    duration_ms: float = Field(description="How long the tool ran until it failed, in milliseconds")
    timestamp: datetime = Field(default_factory=_now)
    response: dict[str, Any] | None = Field(default=None, description="What the model got, after all callbacks")


class FinalResponse(BaseModel):
    """The answer that ends a user turn."""

    type: Literal["final_response"] = "final_response"
    content: str = Field(description="The answer's text, or structured data as JSON")
    timestamp: datetime = Field(default_factory=_now)
    raw: Json = Field(default=None, description="The whole answer, a `types.Content` as JSON")


HistoryEntry: TypeAlias = UserQuery | ToolCall | ToolOutput | ToolError | FinalResponse
"""Any entry; `type` is the discriminator."""


def build_history(events: Iterable[Event]) -> list[HistoryEntry]:
    """Return the entries of a session in chronological order, without what was undone."""
    fold = _HistoryBuilder()
    for event in remove_undone_events(list(events)):
        fold.apply(event)
    return fold.entries


class _HistoryBuilder:
    def __init__(self) -> None:
        self._entries: list[HistoryEntry | None] = []
        self._unique_ids = UniqueIds("#")
        self._history_call_ids: dict[str, str] = {}
        """The id in the history of the last call with an id of the model."""
        self._result_places: dict[str, int] = {}
        self._results: dict[str, ToolOutput | ToolError | None] = {}
        self._final_response: FinalResponse | None = None

    @property
    def entries(self) -> list[HistoryEntry]:
        """The entries so far."""
        return [entry for entry in self._entries if entry is not None]

    def apply(self, event: Event) -> None:
        when = datetime.fromtimestamp(event.timestamp, UTC)
        match event.payload:
            case UserSpoke(content=content):
                self._add_user_message(content, when)
            case AgentEvent() as emitted:
                self._add_agent_event(emitted, event.agent_name, when)
            case ToolFinished() as tool:
                self._add_result(
                    ToolOutput(call_id=tool.call_id, result=tool.result, duration_ms=tool.duration_ms, timestamp=when)
                )
            case ToolFailed() as tool:
                self._add_result(
                    ToolError(
                        call_id=tool.call_id,
                        error_type=tool.error_type,
                        error_message=tool.error_message,
                        traceback=tool.traceback,
                        duration_ms=tool.duration_ms,
                        timestamp=when,
                    )
                )
            case RunEnded(outcome=RunOutcome.DONE) if self._final_response is not None:
                # Taken only when the run ends, because ADK calls the last text of each agent of a workflow final.
                self._entries.append(self._final_response)
                self._final_response = None
            case _:
                pass

    def _add_user_message(self, content: Json, when: datetime) -> None:
        """Add a query; a message that only answers a call, such as consent, continues the previous turn instead."""
        self._final_response = None
        if is_user_query(content):
            self._entries.append(UserQuery(content=_extract_text(content), timestamp=when, raw=content))
        else:
            self._remove_last_response()

    def _remove_last_response(self) -> None:
        while self._entries and self._entries[-1] is None:
            self._entries.pop()
        if self._entries and isinstance(self._entries[-1], FinalResponse):
            self._entries.pop()

    def _add_agent_event(self, emitted: AgentEvent, agent_name: str, when: datetime) -> None:
        content: dict[str, Json] = emitted.event.get("content") or {}
        for part in get_parts(content):
            if call := part.get("function_call"):
                self._add_call(call, agent_name, when)
            if response := part.get("function_response"):
                self._add_function_response(response, when)
        if emitted.final and get_parts(content) and not _asks_user(content):
            self._set_final_response(content, when)

    def _set_final_response(self, content: Json, when: datetime) -> None:
        """Keep the last final event, as ADK does, but do not replace one with text by one without."""
        text = extract_visible_text(content)
        if text or self._final_response is None or not self._final_response.content:
            self._final_response = FinalResponse(content=text, timestamp=when, raw=content)

    def _add_call(self, call: Mapping[str, Json], agent_name: str, when: datetime) -> None:
        tool_name = call.get("name") or ""
        if is_request_call(tool_name):
            return
        given_id = call.get("id") or ""
        call_id = self._history_call_ids[given_id] = self._unique_ids.assign(given_id)
        self._results[call_id] = None
        self._entries.append(
            ToolCall(
                tool_name=tool_name,
                arguments=call.get("args") or {},
                call_id=call_id,
                timestamp=when,
                agent_name=agent_name,
            )
        )

    def _add_result(self, entry: ToolOutput | ToolError) -> None:
        """Add the result of a call; replaces the interim result of a call that waited for consent."""
        entry.call_id = self._history_call_ids.get(entry.call_id, "")
        if not entry.call_id:
            return
        if entry.call_id in self._result_places:
            # Emptied, not removed: that would take as long as the history is, for each of its results.
            self._entries[self._result_places[entry.call_id]] = None
        self._results[entry.call_id] = entry
        self._result_places[entry.call_id] = len(self._entries)
        self._entries.append(entry)

    def _add_function_response(self, response: Mapping[str, Json], when: datetime) -> None:
        """Record the response that the model got; it is the only result of a call whose tool did not run."""
        call_id = response.get("id") or ""
        answer: dict[str, Json] = response.get("response") or {}
        if call_id not in self._history_call_ids:
            return
        entry = self._results[self._history_call_ids[call_id]]
        if entry is None:
            self._add_result(ToolOutput(call_id=call_id, result=answer, duration_ms=0, timestamp=when, response=answer))
        else:
            entry.response = answer


def is_user_query(content: Json) -> bool:
    """Return whether a user message contains more than responses to calls."""
    return any("function_response" not in part for part in get_parts(content))


def _asks_user(content: Json) -> bool:
    """Return whether ADK asks the user for something: it calls that final, because the run ends there."""
    calls = (as_mapping(part.get("function_call")) for part in get_parts(content))
    return any(is_request_call(as_text(call.get("name"))) for call in calls)


def _extract_text(content: Json) -> str:
    """Return the visible text of a content, or its other data as JSON if it has no text."""
    text = extract_visible_text(content)
    data = [part for part in get_parts(content) if "function_call" not in part and "function_response" not in part]
    return text or (json.dumps(data, ensure_ascii=False) if data else "")


class SessionTransition(StrEnum):
    """An action of a person."""

    SUBMIT_QUERY = "submit_query"
    RESPOND = "respond"


_TRANSITIONS = {
    (SessionState.AWAITING_QUERY, SessionTransition.SUBMIT_QUERY): SessionState.ACTIVE,
    (SessionState.ACTIVE, SessionTransition.RESPOND): SessionState.COMPLETED,
    (SessionState.COMPLETED, SessionTransition.SUBMIT_QUERY): SessionState.ACTIVE,
}


def advance(state: SessionState, transition: SessionTransition) -> SessionState:
    """Return the state after a transition; raise InvalidTransition if the state does not allow it."""
    try:
        return _TRANSITIONS[state, transition]
    except KeyError:
        allowed = ", ".join(possible for (at, possible) in _TRANSITIONS if at is state)
        raise InvalidTransition(
            f"A session in state {state.value} does not allow {transition.value}; allowed: {allowed}."
        ) from None


def derive_state(entries: Iterable[HistoryEntry]) -> SessionState:
    """Return the state after the entries of a history."""
    state = SessionState.AWAITING_QUERY
    for entry in entries:
        match entry:
            case UserQuery() if state is not SessionState.ACTIVE:
                state = advance(state, SessionTransition.SUBMIT_QUERY)
            case FinalResponse():
                state = advance(state, SessionTransition.RESPOND)
            case _:
                pass
    return state


def find_agent_joined(events: Iterable[Event]) -> AgentJoined | None:
    """Return the first `AgentJoined` payload, or None."""
    return next((event.payload for event in events if isinstance(event.payload, AgentJoined)), None)
