"""Realistic values by the name of a field: prices, dates, e-mail addresses, cities. No network, no data files.

check_out_date --> its last words decide: a date --> later than the dates that begin something in the same object
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from adk_agent_sim.mocks.keyed_draws import KeyedDraws
from adk_agent_sim.mocks.name_words import split_words
from adk_agent_sim.timeline.canonical_json import Json

WriteValue: TypeAlias = Callable[[KeyedDraws, int, int], Json]
"""Writes a value; the arguments are the draws, the salt of the field, and that of the object around it.

Fields of one object that belong together (a first name and an e-mail address, a start and an end) use the salt of the
object.
"""

_FIRST_NAMES = ("Ada", "Ben", "Clara", "David", "Elena", "Farid", "Grace", "Hiro", "Ines", "Jonas", "Kavya", "Liam")
_LAST_NAMES = ("Almeida", "Berg", "Chen", "Diallo", "Evans", "Fischer", "Garcia", "Haddad", "Ito", "Kowalski", "Rossi")
_CITIES = (
    ("Berlin", "Germany", "DE", "BER", "Europe/Berlin"),
    ("Lisbon", "Portugal", "PT", "LIS", "Europe/Lisbon"),
    ("Toronto", "Canada", "CA", "YYZ", "America/Toronto"),
    ("Osaka", "Japan", "JP", "KIX", "Asia/Tokyo"),
    ("Nairobi", "Kenya", "KE", "NBO", "Africa/Nairobi"),
    ("Austin", "United States", "US", "AUS", "America/Chicago"),
    ("Lyon", "France", "FR", "LYS", "Europe/Paris"),
    ("Pune", "India", "IN", "PNQ", "Asia/Kolkata"),
)
_STREETS = ("Main Street", "Oak Avenue", "Station Road", "Mill Lane", "Garden Street", "Harbour Road")
_COMPANIES = ("Northwind Ltd", "Contoso GmbH", "Blue Harbor Inc", "Acme Corp", "Lumen Labs", "Cedar & Co")
_ADJECTIVES = ("Compact", "Classic", "Premium", "Everyday", "Modern", "Portable", "Standard", "Deluxe")
_SENTENCES = (
    "Everything is in order.",
    "No further action is needed.",
    "Available from next week.",
    "Please see the attached details.",
    "Confirmed by the team.",
)
_WORDS = ("alpha", "bravo", "cedar", "delta", "ember", "falcon", "harbor", "indigo", "juniper", "lagoon")
_COLORS = ("black", "white", "blue", "green", "red", "silver")
_AIRLINES = ("Aurora Air", "Skyline", "TransGlobe", "Nordwind")
_FIRST_DAY = datetime.date(2026, 1, 5).toordinal()
_PERSON_WORDS = frozenset(
    [
        "address",
        "assignee",
        "author",
        "contact",
        "customer",
        "driver",
        "employee",
        "guest",
        "host",
        "member",
        "owner",
        "passenger",
        "patient",
        "person",
        "recipient",
        "reporter",
        "sender",
        "traveler",
        "user",
    ]
)
_BEGINNINGS = frozenset(
    [
        "start",
        "begin",
        "begins",
        "from",
        "created",
        "created",
        "departure",
        "checkin",
        "open",
        "opened",
        "ordered",
        "placed",
    ]
)
_ENDS = frozenset(
    [
        "end",
        "ends",
        "until",
        "to",
        "updated",
        "modified",
        "return",
        "arrival",
        "checkout",
        "due",
        "expires",
        "expiry",
        "expiration",
        "closed",
        "delivery",
        "delivered",
        "shipped",
        "completed",
        "deadline",
        "last",
    ]
)


def find_text_writer(field: str, owner: str) -> WriteValue:
    """Return what writes the text of a field.

    Args:
        field: The field's name.
        owner: What the object around it is, in the singular, such as `order`; empty if that is not known.
    """
    words = split_words(field)
    if not words:
        return _choose(_SENTENCES)
    for length in (2, 1):
        if (write := _TEXTS.get("_".join(words[-length:]))) is not None:
            return write
    if words[-1] == "name":
        return _find_name_writer(words[:-1], owner)
    if words[-1] in ("id", "sku", "number", "code", "reference", "ref", "token", "key", "pnr"):
        return make_id_writer(words, owner)
    if words[-1] in ("at", "on", "timestamp", "datetime"):
        return write_datetime(words)
    if words[-1] == "date" or {"date", "day"} & {*words} or words[-1] in _BEGINNINGS | _ENDS:
        return write_date(words)
    return _choose(_WORDS)


def find_number_writer(field: str, *, is_integer: bool) -> WriteValue:
    """Return what writes the number of a field."""
    words = split_words(field)
    for word in reversed(words):
        if (bounds := _NUMBERS.get(word)) is not None:
            low, high, digits = bounds
            return _make_number_writer(low, high, 0 if is_integer else digits)
    if words and words[-1] in ("timestamp", "at", "epoch"):
        return _write_epoch(words)
    return _make_number_writer(1, 100, 0 if is_integer else 2)


def find_flag(field: str) -> bool | None:
    """Return what a truth value of this name is if all goes well; None if both are plausible."""
    words = {*split_words(field)}
    if words & _BAD_FLAGS:
        return False
    return True if words & _GOOD_FLAGS else None


def is_error_field(field: str) -> bool:
    """Whether a field only has a value if something has failed."""
    words = split_words(field)
    return bool(words) and (words[0] in ("error", "errors", "exception", "failure") or words[-1] in ("error", "errors"))


def make_id_writer(words: Sequence[str], owner: str) -> WriteValue:
    """Return what writes ids such as `ORD-4821`, with a prefix for what they identify."""
    noun = next((word for word in reversed(words[:-1])), owner) or owner or "id"
    prefix = (words[-1] if words[-1] in ("sku", "pnr") else noun)[:3].upper()
    return lambda draws, salt, _: f"{prefix}-{draws.draw_integer(salt, 10_000, 99_999)}"


def write_date(words: Sequence[str]) -> WriteValue:
    """Return what writes a day such as 2026-03-14."""
    first, last = _get_day_range(words)
    return lambda draws, salt, around: _find_day(draws, salt, around, first, last).isoformat()


def write_datetime(words: Sequence[str]) -> WriteValue:
    """Return what writes a moment such as 2026-03-14T09:30:00Z."""
    first, last = _get_day_range(words)

    def write(draws: KeyedDraws, salt: int, around: int) -> str:
        day = _find_day(draws, salt, around, first, last)
        return f"{day.isoformat()}T{_write_clock_time(draws, salt + 1, around)}Z"

    return write


def write_uuid(draws: KeyedDraws, salt: int, _around: int) -> str:
    """Return a random UUID."""
    text = f"{draws.draw_bits(salt):016x}{draws.draw_bits(salt + 1):016x}"
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"


def write_email(draws: KeyedDraws, _salt: int, around: int) -> str:
    """Return an address of the person in the object around."""
    return f"{_first_name(draws, around)}.{_last_name(draws, around)}@example.com".lower()


def write_url(draws: KeyedDraws, salt: int, _around: int) -> str:
    """Return an address in a domain that is reserved for examples."""
    return f"https://example.com/{draws.choose(salt, _WORDS)}/{draws.draw_integer(salt + 1, 100, 999)}"


def _get_day_range(words: Sequence[str]) -> tuple[int, int]:
    """Return the days after the object's first day in which a date lies, so that ends come after beginnings."""
    joined = {*words, "".join(words[:2])}
    if joined & _ENDS:
        return 2, 14
    return (0, 1) if joined & _BEGINNINGS else (0, 14)


def _find_day(draws: KeyedDraws, salt: int, around: int, first: int, last: int) -> datetime.date:
    # All dates of an object start from a day of its own, so that they are close to each other.
    days = draws.draw_integer(around + 11, 0, 330) + draws.draw_integer(salt, first, last)
    return datetime.date.fromordinal(_FIRST_DAY + days)


def _write_clock_time(draws: KeyedDraws, salt: int, _around: int) -> str:
    hour, part = divmod(draws.draw_integer(salt, 7 * 12, 20 * 12 + 11), 12)
    return f"{hour:02d}:{part * 5:02d}:00"


def _write_epoch(words: Sequence[str]) -> WriteValue:
    first, last = _get_day_range(words)

    def write(draws: KeyedDraws, salt: int, around: int) -> int:
        day = _find_day(draws, salt, around, first, last)
        return (day - datetime.date(1970, 1, 1)).days * 86_400 + draws.draw_integer(salt + 1, 0, 86_399)

    return write


def _first_name(draws: KeyedDraws, around: int) -> str:
    return draws.choose(around + 1, _FIRST_NAMES)


def _last_name(draws: KeyedDraws, around: int) -> str:
    return draws.choose(around + 2, _LAST_NAMES)


def _write_person(draws: KeyedDraws, _salt: int, around: int) -> str:
    return f"{_first_name(draws, around)} {_last_name(draws, around)}"


def _find_name_writer(words: Sequence[str], owner: str) -> WriteValue:
    """Return what writes the name of a person, a company, a place, or of the thing that the object is."""
    for noun in (*reversed(words), *split_words(owner)):
        if noun in _PERSON_WORDS:
            return _write_person
        if noun in _TEXTS:
            return _TEXTS[noun]
    noun = " ".join(words) or " ".join(split_words(owner)) or "item"
    return lambda draws, salt, _: f"{draws.choose(salt, _ADJECTIVES)} {noun}"


def _choose(items: Sequence[str]) -> WriteValue:
    return lambda draws, salt, _: draws.choose(salt, items)


def _write_place(position: int) -> WriteValue:
    """Return what writes a part of the place of an object: its city and its country fit each other."""
    return lambda draws, _, around: draws.choose(around + 3, _CITIES)[position]


def _write_address(draws: KeyedDraws, salt: int, around: int) -> str:
    return f"{draws.draw_integer(salt, 1, 199)} {draws.choose(salt + 1, _STREETS)}, {_write_place(0)(draws, 0, around)}"


def _write_postcode(draws: KeyedDraws, salt: int, _around: int) -> str:
    return f"{draws.draw_integer(salt, 10_000, 99_999)}"


def _write_ip_address(draws: KeyedDraws, salt: int, _around: int) -> str:
    # This network is reserved for documentation (RFC 5737), so no real host is named.
    return f"192.0.2.{draws.draw_integer(salt, 1, 254)}"


def _write_file_name(draws: KeyedDraws, salt: int, _around: int) -> str:
    return f"{draws.choose(salt, _WORDS)}.pdf"


def _make_number_writer(low: float, high: float, digits: int) -> WriteValue:
    if digits == 0:
        return lambda draws, salt, _: draws.draw_integer(salt, round(low), round(high))
    return lambda draws, salt, _: round(low + draws.draw_fraction(salt) * (high - low), digits)


_TEXTS: Mapping[str, WriteValue] = {
    "email": write_email,
    "mail": write_email,
    "email_address": write_email,
    # The numbers from 555-0100 to 555-0199 are reserved for fiction.
    "phone": lambda draws, salt, _: f"+1-555-01{draws.draw_integer(salt, 0, 99):02d}",
    "phone_number": lambda draws, salt, _: f"+1-555-01{draws.draw_integer(salt, 0, 99):02d}",
    "first_name": lambda draws, _, around: _first_name(draws, around),
    "given_name": lambda draws, _, around: _first_name(draws, around),
    "last_name": lambda draws, _, around: _last_name(draws, around),
    "family_name": lambda draws, _, around: _last_name(draws, around),
    "full_name": _write_person,
    "user_name": lambda draws, _, around: f"{_first_name(draws, around)}.{_last_name(draws, around)}".lower(),
    "username": lambda draws, _, around: f"{_first_name(draws, around)}.{_last_name(draws, around)}".lower(),
    **dict.fromkeys(("author", "assignee", "owner", "sender", "recipient", "passenger"), _write_person),
    **dict.fromkeys(("city", "town", "location", "destination", "origin", "place"), _write_place(0)),
    "country": _write_place(1),
    "country_code": _write_place(2),
    **dict.fromkeys(("airport", "iata", "airport_code"), _write_place(3)),
    **dict.fromkeys(("timezone", "time_zone", "tz"), _write_place(4)),
    "street": lambda draws, salt, _: f"{draws.draw_integer(salt, 1, 199)} {draws.choose(salt + 1, _STREETS)}",
    "address": _write_address,
    **dict.fromkeys(("postcode", "zip", "zip_code", "postal_code", "zipcode"), _write_postcode),
    **dict.fromkeys(("currency", "currency_code"), _choose(("EUR", "USD", "GBP", "JPY"))),
    **dict.fromkeys(("language", "locale", "lang"), _choose(("en", "de", "fr", "es", "ja"))),
    **dict.fromkeys(("url", "link", "website", "uri", "href", "image", "avatar", "thumbnail"), write_url),
    **dict.fromkeys(("uuid", "guid"), write_uuid),
    "hash": lambda draws, salt, _: f"{draws.draw_bits(salt):016x}",
    "time": _write_clock_time,
    **dict.fromkeys(("status", "state"), _choose(("active", "confirmed", "completed"))),
    **dict.fromkeys(("company", "organization", "vendor", "supplier", "brand", "manufacturer"), _choose(_COMPANIES)),
    "airline": _choose(_AIRLINES),
    **dict.fromkeys(("color", "colour"), _choose(_COLORS)),
    "priority": _choose(("low", "medium", "high")),
    "category": _choose(("home", "office", "outdoor", "electronics")),
    "condition": _choose(("sunny", "cloudy", "rain", "windy")),
    "weather": _choose(("sunny", "cloudy", "rain", "windy")),
    **dict.fromkeys(
        ("description", "summary", "text", "body", "content", "message", "note", "notes", "comment", "details"),
        _choose(_SENTENCES),
    ),
    "title": lambda draws, salt, _: f"{draws.choose(salt, _ADJECTIVES)} {draws.choose(salt + 1, _WORDS)}",
    "subject": lambda draws, salt, _: f"{draws.choose(salt, _ADJECTIVES)} {draws.choose(salt + 1, _WORDS)}",
    **dict.fromkeys(("ip", "ip_address"), _write_ip_address),
    "version": lambda draws, salt, _: f"{draws.draw_integer(salt, 1, 5)}.{draws.draw_integer(salt + 1, 0, 9)}.0",
    **dict.fromkeys(("filename", "file", "file_name", "receipt", "document", "attachment"), _write_file_name),
}
"""What writes a text, by the last word or the last two words of a field's name."""

_NUMBERS: Mapping[str, tuple[float, float, int]] = {
    **dict.fromkeys(("price", "amount", "cost", "fee", "subtotal", "balance", "fare", "budget", "salary"), (5, 500, 2)),
    **dict.fromkeys(("tax", "discount", "shipping", "tip"), (0, 20, 2)),
    **dict.fromkeys(("quantity", "qty", "count", "stock", "guests", "seats", "inventory", "attempts"), (1, 20, 0)),
    "total": (5, 500, 2),
    "rating": (1, 5, 1),
    "score": (0, 1, 2),
    "confidence": (0, 1, 2),
    "latitude": (-60, 70, 5),
    "lat": (-60, 70, 5),
    **dict.fromkeys(("longitude", "lon", "lng"), (-180, 180, 5)),
    **dict.fromkeys(("temperature", "temp"), (-5, 35, 1)),
    **dict.fromkeys(("percent", "percentage", "humidity"), (0, 100, 0)),
    "age": (18, 80, 0),
    "year": (2020, 2026, 0),
    "month": (1, 12, 0),
    "day": (1, 28, 0),
    "hour": (0, 23, 0),
    "minute": (0, 59, 0),
    **dict.fromkeys(("duration", "minutes", "seconds", "nights", "days"), (1, 120, 0)),
    **dict.fromkeys(("page", "version"), (1, 3, 0)),
    **dict.fromkeys(("weight", "distance", "height", "width", "length", "size", "speed"), (1, 100, 1)),
    **dict.fromkeys(("id", "number", "code"), (1_000, 99_999, 0)),
}
"""The range of a number and its digits after the point, by a word of a field's name."""

_GOOD_FLAGS = frozenset(
    [
        "success",
        "ok",
        "succeeded",
        "found",
        "available",
        "active",
        "valid",
        "enabled",
        "confirmed",
        "exists",
        "open",
        "done",
    ]
)
_BAD_FLAGS = frozenset(
    ["error", "failed", "deleted", "cancelled", "canceled", "blocked", "expired", "locked", "truncated", "archived"]
)
