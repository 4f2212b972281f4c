"""Reminders that come due once or repeatedly."""

from __future__ import annotations

from calendar import monthrange
from typing import Any

from adk_agent_sim.scenario.app_base.app import JSON, App
from adk_agent_sim.scenario.app_base.app_context import Notification, NotificationKind
from adk_agent_sim.scenario.app_base.datetimes import format_datetime, parse_datetime_argument, to_datetime
from adk_agent_sim.scenario.app_base.entity import Entity
from adk_agent_sim.scenario.app_base.tool import APP, LOW, READ, WRITE, Tool, tool

_SECONDS_PER_UNIT = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_UNITS = (*_SECONDS_PER_UNIT, "month")
_MAX_REPETITION_VALUE = 1_000_000


class Reminder(Entity):
    """A reminder."""

    fields = ("reminder_id", "title", "due_datetime", "description", "repetition_unit", "repetition_value")

    def __str__(self) -> str:
        text = (
            f"Reminder ID: {self['reminder_id']}\nTitle: {self['title']}\n"
            f"Due: {format_datetime(self['due_datetime'])}\n"
            f"Description: {self['description']}"
        )
        if self["repetition_unit"] is None:
            return text
        return f"{text}\nRepeats every: {self['repetition_value']} {self['repetition_unit']}"


class ReminderApp(App):
    """Reminders that come due once or repeatedly."""

    state_keys = ()

    def load(self, state: JSON) -> None:
        """Start without reminders: scenario files cannot contain them."""
        super().load(state)
        self._reminders: dict[str, JSON] = {}

    def restore_hidden_state(self, hidden_state: JSON) -> None:
        """Restore the reminders."""
        super().restore_hidden_state(hidden_state)
        self._reminders = dict(hidden_state["reminders"])

    def render_result(self, tool: Tool, value: Any) -> str:
        """Return reminders as text, separated by blank lines."""
        listed = tool.name in {"get_due_reminders", "get_all_reminders"}
        return "\n\n".join(map(str, value)) if listed else super().render_result(tool, value)

    def next_due_time(self) -> float | None:
        """Return when the next reminder is due of which the agent was not notified yet; the engine jumps there."""
        due_times = [each["due_datetime"] for each in self._reminders.values() if not each["told"]]
        return min(due_times, default=None)

    def take_due_notification(self) -> Notification | None:
        """Return a notification of the reminders that came due since the last call; reschedule repeating ones."""
        now = self.context.now()
        due = [each for each in self._reminders.values() if not each["told"] and each["due_datetime"] <= now]
        if not due:
            return None
        for each in due:
            self._reminders[each["reminder_id"]] = each | _reschedule(each, now)
        listed = "\n".join(str(_build_reminder(each)) for each in due)
        text = f"{self.name}: New due reminders:\n{listed}"
        return Notification(level=LOW, kind=NotificationKind.ENVIRONMENT_NOTIFICATION, text=text)

    def _extra_hidden_state(self) -> JSON:
        return {"reminders": dict(self._reminders)}

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

        Returns the id of the reminder. The agent is told when it comes due.

        Args:
            title: The title.
            due_datetime: When it comes due, as `YYYY-MM-DD HH:MM:SS`.
            description: What it is about.
            repetition_unit: What the time between repetitions is counted in: second, minute, hour, day, week or month.
            repetition_value: How many of these units lie between two repetitions.
        """
        if repetition_unit is not None and repetition_unit not in _UNITS:
            raise ValueError(f"Invalid repetition unit {repetition_unit!r:.80}, use one of: {', '.join(_UNITS)}")
        if repetition_unit is not None and not 1 <= (repetition_value or 0) <= _MAX_REPETITION_VALUE:
            raise ValueError(f"Repetition value must be from 1 to {_MAX_REPETITION_VALUE}")
        reminder: JSON = {
            "reminder_id": self.random.new_id(),
            "title": title,
            "due_datetime": parse_datetime_argument(due_datetime),
            "description": description,
            "repetition_unit": repetition_unit,
            "repetition_value": repetition_value,
            "told": False,
        }
        self._reminders[reminder["reminder_id"]] = reminder
        return reminder["reminder_id"]

    @tool(APP, operation=WRITE, type_checked=False)
    def delete_reminder(self, reminder_id: str) -> None:
        """Delete a reminder.

        Args:
            reminder_id: The id of the reminder.
        """
        if reminder_id not in self._reminders:
            raise ValueError(f"Reminder with id {reminder_id} does not exist")
        del self._reminders[reminder_id]

    @tool(APP, operation=WRITE, type_checked=False)
    def delete_all_reminders(self) -> None:
        """Delete every reminder."""
        self._reminders.clear()

    @tool(APP, operation=READ, return_type="list[Reminder]", type_checked=False)
    def get_due_reminders(self) -> Any:
        """List the reminders whose time has come.

        Returns those that were told before as well, until they are deleted or set again.
        """
        now = self.context.now()
        return [_build_reminder(each) for each in self._reminders.values() if each["due_datetime"] <= now]

    @tool(APP, operation=READ, return_type="list[Reminder]", type_checked=False)
    def get_all_reminders(self) -> Any:
        """List every reminder."""
        return [_build_reminder(each) for each in self._reminders.values()]


def _build_reminder(reminder: JSON) -> Reminder:
    return Reminder({name: reminder[name] for name in Reminder.fields})


def _reschedule(reminder: JSON, now: float) -> JSON:
    """Return the changes of a reminder after its notification: done, or due at its next time after now."""
    if reminder["repetition_unit"] is None:
        return {"told": True}
    try:
        later = _find_next_due_time(
            reminder["due_datetime"], reminder["repetition_unit"], reminder["repetition_value"], now
        )
        format_datetime(later)  # raises if the time is after the year 9999; such a reminder does not repeat
    except (OverflowError, ValueError):
        return {"told": True}
    return {"due_datetime": later}


def _find_next_due_time(due: float, unit: str, value: int, now: float) -> float:
    if unit != "month":
        step = _SECONDS_PER_UNIT[unit] * value
        return due + ((now - due) // step + 1) * step
    months = value
    while (later := _add_months(due, months)) <= now:
        months += value
    return later


def _add_months(due: float, months: int) -> float:
    """Return the same day some months later, or the last day of a shorter month."""
    at = to_datetime(due)
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    day = min(at.day, monthrange(year, month + 1)[1])
    return at.replace(year=year, month=month + 1, day=day).timestamp()
