"""Recognizes edits of the session state: ADK events of the user without content, as `adk web` makes them too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import get_parts
from adk_agent_sim.timeline.events import AgentEvent, Event, UserSpoke
from adk_agent_sim.timeline.history import find_agent_joined


def find_state_edit(event: Event) -> Mapping[str, Json] | None:
    """Return what a person has set in the state by an event; None if it is no such edit."""
    emitted = event.payload
    if not isinstance(emitted, AgentEvent) or emitted.event.get("author") != "user":
        return None
    # ADK also writes user messages to its session as events of the user.
    if get_parts(emitted.event.get("content")):
        return None
    actions: Mapping[str, Json] = emitted.event.get("actions") or {}
    return actions.get("state_delta") or None


def compute_initial_state(events: Sequence[Event]) -> dict[str, Json]:
    """Return the state before the first user message, with the edits before it.

    Args:
        events: The events that count.
    """
    joined = find_agent_joined(events)
    state = dict(joined.state) if joined else {}
    for event in events:
        if isinstance(event.payload, UserSpoke):
            break
        state.update(find_state_edit(event) or {})
    return state


def describe_later_edits(events: Iterable[Event]) -> list[str]:
    """Return what was edited after the first user message, one line for each edit."""
    messages = 0
    described: list[str] = []
    for event in events:
        messages += isinstance(event.payload, UserSpoke)
        changes = find_state_edit(event)
        if messages and changes:
            described.append(f"the state was edited after user message {messages} ({', '.join(changes)})")
    return described
