"""Leaves out the model turns that rules for the model's seat have changed, as if the model had not been asked.

A golden trace says what the agent should do. An injected fault is not what its model answered, and what followed from
it, such as the error for a tool that does not exist, would not have happened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import get_parts
from adk_agent_sim.timeline.events import (
    AgentEvent,
    EnvironmentDecided,
    Event,
    RunEnded,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
)


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
