"""The queue of notifications for the agent, filtered by its level.

ARE keeps them in a binary heap on the time alone. Notifications of equal time are returned in the order in which such a
heap returns them.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from adk_agent_sim.scenario.app_base.tool import NotificationLevel

_LEVEL_RANK = {level: rank for rank, level in enumerate(NotificationLevel)}


@dataclass(frozen=True, kw_only=True, slots=True)
class DeliveredNotification:
    """A notification in the agent's queue: with the time it was sent, and already filtered by level.

    Apps create `app_context.Notification` instead, which has a level and no time. The types are separate because apps
    do not know the elapsed time and cannot send ENVIRONMENT_STOP, and because readers have no use for the level.
    """

    elapsed_seconds: float
    """Seconds since the scenario's start."""

    kind: str
    """USER_MESSAGE, ENVIRONMENT_NOTIFICATION, or ENVIRONMENT_STOP for the last one."""

    text: str


@dataclass(kw_only=True)
class NotificationQueue:
    """The notifications that the agent has not received yet."""

    level: NotificationLevel = NotificationLevel.MEDIUM

    pending: list[DeliveredNotification] = field(default_factory=list[DeliveredNotification])

    def add(self, level: NotificationLevel, notification: DeliveredNotification) -> None:
        """Queue a notification if the agent's level includes it."""
        if _LEVEL_RANK[level] <= _LEVEL_RANK[self.level]:
            self.pending.append(notification)

    def drain(self) -> list[DeliveredNotification]:
        """Remove and return all queued notifications, in ARE's order."""
        heap: list[tuple[float, _HeapEntry]] = []
        for each in self.pending:
            heapq.heappush(heap, (each.elapsed_seconds, _HeapEntry(each)))
        self.pending = []
        return [heapq.heappop(heap)[1].notification for _ in range(len(heap))]


class _HeapEntry:
    """A heap entry that never compares as less, so that only times are compared."""

    def __init__(self, notification: DeliveredNotification) -> None:
        self.notification = notification

    def __lt__(self, other: object) -> bool:
        return False
