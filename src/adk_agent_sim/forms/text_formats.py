"""The text formats that are checked: those that a person mistypes and that pydantic parses.

A Python tool gets its dates from pydantic, so pydantic decides what is valid; it accepts more than the standards do.
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
    """A format and its description for messages."""

    adapter: TypeAdapter[Any]
    """The type that must be able to parse the text."""

    expected: str
    """What the format accepts, with an example."""


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
    """Whether `text` is in the format. Returns True for formats that are not checked."""
    text_format = TEXT_FORMATS.get(name)
    if text_format is None:
        return True
    if len(text) > _MAX_TEXT_LENGTH:
        return False
    try:
        # RFC 3339 allows leap seconds, which Python cannot represent but other tools may accept.
        text_format.adapter.validate_python(text.replace(":60", ":59") if "time" in name else text)
    except ValidationError:
        return False
    return True
