"""The queue of notifications for the agent, filtered by its level.

ARE keeps them in a binary heap on the time alone. Notifications of equal time are returned in the order in which such a
heap returns them.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from adk_agent_sim.scenario.app_base.tool import NotificationLevel
from adk_agent_sim.timeline.world_events import NotificationDelivered

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
