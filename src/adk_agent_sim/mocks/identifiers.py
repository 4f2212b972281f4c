"""Finds the ids in arguments and responses, and renames those of this run to those of a recorded one.

recorded: create_order --> ORD-1    this run: create_order --> ORD-7    so ORD-7 here is ORD-1 there
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

from adk_agent_sim.mocks.mocked_call import split_words, to_singular
from adk_agent_sim.timeline.canonical_json import Json, encode_json, normalize_value
from adk_agent_sim.timeline.json_equality import equals_value

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


_WORD = re.compile(r"[\w-]+")

IdPairs: TypeAlias = Sequence[tuple[Identifier, Identifier]]
"""Ids of this run, each with the recorded one."""


class IdRenaming:
    """Which id of this run stands for which recorded one; each has one partner at most."""

    def __init__(self) -> None:
        self._to_recorded: dict[Identifier, Identifier] = {}
        self._to_live: dict[Identifier, Identifier] = {}

    def copy(self) -> IdRenaming:
        """Return a renaming that knows the same."""
        other = IdRenaming()
        other._to_recorded, other._to_live = dict(self._to_recorded), dict(self._to_live)
        return other

    def bind(self, pairs: IdPairs) -> None:
        """Remember pairs; those that contradict what is known are left out."""
        for live, recorded in pairs:
            if self.allows(live, recorded):
                self._to_recorded[live], self._to_live[recorded] = recorded, live

    def allows(self, live: Identifier, recorded: Identifier) -> bool:
        """Whether two ids can be partners, by what is known."""
        return self._to_recorded.get(live, recorded) == recorded and self._to_live.get(recorded, live) == live

    def rename_to_recorded(self, value: Json) -> Json:
        """Return arguments of this run with the recorded ids."""
        return _rename(value, self._to_recorded, "")

    def rename_to_live(self, value: Json) -> Json:
        """Return a recorded response with the ids of this run; always a copy."""
        return _rename(value, self._to_live, "")


def _rename(value: Json, partners: Mapping[Identifier, Identifier], name: str) -> Json:
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Json]", value)
        return {_rename_word(key, partners): _rename(inner, partners, key) for key, inner in fields.items()}
    if isinstance(value, list):
        return [_rename(inner, partners, name) for inner in cast("list[Json]", value)]
    if not partners or isinstance(value, bool) or not isinstance(value, str | int):
        return value
    if value in partners and (is_id_name(name) or not is_plain(value)):
        return partners[value]
    return _WORD.sub(lambda word: _rename_word(word[0], partners), value) if isinstance(value, str) else value


def _rename_word(word: str, partners: Mapping[Identifier, Identifier]) -> str:
    return str(partners[word]) if word in partners and not is_plain(word) else word


def unify_arguments(
    live: Json, recorded: Json, renaming: IdRenaming, live_origins: IdOrigins, recorded_origins: IdOrigins
) -> IdPairs | None:
    """Return the ids that have to be renamed so that arguments are the recorded ones; None if that is impossible.

    Two ids can stand for each other if the same field of the same tool's responses made them, or if chance made both.
    """
    leaves, others = list(iter_leaves(live)), list(iter_leaves(recorded))
    if _outline(live) != _outline(recorded):
        return None
    pairs: dict[Identifier, Identifier] = {}
    for leaf, other in zip(leaves, others, strict=True):
        if equals_value(leaf.value, other.value):
            continue
        origin = live_origins.find(leaf.value)
        is_same_origin = origin is not None and origin == recorded_origins.find(other.value)
        if not is_same_origin and not (is_random(leaf.value) and is_random(other.value)):
            return None
        if not renaming.allows(leaf.value, other.value) or pairs.setdefault(leaf.value, other.value) != other.value:
            return None
    # Two ids of this run cannot stand for the same recorded one.
    return list(pairs.items()) if len(set(pairs.values())) == len(pairs) else None


def _outline(value: Json) -> Json:
    """Return a value without its leaves."""
    if isinstance(value, Mapping):
        return {key: _outline(inner) for key, inner in cast("Mapping[str, Json]", value).items()}
    if isinstance(value, list):
        return [_outline(inner) for inner in cast("list[Json]", value)]
    return type(value).__name__


def pair_ids(live: Json, recorded: Json) -> IdPairs:
    """Return the ids in two responses that are in the same place, so that they probably mean the same."""
    return [
        (leaf.value, other.value)
        for leaf, other in _iter_leaf_pairs(live, recorded, ())
        if type(leaf.value) is type(other.value) and is_identifier(leaf) and is_identifier(other)
    ]


def _iter_leaf_pairs(live: Json, recorded: Json, path: tuple[str, ...]) -> Iterator[tuple[Leaf, Leaf]]:
    if isinstance(live, Mapping) and isinstance(recorded, Mapping):
        fields, others = cast("Mapping[str, Json]", live), cast("Mapping[str, Json]", recorded)
        if _has_random_keys(fields) and _has_random_keys(others):
            yield from _iter_leaf_pairs(_list_entries(fields), _list_entries(others), path)
            return
        for key, value in fields.items():
            if key in others:
                yield from _iter_leaf_pairs(value, others[key], (*path, key))
    elif isinstance(live, list) and isinstance(recorded, list):
        for item, other in _pair_items(cast("list[Json]", live), cast("list[Json]", recorded)):
            yield from _iter_leaf_pairs(item, other, (*path, "*"))
    elif not isinstance(live, Mapping | list) and not isinstance(recorded, Mapping | list):
        yield Leaf(path, live), Leaf(path, recorded)


def _has_random_keys(value: Mapping[str, Json]) -> bool:
    """Whether an object is a collection by id, and its keys are no names of fields."""
    return bool(value) and all(map(is_random, value))


def _list_entries(value: Mapping[str, Json]) -> list[Json]:
    return [{"id": key, "entry": inner} for key, inner in value.items()]


def _pair_items(live: Sequence[Json], recorded: Sequence[Json]) -> Iterator[tuple[Json, Json]]:
    """Yield the items of two lists that are equal except for ids; lists have no order that must be the same."""
    if len(live) == len(recorded) == 1:
        yield live[0], recorded[0]
        return
    contents, others = [list(map(_strip_ids, items)) for items in (live, recorded)]
    for item, content in zip(live, contents, strict=True):
        # Items that differ only in their ids cannot be told apart, so none of them is paired.
        if contents.count(content) == 1 and others.count(content) == 1:
            yield item, recorded[others.index(content)]


def _strip_ids(item: Json) -> bytes:
    """Return what an item says besides its ids."""
    said = [[list(leaf.path), leaf.value] for leaf in iter_leaves(normalize_value(item)) if not is_identifier(leaf)]
    return encode_json(said)
