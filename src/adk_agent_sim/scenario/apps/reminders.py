"""Reminders that come due once or repeatedly. Results, errors and texts are those of ARE, whose repetitions are
reminders of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from adk_agent_sim.scenario.app_base.app import (
    APP,
    JSON,
    LOW,
    READ,
    WRITE,
    App,
    Notification,
    NotificationKind,
    Tool,
    tool,
)
from adk_agent_sim.scenario.app_base.entity import Entity
from adk_agent_sim.scenario.app_base.time_and_random import DATETIME_FORMAT, to_datetime

_UNITS = ("second", "minute", "hour", "day", "week", "month")
_MONTHS_PER_YEAR = 12
_MAX_REPETITIONS = 100
_MIN_CREATION_TIME = 1_767_225_600.0
"""The start of 2026, the earliest time from which the limit of repetitions counts; ARE takes the host's clock."""
_REPETITION_LIMIT = timedelta(weeks=12)
"""How long after the creation of the app a repetition can be due."""


class Reminder(Entity):
    """A reminder. Its date is a text in ISO format."""

    fields = (
        "reminder_id", "title", "due_datetime", "description", "repetition_unit", "repetition_value", "time_notified"
    )  # fmt: skip

    @property
    def due(self) -> datetime:
        """When it is due."""
        return datetime.fromisoformat(self["due_datetime"])

    def __str__(self) -> str:
        return f"Reminder: {self['title']}\nDescription: {self['description']}\nDue Date: {self.due}"

    def render_field(self, field_name: str) -> str:
        """Print the date as a Python datetime, as ARE does."""
        return repr(self.due) if field_name == "due_datetime" else super().render_field(field_name)


class ReminderApp(App):
    """Reminders that come due once or repeatedly."""

    state_keys = ()

    def load(self, state: JSON) -> None:
        """Start without reminders: scenario files cannot contain them."""
        super().load(state)
        self._reminders: dict[str, Reminder] = {}
        self._created_at = max(_MIN_CREATION_TIME, self.context.now())

    def restore_hidden_state(self, hidden_state: JSON) -> None:
        """Restore the reminders."""
        super().restore_hidden_state(hidden_state)
        self._reminders = {name: _read_reminder(each) for name, each in hidden_state["reminders"].items()}
        self._created_at = hidden_state.get("created_at", self._created_at)

    def render_result(self, tool: Tool, value: Any) -> str:
        """Return reminders as text, separated by blank lines."""
        listed = tool.name in {"get_due_reminders", "get_all_reminders"}
        return "\n\n".join(map(str, value)) if listed else super().render_result(tool, value)

    def next_due_time(self) -> float | None:
        """Return when the next reminder is due of which the agent was not notified yet; the engine jumps there."""
        times = (each.due.timestamp() for each in self._reminders.values() if each["time_notified"] is None)
        return min(times, default=None)

    def take_due_notification(self) -> Notification | None:
        """Return a notification of the reminders that came due since the last call."""
        due = [each for each in self._find_due_reminders() if each["time_notified"] is None]
        if not due:
            return None
        for each in due:
            self._reminders[each["reminder_id"]] = Reminder(each, time_notified=self.context.now())
        text = f"{self.name}: New due reminders:\n" + "\n".join(map(str, due))
        return Notification(level=LOW, kind=NotificationKind.ENVIRONMENT_NOTIFICATION, text=text)

    def _extra_hidden_state(self) -> JSON:
        return {
            "reminders": {name: dict(each) for name, each in self._reminders.items()},
            "created_at": self._created_at,
        }

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

        Returns the id of the reminder. The agent is told when it comes due. Each repetition is a reminder of its own;
        there are at most 100, and none more than 12 weeks after the start.

        Args:
            title: The title.
            due_datetime: When it comes due, as `YYYY-MM-DD HH:MM:SS`.
            description: What it is about.
            repetition_unit: What the time between repetitions is counted in: second, minute, hour, day, week or month.
            repetition_value: How many of these units lie between two repetitions.
        """
        due = datetime.strptime(due_datetime, DATETIME_FORMAT).replace(tzinfo=UTC)
        if repetition_unit and repetition_unit not in _UNITS:
            raise AssertionError("Invalid repetition interval")
        reminder = Reminder(
            reminder_id=self.random.new_id(),
            title=title,
            due_datetime=due.isoformat(),
            description=description,
            repetition_unit=repetition_unit,
            repetition_value=repetition_value,
            time_notified=None,
        )
        # As in ARE, a repetition that makes no sense fails the call and leaves the reminders before it.
        self._reminders[reminder["reminder_id"]] = latest = reminder
        limit = to_datetime(self._created_at) + _REPETITION_LIMIT
        for _ in range(_MAX_REPETITIONS if repetition_unit else 0):
            due = _find_next_due_time(latest)
            if due >= limit:
                break
            # ARE never counts the suffix up, so the second repetition ends with `_rep_1_rep_1`.
            latest = Reminder(latest, reminder_id=f"{latest['reminder_id']}_rep_1", due_datetime=due.isoformat())
            self._reminders[latest["reminder_id"]] = latest
        return reminder["reminder_id"]

    @tool(APP, operation=WRITE, type_checked=False)
    def delete_reminder(self, reminder_id: str) -> None:
        """Delete a reminder and its next repetition.

        Args:
            reminder_id: The id of the reminder.
        """
        if reminder_id not in self._reminders:
            raise ValueError(f"Reminder {reminder_id} not found.")
        deleted = self._reminders.pop(reminder_id)
        if deleted["repetition_unit"] and deleted["repetition_value"]:
            self._reminders.pop(f"{reminder_id}_rep_1", None)

    @tool(APP, operation=WRITE, type_checked=False)
    def delete_all_reminders(self) -> None:
        """Delete every reminder."""
        self._reminders.clear()

    @tool(APP, operation=READ, return_type="list[Reminder]", type_checked=False)
    def get_due_reminders(self) -> Any:
        """List the reminders whose time has come.

        Returns those that were told before as well, until they are deleted.
        """
        return [Reminder(each) for each in self._find_due_reminders()]

    @tool(APP, operation=READ, return_type="list[Reminder]", type_checked=False)
    def get_all_reminders(self) -> Any:
        """List every reminder."""
        return [Reminder(each) for each in self._reminders.values()]

    def _find_due_reminders(self) -> list[Reminder]:
        now = self.context.now()
        return [each for each in self._reminders.values() if each.due.timestamp() <= now]


def _find_next_due_time(reminder: Reminder) -> datetime:
    """Return when a repetition is due.

    Raises:
        AssertionError: There is nothing to count.
        TypeError: The number of units is none.
        ValueError: The month has no such day.
        OverflowError: The time is beyond all calendars.
    """
    due, unit, value = reminder.due, reminder["repetition_unit"], reminder["repetition_value"]
    if not value:
        raise AssertionError(f"No repetition for this reminder: {reminder}")
    if unit != "month":
        return due + timedelta(**{f"{unit}s": value})
    year, month = due.year, due.month + value
    if month > _MONTHS_PER_YEAR:
        year, month = year + (month - 1) // _MONTHS_PER_YEAR, (month - 1) % _MONTHS_PER_YEAR + 1
    return due.replace(year=year, month=month)


def _read_reminder(stored: Mapping[str, Any]) -> Reminder:
    """Return a stored reminder; those of earlier versions have their time as a number, and no time of notification."""
    due = stored["due_datetime"]
    if isinstance(due, str):
        return Reminder(stored)
    fields = {name: stored.get(name) for name in Reminder.fields} | {"due_datetime": to_datetime(due).isoformat()}
    return Reminder(fields, time_notified=due if stored.get("told") else None)
