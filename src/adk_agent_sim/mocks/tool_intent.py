"""Reads from a tool's name what it does, and to what: `cancelOrder` changes the status of an order.

get_order, order_get, orders.get, GET /orders/{id}, github__get_issue --> get, order or issue

Names are split into words, and nouns converted between singular and plural, also for fields.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_IRREGULAR = {"people": "person", "children": "child", "indices": "index", "analyses": "analysis"}
_IRREGULAR_PLURALS = {singular: plural for plural, singular in _IRREGULAR.items()}
_UNCHANGED = frozenset(
    {"status", "address", "news", "series", "business", "access", "process", "weather", "sms", "gps"}
)


@lru_cache(maxsize=4096)
def split_words(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case: `getOrderById`, `get-order_by id` and `GET /order/by/id` are alike."""
    return tuple(word.lower() for word in _WORD.findall(name))


@lru_cache(maxsize=4096)
def fold_name(name: str) -> str:
    """Return a name such that `order_id`, `orderId` and `Order-ID` are equal."""
    return "".join(split_words(name)) or name


def is_plural(word: str) -> bool:
    """Whether a noun is probably a plural."""
    return word in _IRREGULAR or (
        len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) and word not in _UNCHANGED
    )


def to_singular(word: str) -> str:
    """Return the singular of an English noun."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if not is_plural(word):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def to_plural(word: str) -> str:
    """Return the plural of an English noun."""
    if is_plural(word) or word in ("news", "series", "weather"):
        return word
    if word in _IRREGULAR_PLURALS:
        return _IRREGULAR_PLURALS[word]
    if word.endswith("y") and not word.endswith(("ay", "ey", "oy", "uy")):
        return f"{word[:-1]}ies"
    if word.endswith(("s", "sh", "ch", "x", "z")):
        return f"{word}es"
    return f"{word}s"


class ResourceOperation(StrEnum):
    """What a tool does with a resource."""

    CREATE = "create"
    GET = "get"
    UPDATE = "update"
    LIST = "list"
    SEARCH = "search"
    DELETE = "delete"


_VERBS = {
    **dict.fromkeys(
        [
            "create",
            "add",
            "new",
            "place",
            "book",
            "make",
            "insert",
            "post",
            "register",
            "submit",
            "schedule",
            "reserve",
            "send",
            "open",
            "start",
            "compose",
        ],
        ResourceOperation.CREATE,
    ),
    **dict.fromkeys(
        ["get", "read", "fetch", "retrieve", "show", "lookup", "describe", "load", "view", "check", "track"],
        ResourceOperation.GET,
    ),
    **dict.fromkeys(
        ["update", "edit", "modify", "patch", "change", "set", "rename", "put", "assign", "reschedule"],
        ResourceOperation.UPDATE,
    ),
    **dict.fromkeys(["delete", "remove", "destroy", "drop"], ResourceOperation.DELETE),
    **dict.fromkeys(["list", "browse", "enumerate"], ResourceOperation.LIST),
    **dict.fromkeys(["search", "find", "query", "filter"], ResourceOperation.SEARCH),
}

STATUS_VERBS = {
    "cancel": "cancelled",
    "close": "closed",
    "complete": "completed",
    "confirm": "confirmed",
    "approve": "approved",
    "reject": "rejected",
    "archive": "archived",
    "reopen": "open",
    "resolve": "resolved",
    "finish": "finished",
    "ship": "shipped",
    "refund": "refunded",
    "pay": "paid",
}
"""Verbs that set the status of a resource, and the status."""

BOOKING_NOUNS = {"book": "booking", "reserve": "reservation"}
"""What such a verb creates, if the noun is what is booked: `book_hotel(hotel_id)` creates no hotel."""

NEW_VERBS = frozenset({"create", "add", "new", "insert", "make", "register", "post", "compose"})
"""Verbs that create something even if its id is given; `send_invoice(invoice_id)` changes an invoice."""

_READING = frozenset({ResourceOperation.GET, ResourceOperation.LIST, ResourceOperation.SEARCH})
_LINKING_WORDS = frozenset(
    ["by", "for", "with", "from", "in", "to", "of", "on", "at", "into", "via", "using", "and", "the", "a", "an"]
)
_FILLING_WORDS = frozenset(
    [
        *("all", "my", "up", "details", "detail", "info", "information", "record", "api", "v"),
        *("manage", "handle", "manager", "tool", "service"),
    ]
)


@dataclass(frozen=True, slots=True)
class ToolIntent:
    """What a tool does, as far as its name says."""

    operation: ResourceOperation | None
    """None if the name has no verb that is known."""

    noun: str
    """What it is about, in the singular, such as `order` or `order_line`; empty if the name does not say."""

    status: str = ""
    """The status that it sets, if the verb says so."""

    verb: str = ""

    @property
    def is_reading(self) -> bool:
        """Whether it changes nothing, so that equal calls have equal responses."""
        return self.operation in _READING


@lru_cache(maxsize=1024)
def read_intent(name: str) -> ToolIntent:
    """Return what a tool's name says about it."""
    words = split_words(name)
    for position, word in enumerate(words):
        if word in _VERBS or word in STATUS_VERBS:
            noun_words = _list_noun_words(words[position + 1 :]) or _list_noun_words(words[:position])
            operation = _VERBS.get(word, ResourceOperation.UPDATE)
            operation = _adjust_for_number(operation, noun_words, words)
            return ToolIntent(operation, _join_noun(noun_words), STATUS_VERBS.get(word, ""), word)
    return ToolIntent(None, _join_noun(_list_noun_words(words)))


def _adjust_for_number(
    operation: ResourceOperation, noun_words: list[str], words: tuple[str, ...]
) -> ResourceOperation:
    """Return the operation; `get_orders` gets a list, `get_orders_by_id` and `find_order` do not."""
    is_many = bool(noun_words) and is_plural(noun_words[-1]) and "id" not in words
    if operation is ResourceOperation.GET and is_many:
        return ResourceOperation.LIST
    if operation is ResourceOperation.SEARCH and words[0] == "find" and noun_words and not is_many:
        return ResourceOperation.GET
    return operation


def _list_noun_words(words: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for word in words:
        if word in _LINKING_WORDS and found:
            break
        if word not in _FILLING_WORDS | _LINKING_WORDS and not word.isdecimal():
            found.append(word)
    if len(found) > 1 and found[-1] in ("id", "ids"):
        found.pop()
    return found


def _join_noun(words: list[str]) -> str:
    return "_".join([*words[:-1], to_singular(words[-1])]) if words else ""
