"""What a mock knows about a call: the tool, what its name says, what the arguments give, and the random values.

From the arguments come ids, attributes, filters and the size of a page. A random value is a pure function of the call
and of the place that it is for. A response has many values, so only the call's own key is hashed; the places are mixed
into it with integers. A field that is added to a schema does not change the values of the others.

The name of a tool says what it does, and to what: `cancelOrder` changes the status of an order.

get_order, order_get, orders.get, GET /orders/{id}, github__get_issue --> get, order or issue
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b
from typing import Any, TypeVar, cast

from adk_agent_sim.forms.schema_dialect import JsonSchema
from adk_agent_sim.timeline.canonical_json import Json

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


_MAX_DEPTH = 3
_LIMIT_NAMES = frozenset(
    {"limit", "maxresults", "pagesize", "perpage", "topk", "topn", "maxitems", "count", "size", "n"}
)
_QUERY_NAMES = frozenset({"query", "q", "keyword", "keywords", "search", "searchterm", "term", "text", "searchquery"})
_LOW_WORDS = frozenset({"min", "minimum", "from", "lowest"})
BOUND_WORDS = _LOW_WORDS | {"max", "maximum", "to", "highest", "upto"}
"""The first words of arguments that limit the values of a field."""


@dataclass(frozen=True, slots=True)
class ValueBounds:
    """What filters such as `max_price` allow."""

    low: float | None = None
    high: float | None = None
    names: tuple[str, ...] = ()
    """The arguments that say so."""


class CallInputs:
    """The arguments of one call, by what a response uses them for."""

    __slots__ = ("bounds", "limit", "nested", "query", "records", "top", "total")

    def __init__(self, args: Mapping[str, Json], *, is_record: bool = False) -> None:
        """Read the arguments.

        Args:
            args: The arguments.
            is_record: Whether they are the fields of a stored record instead, which filter nothing.
        """
        self.top: dict[str, tuple[str, Json]] = {}
        """The arguments: folded name to name and value."""
        self.nested: dict[str, tuple[str, Json]] = {}
        """The fields of arguments that are objects: folded name to path and value; the outermost wins."""
        self.bounds: dict[str, ValueBounds] = {}
        """The lowest and highest value that a filter such as `max_price` allows, by the folded name of the field."""
        self.limit: tuple[str, int] | None = None
        """The name and the value of the argument that says how many items a list may have."""
        self.query: tuple[str, str] | None = None
        """The name and the text of a search."""
        self.records: Sequence[CallInputs] | None = None
        """The records of which the first list of objects consists; None if they are generated."""
        self.total: int | None = None
        """How many records there are, if the list is only a part of them."""
        for name, value in args.items():
            if is_record:
                self.top[fold_name(name)] = (name, value)
            elif value is not None:
                self._read_argument(name, value)

    def _read_argument(self, name: str, value: Json) -> None:
        folded = fold_name(name)
        self.top[folded] = (name, value)
        if isinstance(value, str):
            if folded in _QUERY_NAMES and value.strip():
                self.query = (name, value.strip())
        elif isinstance(value, Mapping):
            self._read_fields(name, cast("Mapping[str, Json]", value), 1)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            if folded in _LIMIT_NAMES:
                self.limit = (name, max(0, int(value)))
            else:
                self._read_bound(name, value)

    def _read_bound(self, name: str, value: float) -> None:
        first, *rest = split_words(name) or ("",)
        if rest and first in BOUND_WORDS:
            known = self.bounds.get("".join(rest), ValueBounds())
            names = (*known.names, name)
            self.bounds["".join(rest)] = (
                replace(known, names=names, low=value)
                if first in _LOW_WORDS
                else replace(known, names=names, high=value)
            )

    def _read_fields(self, path: str, fields: Mapping[str, Json], depth: int) -> None:
        for name, value in fields.items():
            if value is not None:
                self.nested.setdefault(fold_name(name), (f"{path}.{name}", value))
        if depth < _MAX_DEPTH:
            for name, value in fields.items():
                if isinstance(value, Mapping):
                    self._read_fields(f"{path}.{name}", cast("Mapping[str, Json]", value), depth + 1)


# Specs are compared by identity, so that what is compiled from one can be cached.
@dataclass(frozen=True, kw_only=True, eq=False)
class ToolSpec:
    """A tool as its declaration describes it."""

    name: str
    """The name by which the model calls it."""

    description: str = ""

    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The JSON Schema of the arguments."""

    results: JsonSchema | None = None
    """The JSON Schema of the results; None if the tool does not declare any, or one that allows everything."""

    results_origin: str = ""
    """Where the schema of the results comes from: `output schema` or `return annotation`; empty without one."""

    is_mcp: bool = False
    """Whether it is a tool of an MCP server, whose results are wrapped in a `CallToolResult`."""

    @property
    def argument_names(self) -> list[str]:
        """The names of the arguments."""
        return [*self.parameters.get("properties", {})]


_MASK = (1 << 64) - 1
_FLOAT_BITS = 53

_Item = TypeVar("_Item")


def make_salt(*place: str) -> int:
    """Return the number that stands for a place in a response, such as the path of a field."""
    return int.from_bytes(blake2b("\0".join(place).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


class KeyedDraws:
    """The random values of one call, or of one item in its response."""

    __slots__ = ("_base",)

    def __init__(self, base: int) -> None:
        """Begin with the 64 random bits of a call."""
        self._base = base

    def derive(self, number: int) -> KeyedDraws:
        """Return the values of an item in a list."""
        # The factor is that of SplitMix64: it spreads consecutive numbers over all 64 bits.
        return KeyedDraws(self.draw_bits(number * 0x9E3779B97F4A7C15 + 1))

    def draw_bits(self, salt: int) -> int:
        """Return 64 random bits for a place; the finalizer of SplitMix64."""
        mixed = (self._base ^ salt) & _MASK
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def draw_integer(self, salt: int, low: int, high: int) -> int:
        """Return a number from `low` to `high`, both included."""
        return low + self.draw_bits(salt) % (high - low + 1)

    def draw_fraction(self, salt: int) -> float:
        """Return a number in [0, 1)."""
        return (self.draw_bits(salt) >> (64 - _FLOAT_BITS)) / (1 << _FLOAT_BITS)

    def choose(self, salt: int, items: Sequence[_Item]) -> _Item:
        """Return one of the items."""
        return items[self.draw_bits(salt) % len(items)]
