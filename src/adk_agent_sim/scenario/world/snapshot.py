"""A world at one moment: taken at any event, put back, compared.

Apps never change what they hold in place, so a snapshot shares with the world all that has not changed since.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from adk_agent_sim.scenario.world.log import Happened
from adk_agent_sim.scenario.world.notices import Notification

Path = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True)
class Change:
    """One place where two states differ."""

    path: Path
    """The app, then the keys and positions; positions of removed and replaced values are the old ones."""

    op: str
    """add, remove or replace."""

    old: Any = None

    new: Any = None

    def __str__(self) -> str:
        where = ".".join(map(str, self.path))
        if self.op == "add":
            return f"+ {where}: {self.new!r}"
        return f"- {where}: {self.old!r}" if self.op == "remove" else f"~ {where}: {self.old!r} -> {self.new!r}"


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """All that a world is made of."""

    time: float

    apps: Mapping[str, Mapping[str, Any]]
    """The states of the apps."""

    hidden: Mapping[str, Mapping[str, Any]]
    """What the apps know beyond their states."""

    events: tuple[Happened, ...]
    """What had happened by then."""

    notifications: tuple[Notification, ...]

    engine: Mapping[str, Any]
    """Where the events stand; a matter between the snapshot and the engine."""

    failures: Mapping[str, int]
    """How often each tool was called that may fail by chance."""

    def diff(self, later: Snapshot) -> list[Change]:
        """How the states of the apps changed from this snapshot to another one."""
        return list(changes(self.apps, later.apps))


def changes(old: Any, new: Any, path: Path = ()) -> Iterator[Change]:
    """Where two JSON values differ."""
    if old is new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _in_objects(cast("dict[str, Any]", old), cast("dict[str, Any]", new), path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _in_lists(cast("list[Any]", old), cast("list[Any]", new), path)
    elif not _same(old, new):
        yield Change(path=path, op="replace", old=old, new=new)


def _in_objects(old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Change]:
    for key, value in old.items():
        if key in new:
            yield from changes(value, new[key], (*path, key))
        else:
            yield Change(path=(*path, key), op="remove", old=value)
    for key, value in new.items():
        if key not in old:
            yield Change(path=(*path, key), op="add", new=value)


def _in_lists(old: list[Any], new: list[Any], path: Path) -> Iterator[Change]:
    """Equal beginnings and ends are taken off; what is left in the middle is compared place by place."""
    first = 0
    while first < min(len(old), len(new)) and _same(old[first], new[first]):
        first += 1
    after = 0
    while after < min(len(old), len(new)) - first and _same(old[-1 - after], new[-1 - after]):
        after += 1
    left, right = old[first : len(old) - after], new[first : len(new) - after]
    for place, (before, now) in enumerate(zip(left, right, strict=False), start=first):
        yield from changes(before, now, (*path, place))
    for place in range(first + len(right), first + len(left)):
        yield Change(path=(*path, place), op="remove", old=old[place])
    for place in range(first + len(left), first + len(right)):
        yield Change(path=(*path, place), op="add", new=new[place])


def _same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and one == other)
