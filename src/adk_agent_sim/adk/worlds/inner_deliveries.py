"""Notifications that reach an agent that is used as a tool, before the agent that called it gets them too."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.scenario.world.notifications import DeliveredNotification


class InnerDeliveries:
    """What has happened since the last model call of the main conversation, and who has been told.

    An agent that is used as a tool has a conversation of its own, which is gone when it returns its result.
    """

    def __init__(self) -> None:
        self._waiting: list[DeliveredNotification] = []
        self._reported_counts: dict[str, int] = {}

    def deliver(self, session_id: str, new: Sequence[DeliveredNotification]) -> list[DeliveredNotification]:
        """Add what is new, and return what this ADK session of an inner agent has not been told yet."""
        self._waiting += new
        reported_count = self._reported_counts.get(session_id, 0)
        self._reported_counts[session_id] = len(self._waiting)
        return self._waiting[reported_count:]

    def take_all(self) -> list[DeliveredNotification]:
        """Return what the main conversation has not been told yet, and forget it."""
        waiting, self._waiting, self._reported_counts = self._waiting, [], {}
        return waiting

    def copy(self) -> InnerDeliveries:
        """Return a copy, for a checkpoint."""
        copied = InnerDeliveries()
        copied._waiting, copied._reported_counts = list(self._waiting), dict(self._reported_counts)
        return copied
