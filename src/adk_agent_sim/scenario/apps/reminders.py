"""Reminders that come due, once or again and again."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, READ, WRITE, tool


class ReminderApp(App):
    """Reminders that come due, once or again and again."""

    state_keys = ()

    @tool(APP, operation=WRITE, type_checked=False)
    def add_reminder(
        self,
        title: str,
        due_datetime: str,
        description: str,
        repetition_unit: str | None = None,
        repetition_value: int | None = 1,
    ) -> str:
        """Set a reminder.

        Args:
            title: The title.
            due_datetime: When it comes due, as `YYYY-MM-DD HH:MM:SS`.
            description: What it is about.
            repetition_unit: What the time between repetitions is counted in: second, minute, hour, day, week or month.
            repetition_value: How many of these units lie between two repetitions.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE, type_checked=False)
    def delete_reminder(self, reminder_id: str) -> None:
        """Delete a reminder.

        Args:
            reminder_id: The id of the reminder.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE, type_checked=False)
    def delete_all_reminders(self) -> None:
        """Delete every reminder."""
        raise NotImplementedError

    @tool(APP, operation=READ, returns="list[Reminder]", type_checked=False)
    def get_due_reminders(self) -> Any:
        """List the reminders whose time has come."""
        raise NotImplementedError

    @tool(APP, operation=READ, returns="list[Reminder]", type_checked=False)
    def get_all_reminders(self) -> Any:
        """List every reminder."""
        raise NotImplementedError
