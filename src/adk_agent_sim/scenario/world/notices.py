"""What the agent is told: the messages of its level, kept until it asks.

ARE keeps them in a binary heap on the time alone; messages of one time come out as such a heap gives them.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from adk_agent_sim.scenario.apps.tool import Level

_RANK = {level: rank for rank, level in enumerate(Level)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Notification:
    """One message for the agent."""

    t: float
    """Seconds since the scenario's start."""

    type: str
    """USER_MESSAGE, ENVIRONMENT_NOTIFICATION, or ENVIRONMENT_STOP for the last one."""

    text: str


@dataclass(kw_only=True)
class Notices:
    """The messages that the agent has not seen yet."""

    level: Level = Level.MEDIUM

    waiting: list[Notification] = field(default_factory=list[Notification])

    def add(self, level: Level, notification: Notification) -> None:
        """Tell the agent, if it wants to know that much."""
        if _RANK[level] <= _RANK[self.level]:
            self.waiting.append(notification)

    def taken(self) -> list[Notification]:
        """The messages since the last time."""
        heap: list[tuple[float, _Untied]] = []
        for each in self.waiting:
            heapq.heappush(heap, (each.t, _Untied(each)))
        self.waiting = []
        return [heapq.heappop(heap)[1].notification for _ in range(len(heap))]


class _Untied:
    """A message that is never less than another one of the same time."""

    def __init__(self, notification: Notification) -> None:
        self.notification = notification

    def __lt__(self, other: object) -> bool:
        return False
