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

_LONGEST = 200


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format, and how to say what it wants."""

    reads: TypeAdapter[Any]
    """What must be able to read the text."""

    wanted: str
    """What would fit, with an example."""


FORMATS: Mapping[str, Format] = {
    "date": Format(reads=TypeAdapter(datetime.date), wanted="a date such as 2026-01-31"),
    "date-time": Format(
        reads=TypeAdapter(datetime.datetime), wanted="a date and time such as 2026-01-31T18:30:00+01:00"
    ),
    "time": Format(reads=TypeAdapter(datetime.time), wanted="a time such as 18:30:00"),
    "duration": Format(reads=TypeAdapter(datetime.timedelta), wanted="a duration such as P1DT2H30M or 02:30:00"),
    "uuid": Format(reads=TypeAdapter(uuid.UUID), wanted="a UUID such as 123e4567-e89b-12d3-a456-426614174000"),
    "ipv4": Format(reads=TypeAdapter(ipaddress.IPv4Address), wanted="an IPv4 address such as 192.0.2.1"),
    "ipv6": Format(reads=TypeAdapter(ipaddress.IPv6Address), wanted="an IPv6 address such as 2001:db8::1"),
}


def fits_format(name: str, text: str) -> bool:
    """Whether `text` is in the format; any text is in a format that is not checked."""
    stated = FORMATS.get(name)
    if stated is None:
        return True
    if len(text) > _LONGEST:
        return False
    try:
        # RFC 3339 has leap seconds, which no Python tool could hold but other tools may take.
        stated.reads.validate_python(text.replace(":60", ":59") if "time" in name else text)
    except ValidationError:
        return False
    return True
