"""JSON Patch (RFC 6902): a value changed by a list of operations, or left as it was."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, Self, cast

from pydantic import Field, model_validator

from adk_agent_sim.environment.spec import Spec
from adk_agent_sim.environment.values import MISSING, Path, copied, found_at, inside, is_index, path_of, same
from adk_agent_sim.timeline.canonical import Json

_WITH_VALUE = ("add", "replace", "test")
_WITH_FROM = ("move", "copy")


class PatchDoesNotApply(ValueError):
    """The value does not have what an operation needs."""


class Operation(Spec):
    """One operation of a patch."""

    op: Literal["add", "remove", "replace", "move", "copy", "test"]
    path: str = Field(pattern=r"^(/|$)", description="Where, as /items/0/price; empty for the whole result")
    value: Any = Field(default=None, description="With add, replace and test")
    source: str | None = Field(default=None, alias="from", pattern=r"^(/|$)", description="With move and copy: whence")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.op in _WITH_VALUE) != ("value" in self.model_fields_set):
            raise ValueError(f"{self.op!r} {'needs a' if self.op in _WITH_VALUE else 'takes no'} 'value'")
        if (self.op in _WITH_FROM) != (self.source is not None):
            raise ValueError(f"{self.op!r} {'needs' if self.op in _WITH_FROM else 'takes no'} 'from'")
        return self


def patched(value: Json, operations: Iterable[Operation]) -> Json:
    """A changed copy of the value; PatchDoesNotApply if one operation cannot be done."""
    holder = {"": copied(value)}
    for operation in operations:
        _apply(holder, operation)
    return holder[""]


def _apply(holder: dict[str, Json], operation: Operation) -> None:
    path = _pointer(operation.path)
    match operation.op:
        case "add":
            _add(holder, path, copied(operation.value))
        case "remove":
            _remove(holder, path)
        case "replace":
            _get(holder, path)
            _replace(holder, path, copied(operation.value))
        case "test":
            if not same(_get(holder, path), operation.value):
                raise PatchDoesNotApply(f"{operation.path!r} is not {operation.value!r}")
        case "copy":
            _add(holder, path, copied(_get(holder, _source(operation))))
        case "move":
            source = _source(operation)
            if path[: len(source)] == source and path != source:
                raise PatchDoesNotApply(f"{operation.source!r} cannot be moved into itself")
            moved = _get(holder, source)
            _remove(holder, source)
            _add(holder, path, moved)


def _pointer(text: str) -> Path:
    return ("", *path_of(text))


def _source(operation: Operation) -> Path:
    return _pointer(operation.source or "")


def _get(holder: Json, path: Path) -> Json:
    value = found_at(holder, path)
    if value is MISSING:
        raise PatchDoesNotApply(f"there is nothing at {_told(path)}")
    return value


def _add(holder: Json, path: Path, value: Json) -> None:
    parent, step = _get(holder, path[:-1]), path[-1]
    if isinstance(parent, dict):
        parent[step] = value
    elif isinstance(parent, list):
        values = cast("list[Json]", parent)
        if step != "-" and not (is_index(step) and int(step) <= len(values)):
            raise PatchDoesNotApply(f"{_told(path)} is no place in a list of {len(values)}")
        values.insert(len(values) if step == "-" else int(step), value)
    else:
        raise PatchDoesNotApply(f"{_told(path[:-1])} is neither an object nor a list")


def _replace(holder: Json, path: Path, value: Json) -> None:
    parent, step = found_at(holder, path[:-1]), path[-1]
    parent[int(step) if isinstance(parent, list) else step] = value


def _remove(holder: Json, path: Path) -> None:
    if len(path) == 1:
        raise PatchDoesNotApply("the whole result cannot be removed")
    _get(holder, path)
    remove_at(holder, path)


def remove_at(value: Json, path: Path) -> None:
    """Take out what is at a path, if there is anything."""
    parent = found_at(value, path[:-1])
    if inside(parent, path[-1]) is not MISSING:
        del parent[int(path[-1]) if isinstance(parent, list) else path[-1]]


def replace_at(value: Json, path: Path, new: Json) -> Json:
    """A copy of the value with something else at a path, if there is anything."""
    holder = {"": copied(value)}
    whole = ("", *path)
    if found_at(holder, whole) is not MISSING:
        _replace(holder, whole, new)
    return holder[""]


def _told(path: Path) -> str:
    return repr("/".join(path))
