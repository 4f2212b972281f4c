"""Patterns for paths, as ARE's file library knows them: `*`, `?` and `[abc]` within a name, `**` for any names.

The time is bounded whatever the pattern, because models write them.
"""

from __future__ import annotations

import re
from itertools import islice, product

from adk_agent_sim.scenario.files.file_tree import FileTree, PathParts
from adk_agent_sim.text.glob_match import GlobSet

_CHARACTER_CLASS = re.compile(r"\[([^\]\[!*?-][^\]\[*?-]*)\]")
_MAX_ALTERNATIVES = 256


def has_wildcards(parts: PathParts) -> bool:
    """Return whether a path is a pattern."""
    return any(set(name) & set("*?[") for name in parts)


def find_matches(tree: FileTree, pattern: PathParts) -> list[PathParts]:
    """Return the nodes that match a pattern, in order.

    Raises:
        ValueError: A name of the pattern contains `**` and something else.
    """
    if any("**" in name and name != "**" for name in pattern):
        raise ValueError("Invalid pattern: '**' can only be an entire path component")
    names = [None if name == "**" else GlobSet(_expand_classes(name)) for name in pattern]
    return sorted(parts for parts in tree.iter_subtree(()) if _is_match(parts, names))


def _is_match(parts: PathParts, pattern: list[GlobSet | None]) -> bool:
    # The places in the pattern that may come next; None stands for any number of names.
    places = _skip_any({0}, pattern)
    for name in parts:
        stay = {place for place in places if place < len(pattern) and pattern[place] is None}
        named = ((place, pattern[place]) for place in places - stay if place < len(pattern))
        move = {place + 1 for place, names in named if names is not None and names.matches(name)}
        places = _skip_any(stay | move, pattern)
    return len(pattern) in places


def _skip_any(places: set[int], pattern: list[GlobSet | None]) -> set[int]:
    reached = set(places)
    for place, names in enumerate(pattern):
        if place in reached and names is None:
            reached.add(place + 1)
    return reached


def _expand_classes(name: str) -> list[str]:
    """Return a name with each class of characters replaced by each of its characters."""
    pieces = _CHARACTER_CLASS.split(name)
    choices = [[piece] if place % 2 == 0 else list(piece) for place, piece in enumerate(pieces)]
    return ["".join(each) for each in islice(product(*choices), _MAX_ALTERNATIVES)]
