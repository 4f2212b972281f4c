"""The user's calendar."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, DATA, ENV, MEDIUM, READ, WRITE, Notice, tool


class CalendarApp(App):
    """The user's calendar."""

    state_keys = ("events",)

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

        Args:
            title: The title.
            start_datetime: When it starts, as `YYYY-MM-DD HH:MM:SS`.
            end_datetime: When it ends, as `YYYY-MM-DD HH:MM:SS`.
            tag: A word to group events by.
            description: What it is about.
            location: Where it is.
            attendees: The names of those who attend.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, returns="CalendarEvent")
    def get_calendar_event(self, event_id: str) -> Any:
        """Look at one event.

        Args:
            event_id: The id of the event.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=WRITE)
    def delete_calendar_event(self, event_id: str) -> str:
        """Take an event out of the calendar.

        Args:
            event_id: The id of the event.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, returns="CalendarEventsResult")
    def get_calendar_events_from_to(
        self, start_datetime: str, end_datetime: str, offset: int = 0, limit: int = 10
    ) -> Any:
        """List the events between two points in time, a page at a time.

        Args:
            start_datetime: When it starts, as `YYYY-MM-DD HH:MM:SS`.
            end_datetime: When it ends, as `YYYY-MM-DD HH:MM:SS`.
            offset: How many to pass over first.
            limit: How many to return at most.
        """
        raise NotImplementedError

    @tool(APP, operation=READ, returns="list[CalendarEvent]", type_checked=False)
    def read_today_calendar_events(self) -> Any:
        """List today's events."""
        raise NotImplementedError

    @tool(APP, operation=READ)
    def get_all_tags(self) -> list[str]:
        """List every tag that some event has."""
        raise NotImplementedError

    @tool(APP, operation=READ, returns="list[CalendarEvent]")
    def get_calendar_events_by_tag(self, tag: str) -> Any:
        """List the events with one tag.

        Args:
            tag: A word to group events by.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="list[CalendarEvent]")
    def search_events(self, query: str) -> Any:
        """Find events by words in title, description, place or attendees.

        Args:
            query: What to look for.
        """
        raise NotImplementedError

    @tool(ENV, DATA, operation=WRITE, notice=Notice(MEDIUM, "New calendar event added by {who_add}"))
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
        raise NotImplementedError

    @tool(ENV, operation=WRITE, notice=Notice(MEDIUM, "Calendar event deleted by {who_delete}"))
    def delete_calendar_event_by_attendee(self, event_id: str, who_delete: str) -> str:
        """Take an event out of the user's calendar, as somebody who attends it.

        Args:
            event_id: The id of the event.
            who_delete: Who deletes it.
        """
        raise NotImplementedError


class Calendar(CalendarApp):
    """The same calendar under its short name."""
