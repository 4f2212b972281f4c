"""Tells whether the calls of a decision are still running, or about to run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.decision_checks import get_function_calls
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentPath,
    Event,
    RunEnded,
    ToolAnswered,
    ToolAsked,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    UserSpoke,
)


def has_unfinished_decision(events: Sequence[Event], until_seq: int) -> bool:
    """Return whether a tool that was called by a decision is running; one that waits for somebody is not.

    It waits for an inner agent, or for a person who responds as the tool.

    Args:
        events: The events of a session that count.
        until_seq: Only decisions up to this event matter.
    """
    open_decisions: dict[tuple[str, AgentPath | None], set[str]] = {}
    waiting_turns: dict[str, str] = {}
    parents: dict[str, str] = {}
    for event in events:
        key = (event.agent_name, event.agent_path)
        parent = event.agent_path.parent_call_id if event.agent_path is not None else ""
        match event.payload:
            case UserSpoke() | RunEnded():
                open_decisions.clear()
                waiting_turns.clear()
            case TurnAsked():
                open_decisions.pop(key, None)
                waiting_turns[event.turn_id] = parent
            case TurnDecided(response=response):
                waiting_turns.pop(event.turn_id, None)
                if event.seq <= until_seq and get_function_calls(response):
                    open_decisions[key] = set()
            case ToolStarted(call_id=call_id):
                parents[call_id] = parent
                if key in open_decisions:
                    open_decisions[key].add(call_id)
            case ToolFinished(call_id=call_id) | ToolFailed(call_id=call_id) if parent:
                _finish_inner_call(open_decisions, key, call_id)
            case AgentEvent() as emitted if _has_response(emitted):
                open_decisions.pop(key, None)
            case _:
                pass
    # A tool whose inner agent waits for a decision would never end by itself.
    enclosing = _list_enclosing_calls([*waiting_turns.values(), *_list_asked_calls(events)], parents)
    return any(not calls & enclosing for calls in open_decisions.values())


def _list_asked_calls(events: Iterable[Event]) -> set[str]:
    """Return the calls that wait for a person who responds as the tool."""
    calls: set[str] = set()
    for event in events:
        match event.payload:
            case ToolAsked(call_id=call_id):
                calls.add(call_id)
            case ToolAnswered(call_id=call_id) | ToolFinished(call_id=call_id) | ToolFailed(call_id=call_id):
                calls.discard(call_id)
            case _:
                pass
    return calls


def _finish_inner_call(
    open_decisions: dict[tuple[str, AgentPath | None], set[str]], key: tuple[str, AgentPath | None], call_id: str
) -> None:
    """Forget a call of an agent inside a tool, whose results are not reported as events."""
    calls = open_decisions.get(key)
    if calls is not None:
        calls.discard(call_id)
        if not calls:
            del open_decisions[key]


def _list_enclosing_calls(call_ids: Iterable[str], parents: Mapping[str, str]) -> set[str]:
    """Return calls, and the calls inside of which they were made."""
    found: set[str] = set()
    for innermost in call_ids:
        call_id = innermost
        while call_id and call_id not in found:
            found.add(call_id)
            call_id = parents.get(call_id, "")
    return found


def _has_response(emitted: AgentEvent) -> bool:
    content: Mapping[str, Json] = emitted.event.get("content") or {}
    parts: Sequence[Mapping[str, Json]] = content.get("parts") or ()
    return any(part.get("function_response") for part in parts)
