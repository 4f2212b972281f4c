"""Points in time: seconds since the epoch, and the text that people and agents write them in.

All of it is UTC, and none of it depends on the host: not on its calendar, not on its language.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

DATETIME_FORMAT = "%Y-%m-%d %H:%M:%S"
"""How agents write a point in time."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WEEKDAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def to_datetime(seconds: float) -> datetime:
    """The date and time of a number of seconds since the epoch."""
    return _EPOCH + timedelta(seconds=seconds)


def format_datetime(seconds: float) -> str:
    """A point in time as agents write it; fractions of a second are cut off."""
    return to_datetime(seconds).replace(tzinfo=None).isoformat(" ", "seconds")


def get_weekday_name(seconds: float) -> str:
    """The day of the week."""
    return _WEEKDAY_NAMES[to_datetime(seconds).weekday()]


def parse_datetime(text: str) -> float:
    """The seconds since the epoch of a text.

    Raises:
        ValueError: The text has another form.
    """
    return datetime.strptime(text, DATETIME_FORMAT).replace(tzinfo=UTC).timestamp()
