"""The formats of texts that are checked: those that a person mistypes and that pydantic reads.

A tool written in Python gets its dates from pydantic, so pydantic says what fits; it takes more than the standards do.
Other formats (uri, hostname, binary, int64, ...) mean different things to different tools and are not checked.
"""

from __future__ import annotations

import datetime
import ipaddress
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

_MAX_TEXT_LENGTH = 200


@dataclass(frozen=True, kw_only=True)
class TextFormat:
    """A format, and how to say what it wants."""

    adapter: TypeAdapter[Any]
    """What must be able to read the text."""

    expected: str
    """What would fit, with an example."""


TEXT_FORMATS: Mapping[str, TextFormat] = {
    "date": TextFormat(adapter=TypeAdapter(datetime.date), expected="a date such as 2026-01-31"),
    "date-time": TextFormat(
        adapter=TypeAdapter(datetime.datetime), expected="a date and time such as 2026-01-31T18:30:00+01:00"
    ),
    "time": TextFormat(adapter=TypeAdapter(datetime.time), expected="a time such as 18:30:00"),
    "duration": TextFormat(
        adapter=TypeAdapter(datetime.timedelta), expected="a duration such as P1DT2H30M or 02:30:00"
    ),
    "uuid": TextFormat(adapter=TypeAdapter(uuid.UUID), expected="a UUID such as 123e4567-e89b-12d3-a456-426614174000"),
    "ipv4": TextFormat(adapter=TypeAdapter(ipaddress.IPv4Address), expected="an IPv4 address such as 192.0.2.1"),
    "ipv6": TextFormat(adapter=TypeAdapter(ipaddress.IPv6Address), expected="an IPv6 address such as 2001:db8::1"),
}


def is_in_format(name: str, text: str) -> bool:
    """Whether `text` is in the format; any text is in a format that is not checked."""
    stated = TEXT_FORMATS.get(name)
    if stated is None:
        return True
    if len(text) > _MAX_TEXT_LENGTH:
        return False
    try:
        # RFC 3339 has leap seconds, which no Python tool could hold but other tools may take.
        stated.adapter.validate_python(text.replace(":60", ":59") if "time" in name else text)
    except ValidationError:
        return False
    return True
