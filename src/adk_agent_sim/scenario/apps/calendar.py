"""The user's calendar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import (
    APP,
    DATA,
    ENV,
    JSON,
    MEDIUM,
    READ,
    WRITE,
    App,
    NotificationTemplate,
    tool,
)
from adk_agent_sim.scenario.app_base.entity import (
    NUMBER,
    TEXT,
    Entity,
    Fields,
    ListOf,
    MapOf,
    get_list,
    get_object,
    slice_page,
)
from adk_agent_sim.scenario.app_base.time_and_random import (
    format_datetime,
    get_weekday_name,
    parse_datetime_argument,
    to_datetime,
)
from adk_agent_sim.scenario.app_base.tool_call import call_nested_tool

_HOUR = 3600.0
_DAY = 24 * _HOUR


class CalendarEvent(Entity):
    """An event in the calendar."""

    fields = (
        "event_id", "title", "start_datetime", "end_datetime", "tag", "description", "location", "attendees",
        "start_strftime", "end_strftime",
    )  # fmt: skip
    defaults: ClassVar[Mapping[str, Any]] = {**dict.fromkeys(fields), "title": "Event", "attendees": []}

    def __str__(self) -> str:
        start, end = to_datetime(self["start_datetime"]), to_datetime(self["end_datetime"])
        return (
            f"EventID: {self['event_id']}\nTitle: {self['title']}\nStart: {start}\nEnd: {end}\nTag: {self['tag']}\n"
            f"Description: {self['description']}\nLocation: {self['location']}\n"
            f"Attendees: {', '.join(self['attendees'])}"
        )


_EVENT_SHAPE = Fields(
    {
        **dict.fromkeys(CalendarEvent.fields, TEXT),
        "start_datetime": NUMBER,
        "end_datetime": NUMBER,
        "attendees": ListOf(TEXT),
    },
    required=("start_datetime", "end_datetime"),
)


class CalendarApp(App):
    """The user's calendar."""

    state_keys = ("events",)
    empty_state: ClassVar[Mapping[str, Any] | None] = {"events": {}}
    state_shape = Fields({"events": MapOf(_EVENT_SHAPE)})

    def load(self, state: JSON) -> None:
        """Load the events."""
        super().load(state)
        self._events: dict[str, JSON] = dict(get_object(state, "events"))

    def _mutable_state(self) -> JSON:
        return {"events": dict(self._events)}

    @tool(APP, DATA, operation=WRITE)
    def add_calendar_event(
        self,
        title: str = "Event",
        start_datetime: str | None = None,
        end_datetime: str | None = None,
        tag: str | None = None,
        description: str | None = None,
        location: str | None = None,
        attendees: list[str] | None = None,
    ) -> str:
        """Put an event into the calendar.

        Returns the id of the new event. Without a start it starts now, without an end it ends an hour from now.

        Args:
            title: The title.
            start_datetime: When it starts, as `YYYY-MM-DD HH:MM:SS`.
            end_datetime: When it ends, as `YYYY-MM-DD HH:MM:SS`.
            tag: A word to group events by.
            description: What it is about.
            location: Where it is.
            attendees: The names of those who attend.
        """
        start, end = self._parse_span(start_datetime, end_datetime)
        event: JSON = {
            "event_id": self.random.new_id(),
            "title": title,
            "start_datetime": start,
            "end_datetime": end,
            "tag": tag,
            "description": description,
            "location": location,
            "attendees": list(attendees or []),
            "start_strftime": _format_display_time(start),
            "end_strftime": _format_display_time(end),
        }
        self._events[event["event_id"]] = event
        return event["event_id"]

    @tool(APP, operation=READ, return_type="CalendarEvent")
    def get_calendar_event(self, event_id: str) -> Any:
        """Look at one event.

        Returns title, start, end, tag, description, place and attendees; an error if there is no such event.

        Args:
            event_id: The id of the event.
        """
        return CalendarEvent(self._get_event(event_id))

    @tool(APP, DATA, operation=WRITE)
    def delete_calendar_event(self, event_id: str) -> str:
        """Take an event out of the calendar.

        There is no tool that changes an event: delete it and add it again.

        Args:
            event_id: The id of the event.
        """
        self._get_event(event_id)
        del self._events[event_id]
        return f"Event {event_id} successfully deleted."

    @tool(APP, operation=READ, return_type="CalendarEventsResult")
    def get_calendar_events_from_to(
        self, start_datetime: str, end_datetime: str, offset: int = 0, limit: int = 10
    ) -> Any:
        """List the events between two points in time, a page at a time.

        Returns the events that overlap with that time, in no special order, with the range shown and how many
        there are in all. If there are more than shown, ask again with a larger offset.

        Args:
            start_datetime: When it starts, as `YYYY-MM-DD HH:MM:SS`.
            end_datetime: When it ends, as `YYYY-MM-DD HH:MM:SS`.
            offset: How many to pass over first.
            limit: How many to return at most.
        """
        first, last = _check_order(parse_datetime_argument(start_datetime), parse_datetime_argument(end_datetime))
        found = [
            each for each in self._events.values() if each["start_datetime"] < last and each["end_datetime"] > first
        ]
        shown, page_range = slice_page(found, offset, limit)
        return {"events": [CalendarEvent(each) for each in shown], "range": page_range, "total": len(found)}

    @tool(APP, operation=READ, return_type="list[CalendarEvent]", type_checked=False)
    def read_today_calendar_events(self) -> Any:
        """List today's events.

        Returns the first ten, with the range shown and how many there are in all; get_calendar_events_from_to
        shows the others.
        """
        now = self.context.now()
        # Worlds are in UTC, so days begin at multiples of 24 hours.
        midnight = now - now % _DAY
        start, end = format_datetime(midnight), format_datetime(midnight + _DAY)
        return call_nested_tool(self, "get_calendar_events_from_to", start_datetime=start, end_datetime=end)

    @tool(APP, operation=READ)
    def get_all_tags(self) -> list[str]:
        """List every tag that some event has."""
        # ARE lists a set, whose order differs between processes.
        return sorted({each["tag"] for each in self._events.values() if each.get("tag")})

    @tool(APP, operation=READ, return_type="list[CalendarEvent]")
    def get_calendar_events_by_tag(self, tag: str) -> Any:
        """List the events with one tag.

        The tag must be written exactly as get_all_tags lists it.

        Args:
            tag: A word to group events by.
        """
        if not tag:
            raise ValueError("Tag cannot be empty.")
        return [CalendarEvent(each) for each in self._events.values() if each.get("tag") == tag]

    @tool(APP, DATA, operation=READ, return_type="list[CalendarEvent]")
    def search_events(self, query: str) -> Any:
        """Find events by words in title, description, place or attendees.

        Returns every event in which one of them contains the query, in upper or lower case; any date.

        Args:
            query: What to look for.
        """
        wanted = query.lower()
        return [
            CalendarEvent(each)
            for each in self._events.values()
            if any(wanted in text for text in _collect_event_texts(each))
        ]

    @tool(
        ENV, DATA, operation=WRITE, notification=NotificationTemplate(MEDIUM, "New calendar event added by {who_add}")
    )
    def add_calendar_event_by_attendee(
        self,
        who_add: str,
        title: str = "Event",
        start_datetime: str | None = None,
        end_datetime: str | None = None,
        tag: str | None = None,
        description: str | None = None,
        location: str | None = None,
        attendees: list[str] | None = None,
    ) -> str:
        """Put an event into the user's calendar, as somebody who attends it.

        Args:
            who_add: Who adds it.
            title: The title.
            start_datetime: When it starts, as `YYYY-MM-DD HH:MM:SS`.
            end_datetime: When it ends, as `YYYY-MM-DD HH:MM:SS`.
            tag: A word to group events by.
            description: What it is about.
            location: Where it is.
            attendees: The names of those who attend.
        """
        by = f"Event created by {who_add}"
        others = [] if attendees is None else attendees
        if who_add not in others:
            others.append(who_add)  # into the given list, as in ARE: the log shows the arguments as the call left them
        return self.add_calendar_event(
            title=f"{by}: {title}",
            start_datetime=start_datetime,
            end_datetime=end_datetime,
            tag=tag,
            description=f"{by}: {description}" if description else by,
            location=location,
            attendees=others,
        )

    @tool(ENV, operation=WRITE, notification=NotificationTemplate(MEDIUM, "Calendar event deleted by {who_delete}"))
    def delete_calendar_event_by_attendee(self, event_id: str, who_delete: str) -> str:
        """Take an event out of the user's calendar, as somebody who attends it.

        Args:
            event_id: The id of the event.
            who_delete: Who deletes it.
        """
        if who_delete not in get_list(self._get_event(event_id), "attendees"):
            raise ValueError(f"{who_delete} is not an attendee of the event.")
        del self._events[event_id]
        return f"Event {event_id} successfully deleted by {who_delete}."

    def _get_event(self, event_id: str) -> JSON:
        if event_id not in self._events:
            raise ValueError(f"Calendar Event with id {event_id} does not exist.")
        return self._events[event_id]

    def _parse_span(self, start: str | None, end: str | None) -> tuple[float, float]:
        """Return start and end of an event; by default now and one hour from now."""
        now = float(int(self.context.now()))
        return _check_order(
            now if start is None else parse_datetime_argument(start),
            now + _HOUR if end is None else parse_datetime_argument(end),
        )


class Calendar(CalendarApp):
    """The same app under its short name."""


def _format_display_time(seconds: float) -> str:
    """Return weekday, date and time; years before 1000 without leading zeros, as in ARE on Linux."""
    year, separator, rest = format_datetime(seconds).partition("-")
    return f"{get_weekday_name(seconds)}, {int(year)}{separator}{rest}"


def _check_order(start: float, end: float) -> tuple[float, float]:
    if start > end:
        raise ValueError("Start time cannot be after end time.")
    return start, end


def _collect_event_texts(event: JSON) -> list[str]:
    shown = CalendarEvent(event)
    texts = [shown["title"], shown["description"], shown["location"], *get_list(shown, "attendees")]
    return [text.lower() for text in texts if text]
