"""The notification app of the specification's example, which notifies the agent at a given time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import APP, ENV, JSON, MEDIUM, READ, WRITE, App, NotificationTemplate, tool
from adk_agent_sim.scenario.app_base.entity import TEXT, Fields, ListOf, get_list


class NotificationApp(App):
    """Shows reminders and lists those that were shown."""

    state_keys = ("shown",)
    empty_state: ClassVar[Mapping[str, Any] | None] = {"shown": []}
    state_shape = Fields({"shown": ListOf(TEXT)})

    def load(self, state: JSON) -> None:
        """Load the reminders that were shown."""
        super().load(state)
        self._reminders: list[str] = list(get_list(state, "shown"))

    def _mutable_state(self) -> JSON:
        return {"shown": list(self._reminders)}

    @tool(ENV, operation=WRITE, notification=NotificationTemplate(MEDIUM, "{message}"))
    def show_reminder(self, message: str) -> str:
        """Show a reminder.

        Args:
            message: What it says.
        """
        self._reminders.append(message)
        return message

    @tool(APP, operation=READ)
    def list_reminders(self) -> list[str]:
        """List the reminders that were shown.

        Returns their texts, oldest first.
        """
        return list(self._reminders)
