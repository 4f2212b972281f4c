"""The differences between two states of a world's apps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from adk_agent_sim.timeline.canonical_json import is_same_value

StatePath = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True)
class StateChange:
    """One difference between two states."""

    path: StatePath
    """The app, then keys and positions; positions of removed and replaced values are the old ones."""

    op: str
    """add, remove or replace."""

    old: Any = None

    new: Any = None

    def __str__(self) -> str:
        where = ".".join(map(str, self.path))
        if self.op == "add":
            return f"+ {where}: {self.new!r}"
        return f"- {where}: {self.old!r}" if self.op == "remove" else f"~ {where}: {self.old!r} -> {self.new!r}"


def diff_values(old: Any, new: Any, path: StatePath = ()) -> Iterator[StateChange]:
    """Yield the differences between two JSON values."""
    if old is new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _diff_objects(cast("dict[str, Any]", old), cast("dict[str, Any]", new), path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _diff_lists(cast("list[Any]", old), cast("list[Any]", new), path)
    elif not _is_same(old, new):
        yield StateChange(path=path, op="replace", old=old, new=new)


def _diff_objects(old: dict[str, Any], new: dict[str, Any], path: StatePath) -> Iterator[StateChange]:
    for key, value in old.items():
        if key in new:
            yield from diff_values(value, new[key], (*path, key))
        else:
            yield StateChange(path=(*path, key), op="remove", old=value)
    for key, value in new.items():
        if key not in old:
            yield StateChange(path=(*path, key), op="add", new=value)


def _diff_lists(old: list[Any], new: list[Any], path: StatePath) -> Iterator[StateChange]:
    """Skip the common start and end of both lists and compare the rest position by position."""
    first = 0
    while first < min(len(old), len(new)) and _is_same(old[first], new[first]):
        first += 1
    after = 0
    while after < min(len(old), len(new)) - first and _is_same(old[-1 - after], new[-1 - after]):
        after += 1
    left, right = old[first : len(old) - after], new[first : len(new) - after]
    for index, (before, now) in enumerate(zip(left, right, strict=False), start=first):
        yield from diff_values(before, now, (*path, index))
    for index in range(first + len(right), first + len(left)):
        yield StateChange(path=(*path, index), op="remove", old=old[index])
    for index in range(first + len(left), first + len(right)):
        yield StateChange(path=(*path, index), op="add", new=new[index])


def _is_same(one: Any, other: Any) -> bool:
    # 1 == 1.0 == True in Python, but not in a state.
    return one is other or (one == other and is_same_value(one, other))
