"""Reminders that come due, once or again and again."""

from __future__ import annotations

from calendar import monthrange
from typing import Any

from adk_agent_sim.scenario.apps.app import JSON, App
from adk_agent_sim.scenario.apps.moment import moment, parsed, written
from adk_agent_sim.scenario.apps.record import Record
from adk_agent_sim.scenario.apps.surroundings import Message, MessageKind
from adk_agent_sim.scenario.apps.tool import APP, LOW, READ, WRITE, Tool, tool

_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_UNITS = (*_SECONDS, "month")
_MOST_UNITS = 1_000_000


class Reminder(Record):
    """A reminder."""

    fields = ("reminder_id", "title", "due_datetime", "description", "repetition_unit", "repetition_value")

    def __str__(self) -> str:
        text = (
            f"Reminder ID: {self['reminder_id']}\nTitle: {self['title']}\nDue: {written(self['due_datetime'])}\n"
            f"Description: {self['description']}"
        )
        if self["repetition_unit"] is None:
            return text
        return f"{text}\nRepeats every: {self['repetition_value']} {self['repetition_unit']}"


class ReminderApp(App):
    """Reminders that come due, once or again and again."""

    state_keys = ()

    def load(self, state: JSON) -> None:
        """Start without reminders: scenario files cannot hold them."""
        super().load(state)
        self._reminders: dict[str, JSON] = {}

    def recall(self, hidden: JSON) -> None:
        """Know the reminders again."""
        super().recall(hidden)
        self._reminders = dict(hidden["reminders"])

    def observed(self, tool: Tool, value: Any) -> str:
        """Show reminders one below the other."""
        listed = tool.name in {"get_due_reminders", "get_all_reminders"}
        return "\n\n".join(map(str, value)) if listed else super().observed(tool, value)

    def next_due(self) -> float | None:
        """When the next reminder comes due that nobody was told of yet; for the engine, which jumps there."""
        waiting = [each["due_datetime"] for each in self._reminders.values() if not each["told"]]
        return min(waiting, default=None)

    def due(self) -> Message | None:
        """What to tell the agent of reminders that came due since the last time; those that repeat are set again."""
        now = self.world.now()
        due = [each for each in self._reminders.values() if not each["told"] and each["due_datetime"] <= now]
        if not due:
            return None
        for each in due:
            self._reminders[each["reminder_id"]] = each | _after(each, now)
        listed = "\n".join(str(_shown(each)) for each in due)
        text = f"{self.name}: New due reminders:\n{listed}"
        return Message(level=LOW, kind=MessageKind.ENVIRONMENT_NOTIFICATION, text=text)

    def _unstated(self) -> JSON:
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
        if repetition_unit is not None and not 1 <= (repetition_value or 0) <= _MOST_UNITS:
            raise ValueError(f"Repetition value must be from 1 to {_MOST_UNITS}")
        reminder: JSON = {
            "reminder_id": self.chance.new_id(),
            "title": title,
            "due_datetime": _parsed(due_datetime),
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

    @tool(APP, operation=READ, returns="list[Reminder]", type_checked=False)
    def get_due_reminders(self) -> Any:
        """List the reminders whose time has come.

        Returns those that were told before as well, until they are deleted or set again.
        """
        now = self.world.now()
        return [_shown(each) for each in self._reminders.values() if each["due_datetime"] <= now]

    @tool(APP, operation=READ, returns="list[Reminder]", type_checked=False)
    def get_all_reminders(self) -> Any:
        """List every reminder."""
        return [_shown(each) for each in self._reminders.values()]


def _parsed(text: str) -> float:
    try:
        return parsed(text)
    except ValueError:
        raise ValueError("Invalid datetime format. Please use YYYY-MM-DD HH:MM:SS") from None


def _shown(reminder: JSON) -> Reminder:
    return Reminder({name: reminder[name] for name in Reminder.fields})


def _after(reminder: JSON, now: float) -> JSON:
    """What becomes of a reminder that was told: nothing more, or the next time after now."""
    if reminder["repetition_unit"] is None:
        return {"told": True}
    try:
        later = _next(reminder["due_datetime"], reminder["repetition_unit"], reminder["repetition_value"], now)
        written(later)
    except (OverflowError, ValueError):
        return {"told": True}
    return {"due_datetime": later}


def _next(due: float, unit: str, value: int, now: float) -> float:
    if unit != "month":
        step = _SECONDS[unit] * value
        return due + ((now - due) // step + 1) * step
    months = value
    while (later := _months_later(due, months)) <= now:
        months += value
    return later


def _months_later(due: float, months: int) -> float:
    """The same day some months later, or the last one of a shorter month."""
    at = moment(due)
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    day = min(at.day, monthrange(year, month + 1)[1])
    return at.replace(year=year, month=month + 1, day=day).timestamp()
