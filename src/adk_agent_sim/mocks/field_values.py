"""Realistic values by the name of a field: prices, dates, e-mail addresses, cities. No network, no data files.

check_out_date --> its last words decide: a date --> later than the dates that begin something in the same object
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from adk_agent_sim.mocks.mocked_call import KeyedDraws, split_words
from adk_agent_sim.timeline.canonical_json import Json

ValueGenerator: TypeAlias = Callable[[KeyedDraws, int, int], Json]
"""Generates a value; the arguments are the draws, the salt of the field, and that of the object around it.

Fields of one object that belong together (a first name and an e-mail address, a start and an end) use the salt of the
object.

A value that needs several draws adds small numbers to a salt; each sum is a draw of its own. The numbers are arbitrary,
but those added to the object's salt must differ: 1 is the first name, 2 the last name, 3 the city, 11 the first day.
Changing one changes the responses of every seed.
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


def find_text_generator(field: str, owner: str) -> ValueGenerator:
    """Return the generator of the text of a field.

    Args:
        field: The field's name.
        owner: What the object around it is, in the singular, such as `order`; empty if that is not known.
    """
    words = split_words(field)
    if not words:
        return _make_choice_generator(_SENTENCES)
    for length in (2, 1):
        if (generate := _TEXTS.get("_".join(words[-length:]))) is not None:
            return generate
    if words[-1] == "name":
        return _find_name_generator(words[:-1], owner)
    if words[-1] in ("id", "sku", "number", "code", "reference", "ref", "token", "key", "pnr"):
        return make_id_generator(words, owner)
    if words[-1] in ("at", "on", "timestamp", "datetime"):
        return make_datetime_generator(words)
    if words[-1] == "date" or {"date", "day"} & {*words} or words[-1] in _BEGINNINGS | _ENDS:
        return make_date_generator(words)
    return _make_choice_generator(_WORDS)


def find_number_generator(field: str, *, is_integer: bool) -> ValueGenerator:
    """Return the generator of the number of a field."""
    words = split_words(field)
    for word in reversed(words):
        if (bounds := _NUMBERS.get(word)) is not None:
            low, high, digits = bounds
            return _make_number_generator(low, high, 0 if is_integer else digits)
    if words and words[-1] in ("timestamp", "at", "epoch"):
        return _make_epoch_generator(words)
    return _make_number_generator(1, 100, 0 if is_integer else 2)


def find_flag(field: str) -> bool | None:
    """Return what a boolean of this name is if all goes well; None if both are plausible."""
    words = {*split_words(field)}
    if words & _BAD_FLAGS:
        return False
    return True if words & _GOOD_FLAGS else None


def is_error_field(field: str) -> bool:
    """Whether a field only has a value if something has failed."""
    words = split_words(field)
    return bool(words) and (words[0] in ("error", "errors", "exception", "failure") or words[-1] in ("error", "errors"))


def make_id_generator(words: Sequence[str], owner: str) -> ValueGenerator:
    """Return a generator of ids such as `ORD-4821`, with a prefix for what they identify."""
    noun = next((word for word in reversed(words[:-1])), owner) or owner or "id"
    prefix = (words[-1] if words[-1] in ("sku", "pnr") else noun)[:3].upper()
    return lambda draws, salt, _: f"{prefix}-{draws.draw_integer(salt, 10_000, 99_999)}"


def make_date_generator(words: Sequence[str]) -> ValueGenerator:
    """Return a generator of days such as 2026-03-14."""
    first, last = _get_day_range(words)
    return lambda draws, salt, object_salt: _find_day(draws, salt, object_salt, first, last).isoformat()


def make_datetime_generator(words: Sequence[str]) -> ValueGenerator:
    """Return a generator of moments such as 2026-03-14T09:30:00Z."""
    first, last = _get_day_range(words)

    def generate(draws: KeyedDraws, salt: int, object_salt: int) -> str:
        day = _find_day(draws, salt, object_salt, first, last)
        return f"{day.isoformat()}T{_generate_clock_time(draws, salt + 1, object_salt)}Z"

    return generate


def generate_uuid(draws: KeyedDraws, salt: int, _object_salt: int) -> str:
    """Return a random UUID."""
    text = f"{draws.draw_bits(salt):016x}{draws.draw_bits(salt + 1):016x}"
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"


def generate_email(draws: KeyedDraws, salt: int, object_salt: int) -> str:
    """Return an address of the person in the object around."""
    return f"{_generate_user_name(draws, salt, object_salt)}@example.com"


def generate_url(draws: KeyedDraws, salt: int, _object_salt: int) -> str:
    """Return an address in a domain that is reserved for examples."""
    return f"https://example.com/{draws.choose(salt, _WORDS)}/{draws.draw_integer(salt + 1, 100, 999)}"


def _get_day_range(words: Sequence[str]) -> tuple[int, int]:
    """Return the days after the object's first day in which a date lies, so that ends come after beginnings."""
    joined = {*words, "".join(words[:2])}
    if joined & _ENDS:
        return 2, 14
    return (0, 1) if joined & _BEGINNINGS else (0, 14)


def _find_day(draws: KeyedDraws, salt: int, object_salt: int, first: int, last: int) -> datetime.date:
    # All dates of an object start from a day of its own, so that they are close to each other.
    days = draws.draw_integer(object_salt + 11, 0, 330) + draws.draw_integer(salt, first, last)
    return datetime.date.fromordinal(_FIRST_DAY + days)


def _generate_clock_time(draws: KeyedDraws, salt: int, _object_salt: int) -> str:
    hour, part = divmod(draws.draw_integer(salt, 7 * 12, 20 * 12 + 11), 12)
    return f"{hour:02d}:{part * 5:02d}:00"


def _make_epoch_generator(words: Sequence[str]) -> ValueGenerator:
    first, last = _get_day_range(words)

    def generate(draws: KeyedDraws, salt: int, object_salt: int) -> int:
        day = _find_day(draws, salt, object_salt, first, last)
        return (day - datetime.date(1970, 1, 1)).days * 86_400 + draws.draw_integer(salt + 1, 0, 86_399)

    return generate


def _generate_first_name(draws: KeyedDraws, _salt: int, object_salt: int) -> str:
    return draws.choose(object_salt + 1, _FIRST_NAMES)


def _generate_last_name(draws: KeyedDraws, _salt: int, object_salt: int) -> str:
    return draws.choose(object_salt + 2, _LAST_NAMES)


def _generate_user_name(draws: KeyedDraws, salt: int, object_salt: int) -> str:
    return _generate_person(draws, salt, object_salt).replace(" ", ".").lower()


def _generate_person(draws: KeyedDraws, salt: int, object_salt: int) -> str:
    return f"{_generate_first_name(draws, salt, object_salt)} {_generate_last_name(draws, salt, object_salt)}"


def _find_name_generator(words: Sequence[str], owner: str) -> ValueGenerator:
    """Return the generator of the name of a person, a company, a place, or of the thing that the object is."""
    for noun in (*reversed(words), *split_words(owner)):
        if noun in _PERSON_WORDS:
            return _generate_person
        if noun in _TEXTS:
            return _TEXTS[noun]
    noun = " ".join(words) or " ".join(split_words(owner)) or "item"
    return lambda draws, salt, _: f"{draws.choose(salt, _ADJECTIVES)} {noun}"


def _make_choice_generator(items: Sequence[str]) -> ValueGenerator:
    return lambda draws, salt, _: draws.choose(salt, items)


def _make_place_generator(position: int) -> ValueGenerator:
    """Return a generator of a part of the place of an object: its city and its country fit each other."""
    return lambda draws, _, object_salt: draws.choose(object_salt + 3, _CITIES)[position]


def _generate_address(draws: KeyedDraws, salt: int, object_salt: int) -> str:
    city = _make_place_generator(0)(draws, salt, object_salt)
    return f"{draws.draw_integer(salt, 1, 199)} {draws.choose(salt + 1, _STREETS)}, {city}"


def _generate_postcode(draws: KeyedDraws, salt: int, _object_salt: int) -> str:
    return f"{draws.draw_integer(salt, 10_000, 99_999)}"


def _generate_ip_address(draws: KeyedDraws, salt: int, _object_salt: int) -> str:
    # This network is reserved for documentation (RFC 5737), so no real host is named.
    return f"192.0.2.{draws.draw_integer(salt, 1, 254)}"


def _generate_file_name(draws: KeyedDraws, salt: int, _object_salt: int) -> str:
    return f"{draws.choose(salt, _WORDS)}.pdf"


def _make_number_generator(low: float, high: float, digits: int) -> ValueGenerator:
    if digits == 0:
        return lambda draws, salt, _: draws.draw_integer(salt, round(low), round(high))
    return lambda draws, salt, _: round(low + draws.draw_fraction(salt) * (high - low), digits)


_TEXTS: Mapping[str, ValueGenerator] = {
    "email": generate_email,
    "mail": generate_email,
    "email_address": generate_email,
    # The numbers from 555-0100 to 555-0199 are reserved for fiction.
    "phone": lambda draws, salt, _: f"+1-555-01{draws.draw_integer(salt, 0, 99):02d}",
    "phone_number": lambda draws, salt, _: f"+1-555-01{draws.draw_integer(salt, 0, 99):02d}",
    **dict.fromkeys(("first_name", "given_name"), _generate_first_name),
    **dict.fromkeys(("last_name", "family_name"), _generate_last_name),
    "full_name": _generate_person,
    **dict.fromkeys(("user_name", "username"), _generate_user_name),
    **dict.fromkeys(("author", "assignee", "owner", "sender", "recipient", "passenger"), _generate_person),
    **dict.fromkeys(("city", "town", "location", "destination", "origin", "place"), _make_place_generator(0)),
    "country": _make_place_generator(1),
    "country_code": _make_place_generator(2),
    **dict.fromkeys(("airport", "iata", "airport_code"), _make_place_generator(3)),
    **dict.fromkeys(("timezone", "time_zone", "tz"), _make_place_generator(4)),
    "street": lambda draws, salt, _: f"{draws.draw_integer(salt, 1, 199)} {draws.choose(salt + 1, _STREETS)}",
    "address": _generate_address,
    **dict.fromkeys(("postcode", "zip", "zip_code", "postal_code", "zipcode"), _generate_postcode),
    **dict.fromkeys(("currency", "currency_code"), _make_choice_generator(("EUR", "USD", "GBP", "JPY"))),
    **dict.fromkeys(("language", "locale", "lang"), _make_choice_generator(("en", "de", "fr", "es", "ja"))),
    **dict.fromkeys(("url", "link", "website", "uri", "href", "image", "avatar", "thumbnail"), generate_url),
    **dict.fromkeys(("uuid", "guid"), generate_uuid),
    "hash": lambda draws, salt, _: f"{draws.draw_bits(salt):016x}",
    "time": _generate_clock_time,
    **dict.fromkeys(("status", "state"), _make_choice_generator(("active", "confirmed", "completed"))),
    **dict.fromkeys(
        ("company", "organization", "vendor", "supplier", "brand", "manufacturer"), _make_choice_generator(_COMPANIES)
    ),
    "airline": _make_choice_generator(_AIRLINES),
    **dict.fromkeys(("color", "colour"), _make_choice_generator(_COLORS)),
    "priority": _make_choice_generator(("low", "medium", "high")),
    "category": _make_choice_generator(("home", "office", "outdoor", "electronics")),
    "condition": _make_choice_generator(("sunny", "cloudy", "rain", "windy")),
    "weather": _make_choice_generator(("sunny", "cloudy", "rain", "windy")),
    **dict.fromkeys(
        ("description", "summary", "text", "body", "content", "message", "note", "notes", "comment", "details"),
        _make_choice_generator(_SENTENCES),
    ),
    "title": lambda draws, salt, _: f"{draws.choose(salt, _ADJECTIVES)} {draws.choose(salt + 1, _WORDS)}",
    "subject": lambda draws, salt, _: f"{draws.choose(salt, _ADJECTIVES)} {draws.choose(salt + 1, _WORDS)}",
    **dict.fromkeys(("ip", "ip_address"), _generate_ip_address),
    "version": lambda draws, salt, _: f"{draws.draw_integer(salt, 1, 5)}.{draws.draw_integer(salt + 1, 0, 9)}.0",
    **dict.fromkeys(("filename", "file", "file_name", "receipt", "document", "attachment"), _generate_file_name),
}
"""The generators of texts, by the last word or the last two words of a field's name."""

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
