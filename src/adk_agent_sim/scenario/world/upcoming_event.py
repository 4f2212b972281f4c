"""Looks ahead for the event that happens next in a run with an agent, without changing the run.

An event that follows an expected message to the user waits until the agent has sent one; then nothing happens however
much time passes, which people must be told.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from adk_agent_sim.scenario.world.event_plan import EventPlan
from adk_agent_sim.scenario.world.event_queue import EventQueue
from adk_agent_sim.scenario.world.turn_tracker import TurnTracker


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
