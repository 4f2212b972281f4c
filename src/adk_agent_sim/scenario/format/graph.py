"""The dependency graph of a scenario's events: order, expected times, turns and cycles."""

from __future__ import annotations

from collections import deque
from itertools import islice

from adk_agent_sim.scenario.format.models import AnyEvent, ExportedTrace

_MAX_LISTED = 10
"""The most ids that advice lists."""


class EventGraph:
    """The dependency graph of a scenario's events. If an id occurs twice, its first event counts."""

    def __init__(self, trace: ExportedTrace) -> None:
        definition = trace.metadata.definition
        self.start = definition.start_time or 0
        self.end = None if definition.duration is None else self.start + definition.duration
        self.events: dict[str, AnyEvent] = {}
        self.positions: dict[str, int] = {}
        for position, event in enumerate(trace.events):
            self.events.setdefault(event.event_id, event)
            self.positions.setdefault(event.event_id, position)
        self.parents = {
            name: [each for each in dict.fromkeys(event.dependencies) if each in self.events]
            for name, event in self.events.items()
        }
        self.children: dict[str, list[str]] = {name: [] for name in self.events}
        for name, parents in self.parents.items():
            for parent in parents:
                self.children[parent].append(name)
        self.order = self._sort_topologically()
        """The events that do not depend on a cycle in topological order, breadth first."""
        self.times: dict[str, float] = {}
        """When each event of `order` is expected."""
        self.levels: dict[str, int] = {}
        """The length of the longest chain of events before each event of `order`."""
        for name in self.order:
            parents = self.parents[name]
            self.levels[name] = 1 + max((self.levels[each] for each in parents), default=-1)
            self.times[name] = self._compute_time(self.events[name], [self.times[each] for each in parents])

    def describe_ids(self) -> str:
        """Return a sentence with the ids of the first events, for advice."""
        shown = [name[:40] for name in islice(self.events, _MAX_LISTED)]
        more = ", ..." if len(self.events) > _MAX_LISTED else ""
        return f"Its events are: {', '.join(shown) or 'none'}{more}"

    def find_cycles(self) -> list[list[str]]:
        """Return the cycles as lists of ids; events that only depend on a cycle are in none."""
        # What a topological sort leaves over is in a cycle or depends on one. Walking up its parents ends in a cycle.
        unsorted = set(self.events) - set(self.order)
        found: list[list[str]] = []
        seen: set[str] = set()
        for name in self.events:
            walk: dict[str, int] = {}
            at: str | None = name if name in unsorted else None
            while at is not None and at not in seen and at not in walk:
                walk[at] = len(walk)
                at = next((each for each in self.parents[at] if each in unsorted), None)
            if at is not None and at in walk:
                found.append(list(walk)[walk[at] :][::-1])
            seen.update(walk)
        return found

    def compute_turns(self) -> dict[str, int]:
        """Return the turn of each event of `order`: the number of messages to the user before it."""
        turns: dict[str, int] = {}
        for name in self.order:
            before = self.parents[name]
            turns[name] = max((turns[each] + is_message_to_user(self.events[each]) for each in before), default=0)
        return turns

    def _sort_topologically(self) -> list[str]:
        open_counts = {name: len(parents) for name, parents in self.parents.items()}
        ready = deque(name for name, count in open_counts.items() if not count)
        order: list[str] = []
        while ready:
            order.append(ready.popleft())
            for child in self.children[order[-1]]:
                open_counts[child] -= 1
                if not open_counts[child]:
                    ready.append(child)
        return order

    def _compute_time(self, event: AnyEvent, parent_times: list[float]) -> float:
        latest = max(parent_times, default=self.start)
        if event.event_relative_time is not None:
            return latest + event.event_relative_time
        return latest if event.event_time is None else max(latest, event.event_time)


def is_message_to_user(event: AnyEvent) -> bool:
    """Return whether the event is a message of the agent to the user, which ends its turn."""
    action = event.action
    return event.event_type == "AGENT" and action is not None and action.function == "send_message_to_user"
