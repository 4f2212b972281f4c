"""Apps that speak by themselves."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from adk_agent_sim.scenario.app_base.app_context import Notification


@runtime_checkable
class ReminderSource(Protocol):
    """An app that has something to say when its time comes, without being called."""

    def next_due_time(self) -> float | None:
        """When there is something to say next; None if never."""
        ...

    def take_due_notification(self) -> Notification | None:
        """What to say now, once; None if nothing."""
        ...
