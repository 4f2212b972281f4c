"""Times of the user's messages in a restored session: between the events of agents around them.

The timeline has the time at which a message arrived there, by the clock of the server, and ADK's events have the times
at which the agent's process created them. ADK's databases sort events by time, in microseconds, and events of the same
microsecond by their random ids.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from adk_agent_sim.timeline.events import AgentEvent, Event, UserSpoke


def find_message_times(events: Sequence[Event]) -> dict[int, float]:
    """Return the times of the user's messages by their place among the events.

    A time is that of the timeline, unless events before the message are not earlier, or events after it not later.
    """
    times: dict[int, float] = {}
    latest = -math.inf
    for place, event in enumerate(events):
        if isinstance(event.payload, UserSpoke):
            latest = times[place] = max(_to_microseconds(event.timestamp), latest + 1)
        elif isinstance(event.payload, AgentEvent):
            latest = max(latest, _read_time(event.payload, latest))
    # If the clocks leave no room between two runs, a message is at least before the responses to it.
    earliest = math.inf
    for place in reversed(range(len(events))):
        payload = events[place].payload
        if isinstance(payload, UserSpoke):
            earliest = times[place] = min(times[place], earliest - 1)
        elif isinstance(payload, AgentEvent):
            earliest = min(earliest, _read_time(payload, earliest))
    return {place: _to_seconds(time, events[place].timestamp) for place, time in times.items()}


def _read_time(event: AgentEvent, default: float) -> float:
    """Return the time of an event of ADK, in microseconds."""
    timestamp = event.event.get("timestamp")
    return _to_microseconds(timestamp) if isinstance(timestamp, int | float) else default


def _to_microseconds(timestamp: float) -> int:
    """Round a time as `datetime` does, and so ADK's databases."""
    fraction, seconds = math.modf(timestamp)
    return int(seconds) * 1_000_000 + round(fraction * 1e6)


def _to_seconds(time: float, timestamp: float) -> float:
    return timestamp if time == _to_microseconds(timestamp) else time / 1e6
