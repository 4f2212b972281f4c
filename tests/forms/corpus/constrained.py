"""Fields with bounds, lengths, patterns and formats; dates, times and other values that are written as text."""

import uuid
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Annotated, Literal, Optional

from forms.corpus.case import ANNOTATED, Case, bad
from pydantic import AwareDatetime, BaseModel, Field, HttpUrl, PositiveInt, StringConstraints


class Order(BaseModel):
    quantity: int = Field(ge=1, le=99)
    discount: float = Field(default=0, gt=0, lt=1)  # pyrefly: ignore[bad-argument-type] - as users write it
    packs_of: int = Field(default=6, multiple_of=6)
    price: float = Field(default=0.1, multiple_of=0.1)
    code: str = Field(default="AB-12", pattern="^[A-Z]{2}-[0-9]+$")
    name: str = Field(default="abc", min_length=2, max_length=5)
    pin: str = Field(default="0000", min_length=4, max_length=4)
    parts: list[str] = Field(default=["a"], min_length=1, max_length=2)
    extras: dict[str, int] = Field(default={"a": 1}, min_length=1, max_length=2)
    version: Literal["v1"] = "v1"


class Meeting(BaseModel):
    day: date
    at: Optional[time] = None
    lasts: timedelta = timedelta(hours=1)
    created: datetime | None = None
    room: uuid.UUID | None = None


def order(what: Order) -> str:
    return "done"


def meet(when: Meeting) -> str:
    return "done"


def turn(degrees: Annotated[int, Field(ge=-180, le=180, description="Clockwise")]) -> str:
    return "done"


def dial(number: Annotated[str, StringConstraints(pattern=r"^\+?\d{3,15}$")]) -> str:
    return "done"


def look(ahead: Annotated[str, StringConstraints(min_length=1, max_length=3)] = "abc") -> str:
    return "done"


def buy(pieces: PositiveInt) -> str:
    return "done"


def on_day(day: date) -> str:
    return "done"


def at_moment(when: datetime, until: datetime | None = None) -> str:
    return "done"


def at_zone(when: AwareDatetime) -> str:
    return "done"


def at_time(at: time) -> str:
    return "done"


def wait(how_long: timedelta) -> str:
    return "done"


def fetch(ticket: uuid.UUID) -> str:
    return "done"


def upload(content: bytes) -> str:
    return "done"


def charge(amount: Decimal) -> str:
    return "done"


def reach(host: IPv4Address, also: IPv6Address | None = None) -> str:
    return "done"


def browse(url: HttpUrl, save_to: Path = Path("out")) -> str:
    return "done"


_DAY = {"day": "2026-01-31"}

CASES = [
    Case(
        tool=order,
        good=[
            {"what": {"quantity": 1}},
            {"what": {"quantity": 99, "discount": 0.5, "packs_of": 12, "price": 0.3, "code": "XY-1", "name": "ab"}},
            {"what": {"quantity": 2, "pin": "1234", "parts": ["a", "b"], "extras": {"x": 1}, "version": "v1"}},
        ],
        bad=[
            bad({"what": {"quantity": 0}}, {"what.quantity": "0 is less than the minimum of 1"}),
            bad({"what": {"quantity": 100}}, {"what.quantity": "100 is more than the maximum of 99"}),
            bad({"what": {"quantity": 1, "discount": 0}}, {"what.discount": "is 0, must be more than 0"}),
            bad({"what": {"quantity": 1, "discount": 1}}, {"what.discount": "is 1, must be less than 1"}),
            bad({"what": {"quantity": 1, "packs_of": 7}}, {"what.packs_of": "must be a multiple of 6"}),
            bad({"what": {"quantity": 1, "price": 0.25}}, {"what.price": "must be a multiple of 0.1"}),
            bad({"what": {"quantity": 1, "code": "ab"}}, {"what.code": "must match the pattern '^[A-Z]{2}-[0-9]+$'"}),
            bad({"what": {"quantity": 1, "name": "a"}}, {"what.name": "is 'a', must have 2 to 5 characters"}),
            bad({"what": {"quantity": 1, "pin": "12345"}}, {"what.pin": "must have exactly 4 characters"}),
            bad({"what": {"quantity": 1, "parts": []}}, {"what.parts": "has 0 items, must have 1 to 2 items"}),
            bad({"what": {"quantity": 1, "extras": {}}}, {"what.extras": "has 0 fields, must have 1 to 2 fields"}),
            bad({"what": {"quantity": 1, "version": "v2"}}, {"what.version": "is 'v2', must be 'v1'"}),
        ],
        older="looser",
    ),
    Case(
        tool=meet,
        good=[
            {"when": _DAY},
            {
                "when": {
                    **_DAY,
                    "at": "18:30",
                    "lasts": "PT90M",
                    "created": "2026-01-31T10:00:00Z",
                    "room": str(uuid.UUID(int=5)),
                }
            },
            {"when": {**_DAY, "at": None, "lasts": "01:30:00", "created": "2026-01-31 10:00", "room": None}},
        ],
        bad=[
            bad({"when": {"day": "31.01.2026"}}, {"when.day": "is '31.01.2026', must be a date such as 2026-01-31"}),
            bad({"when": {"day": "2026-02-30"}}, {"when.day": "must be a date such as"}),
            bad({"when": {**_DAY, "at": "half past"}}, {"when.at": "must be a time such as 18:30:00"}),
            bad({"when": {**_DAY, "lasts": "long"}}, {"when.lasts": "must be a duration such as"}),
            bad({"when": {**_DAY, "created": "now"}}, {"when.created": "must be a date and time such as"}),
            bad({"when": {**_DAY, "room": "12"}}, {"when.room": "must be a UUID such as"}),
        ],
        older="looser",
    ),
    Case(
        tool=turn,
        good=[{"degrees": 0}, {"degrees": -180}],
        bad=[bad({"degrees": 181}, {"degrees": "181 is more than the maximum of 180"}, taken=ANNOTATED)],
        older="looser",
    ),
    Case(
        tool=dial,
        good=[{"number": "+39123"}],
        bad=[bad({"number": "12a"}, {"number": r"must match the pattern"}, taken=ANNOTATED)],
        older="looser",
    ),
    Case(
        tool=look,
        good=[{}, {"ahead": "日本"}],
        bad=[bad({"ahead": ""}, {"ahead": "is '', must have 1 to 3 characters"}, taken=ANNOTATED)],
        older="looser",
    ),
    Case(
        tool=buy,
        good=[{"pieces": 1}],
        bad=[bad({"pieces": 0}, {"pieces": "is 0, must be more than 0"}, taken=ANNOTATED)],
        older="looser",
    ),
    Case(
        tool=on_day,
        good=[{"day": "2026-01-31"}],
        bad=[
            bad({"day": "tomorrow"}, {"day": "must be a date such as 2026-01-31"}),
            bad({}, {"day": "(a date such as"}),
        ],
        older="looser",
    ),
    Case(
        tool=at_moment,
        good=[{"when": "2026-01-31T10:00:00+01:00"}, {"when": "2026-01-31", "until": None}, {"when": "1769853600"}],
        bad=[
            bad({"when": "2026-01-31T25:00:00"}, {"when": "must be a date and time"}),
            bad({"when": 5}, {"when": "text"}, taken="pydantic reads a number as seconds since 1970"),
        ],
    ),
    Case(
        tool=at_zone,
        good=[{"when": "2026-01-31T10:00:00Z"}],
        bad=[bad({"when": "soon"}, {"when": "must be a date and time"})],
    ),
    Case(
        tool=at_time,
        good=[{"at": "10:00"}, {"at": "10:00:00.5"}],
        bad=[bad({"at": "25:00"}, {"at": "must be a time"})],
        older="looser",
    ),
    Case(
        tool=wait,
        good=[{"how_long": "P1DT2H"}, {"how_long": "1 days 02:00:00"}],
        bad=[bad({"how_long": "a while"}, {"how_long": "must be a duration"})],
        older="looser",
    ),
    Case(
        tool=fetch,
        good=[{"ticket": "123e4567-e89b-12d3-a456-426614174000"}, {"ticket": "123e4567e89b12d3a456426614174000"}],
        bad=[bad({"ticket": "123"}, {"ticket": "must be a UUID"})],
        older="looser",
    ),
    Case(tool=upload, good=[{"content": "text"}], bad=[bad({"content": 5}, {"content": "must be text"})]),
    Case(
        tool=charge,
        good=[{"amount": 5}, {"amount": 0.5}, {"amount": "12.50"}],
        bad=[
            bad({"amount": [1]}, {"amount": "is [1], must be a number or text"}),
        ],
        older="looser",
    ),
    Case(
        tool=reach,
        good=[{"host": "192.0.2.1"}, {"host": "192.0.2.1", "also": "2001:db8::1"}],
        bad=[
            bad({"host": "192.0.2.256"}, {"host": "must be an IPv4 address"}),
            bad({"host": "192.0.2.1", "also": "x"}, {"also": "must be an IPv6 address"}),
        ],
        older="looser",
    ),
    Case(
        tool=browse,
        good=[{"url": "https://example.org/a?b=c"}, {"url": "http://x", "save_to": "out/a"}],
        bad=[bad({"url": ""}, {"url": "must have 1 to 2083 characters"}), bad({"url": 1}, {"url": "must be text"})],
    ),
]
