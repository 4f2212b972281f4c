"""Snapshots of a world: taken at any event, and restored.

Apps never modify entities in place, so a snapshot shares everything with the world that has not changed since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adk_agent_sim.scenario.world.event_log import CompletedEvent
from adk_agent_sim.timeline.world_events import NotificationDelivered


@dataclass(frozen=True, kw_only=True)
class WorldSnapshot:
    """The complete state of a world at one time."""

    elapsed: float

    app_states: Mapping[str, Mapping[str, Any]]
    """The states of the apps by name."""

    hidden_states: Mapping[str, Mapping[str, Any]]
    """What the apps know beyond their states, by name."""

    events: tuple[CompletedEvent, ...]
    """The events completed so far."""

    notifications: tuple[NotificationDelivered, ...]

    engine_state: Mapping[str, Any]
    """The engine's state; opaque to everyone but the engine."""

    failure_counts: Mapping[str, int]
    """The number of calls of each tool, which determines the next random failure."""
