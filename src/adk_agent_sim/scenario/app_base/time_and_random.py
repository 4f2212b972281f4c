"""Time as agents read and write it, and reproducible randomness.

Conversion between seconds since the epoch and text is in UTC and independent of the host's time zone, platform calendar
and locale. A random stream of ids and numbers depends only on a seed and a name. The n-th draw is a pure function of
(seed, name, n), so the draw count alone restores a stream.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

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


_HIGHEST_FRACTION = math.nextafter(1, 0)


class WorldRandom:
    """A seeded random stream. Setting `draw_count` moves it to that position."""

    def __init__(self, seed: int, name: str) -> None:
        """Start the stream of a name.

        Args:
            seed: The seed of the run.
            name: The owner of the stream, such as the name of an app.
        """
        # Names of apps come from files and may contain lone surrogates, which UTF-8 cannot encode strictly.
        self._key = f"{seed}/{name}/".encode("utf-8", "surrogatepass")
        self.draw_count = 0

    def new_id(self) -> str:
        """Return a unique id of 32 hexadecimal digits."""
        return self._next_bytes().hex()

    def next_float(self) -> float:
        """Return a number in the interval [0, 1)."""
        # A float has 53 bits, so the highest quotients of 56 would be rounded to 1.
        return min(int.from_bytes(self._next_bytes()[:7], "big") / (1 << 56), _HIGHEST_FRACTION)

    def uniform(self, low: float, high: float) -> float:
        """Return a number in the interval [low, high)."""
        drawn = low + (high - low) * self.next_float()
        # The sum is rounded, too.
        return min(drawn, math.nextafter(high, low)) if low < high else drawn

    def _next_bytes(self) -> bytes:
        self.draw_count += 1
        return blake2b(self._key + str(self.draw_count).encode(), digest_size=16).digest()
