"""The interface of apps that send notifications at a time of their own."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from adk_agent_sim.scenario.app_base.app_context import Notification


@runtime_checkable
class ReminderSource(Protocol):
    """An app that has notifications that come due without a call."""

    def next_due_time(self) -> float | None:
        """Return when the next notification is due, or None."""
        ...

    def take_due_notification(self) -> Notification | None:
        """Return the notification that is due now, once, or None."""
        ...
