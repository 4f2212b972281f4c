"""Finds the ids in arguments and responses, and where they come from: which tool's response, and which field of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias, cast

from adk_agent_sim.mocks.name_words import split_words, to_singular
from adk_agent_sim.timeline.canonical_json import Json

Identifier: TypeAlias = str | int

_ID_WORDS = frozenset(
    {"id", "ids", "sku", "uuid", "guid", "key", "code", "number", "ref", "reference", "token", "handle"}
)
"""The last words of fields that have ids."""

_MAX_LENGTH = 200
_MIN_PLAIN_LENGTH = 4
_RANDOM = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{16,}|[0-9A-HJKMNP-TV-Z]{26}"  # UUID, hex, ULID
)


class Leaf(NamedTuple):
    """A value that is neither a list nor an object, with its position."""

    path: tuple[str, ...]
    """The keys that lead to it; positions in lists, and keys that are ids, are `*`."""

    value: Json

    @property
    def name(self) -> str:
        """The name of the field that it is in, or of the list."""
        return next((step for step in reversed(self.path) if step != "*"), "")


class Origin(NamedTuple):
    """What made an id."""

    tool: str
    path: tuple[str, ...]


def iter_leaves(value: Json, path: tuple[str, ...] = ()) -> Iterator[Leaf]:
    """Yield the leaves of a JSON value, in its order."""
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Json]", value).items():
            yield from iter_leaves(inner, (*path, "*" if is_random(key) else key))
    elif isinstance(value, list):
        for inner in cast("list[Json]", value):
            yield from iter_leaves(inner, (*path, "*"))
    else:
        yield Leaf(path, value)


def is_id_name(name: str) -> bool:
    """Whether a field or an argument has ids, by its name."""
    words = split_words(name)
    return bool(words) and to_singular(words[-1]) in _ID_WORDS


def is_identifier(leaf: Leaf) -> bool:
    """Whether a leaf can be an id."""
    value = leaf.value
    if isinstance(value, str):
        is_word = 0 < len(value) <= _MAX_LENGTH and value.split() == [value]
        return is_word and (is_id_name(leaf.name) or is_random(value) or any(map(str.isdigit, value)))
    return isinstance(value, int) and not isinstance(value, bool) and is_id_name(leaf.name)


def is_plain(value: Identifier) -> bool:
    """Whether an id looks like any number or short word, so that only its field says that it is one."""
    return isinstance(value, int) or len(value) < _MIN_PLAIN_LENGTH or value.isdigit()


def is_random(value: Json) -> bool:
    """Whether a value looks as if chance had made it, such as a UUID."""
    return isinstance(value, str) and _RANDOM.fullmatch(value) is not None


class IdOrigins:
    """Where the ids of a run were made: in the response in which each is first seen."""

    def __init__(self) -> None:
        self._origins: dict[Identifier, Origin | None] = {}

    def add_call(self, tool: str, args: Mapping[str, Json], response: Json) -> None:
        """Add a call, after all that came before it."""
        for leaf in iter_leaves(args):
            if isinstance(leaf.value, str | int):
                self._origins.setdefault(leaf.value, None)  # the caller knew it, so the tool has not made it
        for leaf in iter_leaves(response):
            if is_identifier(leaf):
                self._origins.setdefault(leaf.value, Origin(tool, leaf.path))

    def find(self, value: Json) -> Origin | None:
        """Return where an id was made; None if no response has made it."""
        return self._origins.get(value) if isinstance(value, str | int) else None
