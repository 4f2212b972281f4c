"""The queue of scheduled events, the scheduling of events whose dependencies are met, and which event happens next.

An event is scheduled when one of its dependencies has happened and all of them have a time. The times of the
dependencies count, not whether they have happened. An event with an absolute time waits for its first dependency only.
These are ARE's rules.

An event that follows an expected message to the user waits until the agent has sent one; until then nothing happens
however much time passes, which people must be told.

In a run with an agent, nobody executes what a scenario expects of the agent, so events that depend on it would never
happen. Therefore expected actions count as done, without effect, at the time they are due. An expected message to the
user counts as done when the agent has sent as many messages as end its turn. Like ARE, this is checked once per time
increment (a second by default), counted from the scenario's start; delays of the next turn count from that check.

Notifications for the agent are filtered by its level. ARE keeps them in a binary heap on the time alone; those of equal
time are returned in the order in which such a heap returns them.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from adk_agent_sim.scenario.app_base.app import NotificationLevel
from adk_agent_sim.scenario.world.event_log import EventFailure
from adk_agent_sim.scenario.world.event_plan import EventPlan, PlannedEvent
from adk_agent_sim.timeline.world_events import NotificationDelivered


@dataclass(frozen=True, kw_only=True)
class TurnVerdict:
    """The judgement of a turn that the agent has ended."""

    passed: bool
    """Whether the scenario continues; if not, the world stops."""

    matches: Mapping[str, str] = field(default_factory=dict[str, str])
    """The ids of the agent's events -> the ids of the expected events they match.

    The agent's events take over these ids, so that placeholders find their return values.
    """


@dataclass(kw_only=True)
class TurnTracker:
    """The number of ended turns and when the next one ends."""

    plan: EventPlan

    message_times: list[float] = field(default_factory=list[float])
    """When the agent sent messages to the user."""

    ended_count: int = 0
    """The number of ended turns."""

    checked_until: float | None = None
    """The time until which turn ends were checked."""

    @property
    def expected_message_ids(self) -> frozenset[str]:
        """The ids of the expected messages to the user."""
        return frozenset(name for names in self.plan.turn_ends.values() for name in names)

    def next_check_time(self) -> float | None:
        """Return the time of the check that ends the current turn, or None if no message ends it yet."""
        # The message that ends the last turn releases no event, so it needs no check.
        if len(self.message_times) <= self.ended_count or self.ended_count >= self.plan.last_turn:
            return None
        check = math.ceil((self.message_times[self.ended_count] - self.plan.start) / self.plan.time_increment)
        if self.checked_until is not None:
            # The check at this time was made before the message was sent, so only the next one can notice it.
            check = max(check, math.floor((self.checked_until - self.plan.start) / self.plan.time_increment) + 1)
        return self.plan.start + max(0, check) * self.plan.time_increment

    def format_check_id(self, time: float) -> str:
        """Return ARE's id of that check. Ids determine the order of events with equal times."""
        number = round((time - self.plan.start) / self.plan.time_increment)
        return f"condition_turn_{self.ended_count + 1}-CHECK_{number}"

    def end_turn(self) -> list[str]:
        """End the turn and return the ids of the expected messages that are now done."""
        self.ended_count += 1
        return self.plan.turn_ends.get(self.ended_count - 1, [])

    def capture_state(self) -> tuple[Any, ...]:
        """Return the state of the turns for `restore`."""
        return tuple(self.message_times), self.ended_count, self.checked_until

    def restore(self, state: tuple[Any, ...]) -> None:
        """Restore what `capture_state` returned."""
        message_times, self.ended_count, self.checked_until = state
        self.message_times = list(message_times)


_MAX_TIME = 253_402_300_799.0
"""The end of the year 9999, the last that Python dates can represent."""


@dataclass(kw_only=True)
class EventQueue:
    """The scheduled events by time; events of equal time by id."""

    plan: EventPlan

    excluded_ids: Container[str] = field(default_factory=frozenset[str])
    """Events that are not scheduled here because they get their time elsewhere."""

    times: dict[str, float] = field(default_factory=dict[str, float])
    """The time of every event that has one, including completed events."""

    heap: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])

    scheduled_ids: set[str] = field(default_factory=set[str])
    """Every event that was ever scheduled."""

    too_late_ids: set[str] = field(default_factory=set[str])
    """Every event whose time is after the year 9999."""

    completed_ids: set[str] = field(default_factory=set[str])
    """Every completed event."""

    def schedule_initial_events(self) -> None:
        """Schedule the events without dependencies."""
        events: Mapping[str, PlannedEvent] = self.plan.events
        # All absolute times first: an event whose dependencies all have a time can be scheduled before they happen.
        for event in events.values():
            if event.absolute_time is not None:
                self.times[event.event_id] = float(event.absolute_time)
        for event in events.values():
            if not event.parents and event.event_id not in self.excluded_ids and not event.blocked_reason:
                self.schedule(event.event_id, self.times.get(event.event_id, self.plan.start + event.delay))

    def schedule(self, event_id: str, time: float) -> None:
        """Schedule an event, unless its time is after the year 9999."""
        self.times[event_id] = time
        if not time <= _MAX_TIME:  # not `>`: the time may be NaN
            self.too_late_ids.add(event_id)
            return
        self.scheduled_ids.add(event_id)
        self.push(event_id, time)

    def push(self, event_id: str, time: float) -> None:
        """Put an event or a check into the queue; its time for others stays."""
        heapq.heappush(self.heap, (time, event_id))

    def complete_event(self, event: PlannedEvent) -> None:
        """Mark an event as completed and schedule the events that became ready."""
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
        """Remove and return the events that are due, in order."""
        due: list[tuple[float, str]] = []
        while self.heap and self.heap[0][0] <= until:
            due.append(heapq.heappop(self.heap))
        return due

    def next_time(self) -> float | None:
        """Return the time of the next event, or None."""
        return self.heap[0][0] if self.heap else None

    def missed_events(self, now: float) -> Iterable[EventFailure]:
        """Yield the events that have not happened, with the reason."""
        for event_id, event in self.plan.events.items():
            if event_id in self.plan.noise_ids or event_id in self.completed_ids:
                continue
            missing = next((each for each in event.parents if each not in self.completed_ids), "")
            why = event.blocked_reason or f"it depends on {missing[:80]!r}, which did not happen"
            if event_id in self.too_late_ids:
                why = "its time is after the year 9999"
            elif event_id in self.scheduled_ids:
                late = self.times[event_id] - (now if self.plan.end is None else self.plan.end)
                why = f"it is due {late:g} s after the scenario's end"
            yield EventFailure(event_id=event_id, call=event.call_name, why=why)

    def capture_state(self) -> tuple[Any, ...]:
        """Return the state of the queue for `restore`."""
        # `excluded_ids` is not part of it: it follows from the plan and the kind of run, and the engine sets it again.
        return (
            dict(self.times),
            tuple(self.heap),
            frozenset(self.scheduled_ids),
            frozenset(self.completed_ids),
            frozenset(self.too_late_ids),
        )

    def restore(self, state: tuple[Any, ...]) -> None:
        """Restore what `capture_state` returned."""
        times, heap, scheduled, completed, too_late = state
        self.times, self.heap = dict(times), list(heap)
        self.scheduled_ids, self.completed_ids, self.too_late_ids = set(scheduled), set(completed), set(too_late)


@dataclass(frozen=True, kw_only=True)
class UpcomingEvent:
    """The next event that is not expected of the agent."""

    event_id: str

    call_name: str

    time: float | None
    """When it happens, as Unix time; None if it waits for the agent's message to the user."""


def find_upcoming_event(plan: EventPlan, queue: EventQueue, tracker: TurnTracker) -> UpcomingEvent | None:
    """Return the next event, or None if no event is left before the scenario's end."""
    heap = [each for each in queue.heap if each[1] in plan.events and each[1] not in queue.completed_ids]
    times = dict(queue.times)
    # The message was sent, and the check that will notice it is still to come.
    if (check := tracker.next_check_time()) is not None:
        heap += [(check, name) for name in plan.turn_ends.get(tracker.ended_count, [])]
        times.update({name: time for time, name in heap})
    heapq.heapify(heap)
    seen = {name for _, name in heap}
    while heap:
        time, name = heapq.heappop(heap)
        if plan.end is not None and time > plan.end:
            return None
        if plan.events[name].kind != "AGENT":
            return UpcomingEvent(event_id=name, call_name=plan.events[name].call_name, time=time)
        # What is expected of the agent counts as done when it is due, so the search goes on with what depends on it.
        for child in (plan.events[each] for each in plan.events[name].children):
            if child.event_id in seen or child.event_id in queue.scheduled_ids or child.event_id in queue.excluded_ids:
                continue
            if child.blocked_reason:
                continue
            if child.absolute_time is not None:
                due = float(child.absolute_time)
            elif all(parent in times for parent in child.parents):
                due = max(times[parent] for parent in child.parents) + child.delay
            else:
                continue
            seen.add(child.event_id)
            times[child.event_id] = due
            heapq.heappush(heap, (due, child.event_id))
    return _find_waiting_event(plan, queue, tracker)


def _find_waiting_event(plan: EventPlan, queue: EventQueue, tracker: TurnTracker) -> UpcomingEvent | None:
    """Return the first event that follows a message that the agent has not sent yet."""
    waiting = [
        event
        for name, event in plan.events.items()
        if event.kind != "AGENT"
        and not event.blocked_reason
        and name not in queue.scheduled_ids
        and event.turn > tracker.ended_count
    ]
    first = min(waiting, key=lambda event: event.turn, default=None)
    return None if first is None else UpcomingEvent(event_id=first.event_id, call_name=first.call_name, time=None)


_LEVEL_RANK = {level: rank for rank, level in enumerate(NotificationLevel)}


@dataclass(kw_only=True)
class NotificationQueue:
    """The notifications that the agent has not received yet."""

    level: NotificationLevel = NotificationLevel.MEDIUM

    pending: list[NotificationDelivered] = field(default_factory=list[NotificationDelivered])

    def add(self, level: NotificationLevel, notification: NotificationDelivered) -> None:
        """Queue a notification if the agent's level includes it."""
        if _LEVEL_RANK[level] <= _LEVEL_RANK[self.level]:
            self.pending.append(notification)

    def drain(self) -> list[NotificationDelivered]:
        """Remove and return all queued notifications, in ARE's order."""
        heap: list[tuple[float, _HeapEntry]] = []
        for each in self.pending:
            heapq.heappush(heap, (each.elapsed_seconds, _HeapEntry(each)))
        self.pending = []
        return [heapq.heappop(heap)[1].notification for _ in range(len(heap))]


class _HeapEntry:
    """A heap entry that never compares as less, so that only times are compared."""

    def __init__(self, notification: NotificationDelivered) -> None:
        self.notification = notification

    def __lt__(self, other: object) -> bool:
        return False
