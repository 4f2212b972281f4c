"""When things happen: what is due next, and what becomes due because something happened.

An event is put on the agenda when one that it waits for has happened and all of them have a time; their times count,
not whether they are over. An event with an absolute time waits for the first one only.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from adk_agent_sim.scenario.world.event_plan import EventPlan, PlannedEvent

_MAX_TIME = 253_402_300_799.0
"""The end of the year 9999, the last that dates can be written of."""


@dataclass(kw_only=True)
class EventQueue:
    """The events that have a time, earliest first; at the same time by their ids."""

    plan: EventPlan

    excluded_ids: Container[str] = field(default_factory=frozenset[str])
    """Events that get their time from elsewhere."""

    times: dict[str, float] = field(default_factory=dict[str, float])
    """The time of every event that has one, also of those that are over."""

    heap: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])

    scheduled_ids: set[str] = field(default_factory=set[str])
    """Every event that was ever put on the agenda."""

    too_late_ids: set[str] = field(default_factory=set[str])
    """Every event whose time no calendar has."""

    completed_ids: set[str] = field(default_factory=set[str])
    """Every event that has happened."""

    def schedule_initial_events(self) -> None:
        """Put on what waits for nothing."""
        events: Mapping[str, PlannedEvent] = self.plan.events
        for event in events.values():
            if event.absolute_time is not None:
                self.times[event.event_id] = float(event.absolute_time)
        for event in events.values():
            if not event.parents and event.event_id not in self.excluded_ids and not event.blocked_reason:
                self.schedule(event.event_id, self.times.get(event.event_id, self.plan.start + event.delay))

    def schedule(self, event_id: str, time: float) -> None:
        """Let an event happen at a time, if a calendar has it."""
        self.times[event_id] = time
        if not time <= _MAX_TIME:
            self.too_late_ids.add(event_id)
            return
        self.scheduled_ids.add(event_id)
        heapq.heappush(self.heap, (time, event_id))

    def complete_event(self, event: PlannedEvent) -> None:
        """Put on what can happen now that an event has."""
        self.completed_ids.add(event.event_id)
        for name in event.children:
            child = self.plan.events[name]
            if name in self.scheduled_ids or name in self.excluded_ids or child.blocked_reason:
                continue
            if child.absolute_time is not None:
                self.schedule(name, float(child.absolute_time))
            elif all(parent in self.times for parent in child.parents):
                self.schedule(name, max(self.times[parent] for parent in child.parents) + child.delay)

    def pop_due(self, until: float) -> list[tuple[float, str]]:
        """Take off what is due, in order."""
        due: list[tuple[float, str]] = []
        while self.heap and self.heap[0][0] <= until:
            due.append(heapq.heappop(self.heap))
        return due

    def next_time(self) -> float | None:
        """When the next event is due."""
        return self.heap[0][0] if self.heap else None

    def capture_state(self) -> tuple[Any, ...]:
        """Where the agenda stands, for `put_back`."""
        return (
            dict(self.times),
            tuple(self.heap),
            frozenset(self.scheduled_ids),
            frozenset(self.completed_ids),
            frozenset(self.too_late_ids),
        )

    def restore(self, state: tuple[Any, ...]) -> None:
        """Stand again where `saved` was taken."""
        times, queue, queued, over, too_late = state
        self.times, self.heap = dict(times), list(queue)
        self.scheduled_ids, self.completed_ids, self.too_late_ids = set(queued), set(over), set(too_late)
