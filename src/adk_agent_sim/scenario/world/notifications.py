"""What the agent is told: the messages of its level, kept until it asks.

ARE keeps them in a binary heap on the time alone; messages of one time come out as such a heap gives them.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from adk_agent_sim.scenario.app_base.tool import NotificationLevel

_LEVEL_RANK = {level: rank for rank, level in enumerate(NotificationLevel)}


@dataclass(frozen=True, kw_only=True, slots=True)
class DeliveredNotification:
    """One message for the agent."""

    elapsed_seconds: float
    """Seconds since the scenario's start."""

    kind: str
    """USER_MESSAGE, ENVIRONMENT_NOTIFICATION, or ENVIRONMENT_STOP for the last one."""

    text: str


@dataclass(kw_only=True)
class NotificationQueue:
    """The messages that the agent has not seen yet."""

    level: NotificationLevel = NotificationLevel.MEDIUM

    pending: list[DeliveredNotification] = field(default_factory=list[DeliveredNotification])

    def add(self, level: NotificationLevel, notification: DeliveredNotification) -> None:
        """Tell the agent, if it wants to know that much."""
        if _LEVEL_RANK[level] <= _LEVEL_RANK[self.level]:
            self.pending.append(notification)

    def drain(self) -> list[DeliveredNotification]:
        """The messages since the last time."""
        heap: list[tuple[float, _HeapEntry]] = []
        for each in self.pending:
            heapq.heappush(heap, (each.elapsed_seconds, _HeapEntry(each)))
        self.pending = []
        return [heapq.heappop(heap)[1].notification for _ in range(len(heap))]


class _HeapEntry:
    """A message that is never less than another one of the same time."""

    def __init__(self, notification: DeliveredNotification) -> None:
        self.notification = notification

    def __lt__(self, other: object) -> bool:
        return False
