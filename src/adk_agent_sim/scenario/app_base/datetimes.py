"""Conversion between seconds since the epoch and the text that agents read and write.

Everything is UTC and independent of the host's time zone, platform calendar and locale.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

DATETIME_FORMAT = "%Y-%m-%d %H:%M:%S"
"""The format in which agents write a date and time."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# strftime("%A") depends on the locale, and datetime.fromtimestamp() on what the platform's C library supports.
_WEEKDAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def to_datetime(seconds: float) -> datetime:
    """Return the UTC datetime of a number of seconds since the epoch."""
    return _EPOCH + timedelta(seconds=seconds)


def format_datetime(seconds: float) -> str:
    """Return the date and time in the agents' format, with fractions of a second cut off."""
    return to_datetime(seconds).replace(tzinfo=None).isoformat(" ", "seconds")


def get_weekday_name(seconds: float) -> str:
    """Return the English name of the weekday."""
    return _WEEKDAY_NAMES[to_datetime(seconds).weekday()]


def parse_datetime(text: str) -> float:
    """Return the seconds since the epoch of a text in the agents' format.

    Raises:
        ValueError: The text has another format.
    """
    return datetime.strptime(text, DATETIME_FORMAT).replace(tzinfo=UTC).timestamp()


def parse_datetime_argument(text: str) -> float:
    """Return the seconds since the epoch of a tool's argument.

    Raises:
        ValueError: The text has another format; the message is the one that agents see.
    """
    try:
        return parse_datetime(text)
    except ValueError:
        raise ValueError("Invalid datetime format. Please use YYYY-MM-DD HH:MM:SS") from None
