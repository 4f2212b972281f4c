"""What a mocked response can take from the arguments of its call: ids, attributes, filters, and the size of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from adk_agent_sim.mocks.name_words import fold_name, split_words
from adk_agent_sim.timeline.canonical_json import Json

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
