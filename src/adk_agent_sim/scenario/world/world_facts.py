"""Builds the timeline events of a world, so that whoever runs it records it in the same way."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from adk_agent_sim.scenario.world.event_log import CompletedEvent, mark_empty_texts
from adk_agent_sim.scenario.world.notifications import DeliveredNotification
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.world_events import NotificationDelivered, WorldEventHappened, WorldStarted


def build_world_start(
    world: World, *, source: str | Path | None = None, options: Mapping[str, Json] | None = None
) -> WorldStarted:
    """Build the event of a world's start.

    Args:
        world: The world.
        source: The file that its scenario was read from, if there is one.
        options: How it was configured beyond its scenario.
    """
    scenario = world.scenario
    file = None if source is None else Path(source)
    return WorldStarted(
        scenario_id=scenario.scenario_id,
        start_time=float(scenario.start_time or 0),
        seed=world.seed,
        source="" if file is None else str(file),
        digest=hashlib.sha256(file.read_bytes()).hexdigest() if file is not None and file.is_file() else "",
        options=dict(options or {}),
    )


def build_world_event(completed: CompletedEvent, start_time: float, *, call_id: str = "") -> WorldEventHappened:
    """Build the event of something that happened in a world.

    Args:
        completed: What happened.
        start_time: The scenario's start.
        call_id: The tool call that it comes from, if it comes from one.
    """
    return WorldEventHappened(
        event=mark_empty_texts(completed.exported_event).model_dump(mode="json"),
        elapsed_seconds=max(0.0, round(completed.time - start_time, 6)),
        call_id=call_id,
    )


def build_notification(notification: DeliveredNotification) -> NotificationDelivered:
    """Build the event of a notification that reached the agent."""
    return NotificationDelivered(
        kind=notification.kind, text=notification.text, elapsed_seconds=notification.elapsed_seconds
    )
