"""When things happen: what is due next, and what becomes due because something happened.

An event is put on the agenda when one that it waits for has happened and all of them have a time; their times count,
not whether they are over. An event with an absolute time waits for the first one only.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from adk_agent_sim.scenario.world.plan import Plan, Planned

_LAST = 253_402_300_799.0
"""The end of the year 9999, the last that dates can be written of."""


@dataclass(kw_only=True)
class Agenda:
    """The events that have a time, earliest first; at the same time by their ids."""

    plan: Plan

    held: Container[str] = field(default_factory=frozenset[str])
    """Events that get their time from elsewhere."""

    times: dict[str, float] = field(default_factory=dict[str, float])
    """The time of every event that has one, also of those that are over."""

    queue: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])

    queued: set[str] = field(default_factory=set[str])
    """Every event that was ever put on the agenda."""

    too_late: set[str] = field(default_factory=set[str])
    """Every event whose time no calendar has."""

    over: set[str] = field(default_factory=set[str])
    """Every event that has happened."""

    def open(self) -> None:
        """Put on what waits for nothing."""
        events: Mapping[str, Planned] = self.plan.events
        for event in events.values():
            if event.absolute is not None:
                self.times[event.event_id] = float(event.absolute)
        for event in events.values():
            if not event.parents and event.event_id not in self.held and not event.blocked:
                self.put(event.event_id, self.times.get(event.event_id, self.plan.start + event.relative))

    def put(self, event_id: str, time: float) -> None:
        """Let an event happen at a time, if a calendar has it."""
        self.times[event_id] = time
        if not time <= _LAST:
            self.too_late.add(event_id)
            return
        self.queued.add(event_id)
        heapq.heappush(self.queue, (time, event_id))

    def release(self, event: Planned) -> None:
        """Put on what can happen now that an event has."""
        self.over.add(event.event_id)
        for name in event.children:
            child = self.plan.events[name]
            if name in self.queued or name in self.held or child.blocked:
                continue
            if child.absolute is not None:
                self.put(name, float(child.absolute))
            elif all(parent in self.times for parent in child.parents):
                self.put(name, max(self.times[parent] for parent in child.parents) + child.relative)

    def take(self, until: float) -> list[tuple[float, str]]:
        """Take off what is due, in order."""
        due: list[tuple[float, str]] = []
        while self.queue and self.queue[0][0] <= until:
            due.append(heapq.heappop(self.queue))
        return due

    def next_time(self) -> float | None:
        """When the next event is due."""
        return self.queue[0][0] if self.queue else None

    def saved(self) -> tuple[Any, ...]:
        """Where the agenda stands, for `put_back`."""
        return (
            dict(self.times),
            tuple(self.queue),
            frozenset(self.queued),
            frozenset(self.over),
            frozenset(self.too_late),
        )

    def put_back(self, saved: tuple[Any, ...]) -> None:
        """Stand again where `saved` was taken."""
        times, queue, queued, over, too_late = saved
        self.times, self.queue = dict(times), list(queue)
        self.queued, self.over, self.too_late = set(queued), set(over), set(too_late)
