"""The rows of a scenario's world: events of the environment, notifications, jumps in time, and verdicts.

WorldEventHappened of a tool call       -> no row: the call has one, and gets the world's time while it runs
WorldEventHappened, a message of user or agent in the conversation  -> no row: the conversation has one
WorldTimeChanged while the model thinks -> no row: the rows after it show the world's time
everything else                         -> a row
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping, as_text
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.read_model.line_summary import summarize_arguments, summarize_text
from adk_agent_sim.timeline.read_model.open_rows import OpenRows
from adk_agent_sim.timeline.read_model.timeline_row import RowKind, RowStatus
from adk_agent_sim.timeline.world_events import (
    NotificationDelivered,
    VerdictReached,
    WorldEventHappened,
    WorldStarted,
    WorldTimeChanged,
)

WorldPayload: TypeAlias = WorldStarted | WorldEventHappened | NotificationDelivered | WorldTimeChanged | VerdictReached

THINKING = "thinking"
"""The reason of a `WorldTimeChanged` while the agent's model thinks."""

_CONVERSATION_FUNCTIONS = frozenset({"send_message_to_agent", "send_message_to_user"})


def apply_world_event(rows: OpenRows, event: Event, fact: WorldPayload) -> None:
    """Apply an event about a scenario's world."""
    match fact:
        case WorldStarted():
            started = datetime.fromtimestamp(fact.start_time, UTC)
            summary = f"{fact.scenario_id}, {started:%Y-%m-%d %H:%M:%S} UTC, seed {fact.seed}"
            rows.add_row(event, RowKind.WORLD, "started", summary, world_seconds=0.0)
        case WorldEventHappened():
            _apply_completed_event(rows, event, fact)
        case NotificationDelivered():
            rows.add_row(event, RowKind.WORLD, "notification", fact.text, world_seconds=fact.elapsed_seconds)
        case WorldTimeChanged():
            if fact.reason != THINKING:
                summary = f"from t+{fact.from_seconds:g} s to t+{fact.to_seconds:g} s: {fact.reason}"
                rows.add_row(event, RowKind.WORLD, "time", summary, world_seconds=fact.to_seconds)
        case VerdictReached():
            _add_verdict(rows, event, fact)


def is_part_of_conversation(completed: Mapping[str, Json]) -> bool:
    """Return whether a completed event is a message between user and agent."""
    return as_mapping(completed.get("action")).get("function") in _CONVERSATION_FUNCTIONS


def _apply_completed_event(rows: OpenRows, event: Event, fact: WorldEventHappened) -> None:
    index = rows.call_rows.get(fact.call_id) if fact.call_id else None
    if index is not None:
        rows.update_row(event, index, world_seconds=fact.elapsed_seconds)
        return
    completed = as_mapping(fact.event)
    if fact.call_id or is_part_of_conversation(completed):
        return
    action, metadata = as_mapping(completed.get("action")), as_mapping(completed.get("metadata"))
    function = as_text(action.get("function"))
    error = as_text(metadata.get("exception"))
    index = rows.add_row(
        event,
        RowKind.WORLD,
        f"{as_text(action.get('app'))}__{function}" if function else as_text(completed.get("event_type")).lower(),
        summarize_arguments(_read_arguments(action)) if function else as_text(completed.get("event_id")),
        status=RowStatus.FAILED if error else RowStatus.DONE,
        world_seconds=fact.elapsed_seconds,
    )
    if error:
        rows.update_row(event, index, result=summarize_text(error))


def _read_arguments(action: Mapping[str, Json]) -> dict[str, Json]:
    listed: Sequence[Mapping[str, Json]] = action.get("args") or ()
    return {as_text(each.get("name")): each.get("value") for each in listed}


def _add_verdict(rows: OpenRows, event: Event, fact: VerdictReached) -> None:
    what = "the run" if fact.turn == 0 else "turn 1" if fact.turn == 1 else f"turns 1 to {fact.turn}"
    index = rows.add_row(
        event,
        RowKind.WORLD,
        "verdict",
        f"{what} {'passed' if fact.passed else 'failed'}",
        status=RowStatus.DONE if fact.passed else RowStatus.FAILED,
    )
    if fact.reason:
        rows.update_row(event, index, result=summarize_text(fact.reason))
