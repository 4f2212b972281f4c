"""JSON Patch (RFC 6902): applies a list of operations to a copy of a value, all or none.

Unlike the RFC, `test` compares types too: 1 is neither 1.0 nor true.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, Self, cast

from pydantic import ConfigDict, Field, model_validator

from adk_agent_sim.environment.json_values import (
    MISSING,
    ValuePath,
    copy_value,
    get_at_path,
    get_child,
    is_index,
    parse_path,
)
from adk_agent_sim.environment.strict_model import StrictModel
from adk_agent_sim.timeline.canonical_json import Json, is_same_value

_OPERATIONS_WITH_VALUE = ("add", "replace", "test")
_OPERATIONS_WITH_FROM = ("move", "copy")


def _require_for_operations(key: str, operations: Sequence[str]) -> dict[str, Any]:
    """Return a JSON Schema in which a key is required with some operations and not allowed with others."""
    return {
        "if": {"properties": {"op": {"enum": list(operations)}}},
        "then": {"required": [key]},
        "else": {"not": {"required": [key]}},
    }


class PatchNotApplicable(ValueError):
    """An operation refers to something that the value does not have."""


class PatchOperation(StrictModel):
    """One operation of a patch."""

    model_config = ConfigDict(
        json_schema_extra={
            "allOf": [
                _require_for_operations("value", _OPERATIONS_WITH_VALUE),
                _require_for_operations("from", _OPERATIONS_WITH_FROM),
            ]
        }
    )

    op: Literal["add", "remove", "replace", "move", "copy", "test"]
    path: str = Field(
        pattern=r"^(/|$)", description="A JSON Pointer such as /items/0/price; empty for the whole result"
    )
    value: Any = Field(default=None, description="Required with add, replace and test")
    source: str | None = Field(
        default=None,
        alias="from",
        pattern=r"^(/|$)",
        description="Required with move and copy: the JSON Pointer of the source",
    )

    @model_validator(mode="after")
    def _check_operands(self) -> Self:
        if (self.op in _OPERATIONS_WITH_VALUE) != ("value" in self.model_fields_set):
            raise ValueError(f"{self.op!r} {'needs a' if self.op in _OPERATIONS_WITH_VALUE else 'takes no'} 'value'")
        if (self.op in _OPERATIONS_WITH_FROM) != (self.source is not None):
            raise ValueError(f"{self.op!r} {'needs' if self.op in _OPERATIONS_WITH_FROM else 'takes no'} 'from'")
        return self


def apply_patch(value: Json, operations: Iterable[PatchOperation]) -> Json:
    """Return a changed copy of the value.

    Raises:
        PatchNotApplicable: An operation cannot be applied; nothing is changed.
    """
    # The value is held under a key, so that operations on the whole value (path "") need no special case.
    holder = {"": copy_value(value)}
    for operation in operations:
        _apply_operation(holder, operation)
    return holder[""]


def _apply_operation(holder: dict[str, Json], operation: PatchOperation) -> None:
    path = _parse_pointer(operation.path)
    match operation.op:
        case "add":
            _add_at(holder, path, copy_value(operation.value))
        case "remove":
            _remove_at(holder, path)
        case "replace":
            _get_existing(holder, path)
            _replace_at(holder, path, copy_value(operation.value))
        case "test":
            if not is_same_value(_get_existing(holder, path), operation.value):
                raise PatchNotApplicable(f"{operation.path!r} is not {operation.value!r}")
        case "copy":
            _add_at(holder, path, copy_value(_get_existing(holder, _parse_source_pointer(operation))))
        case "move":
            source = _parse_source_pointer(operation)
            if path[: len(source)] == source and path != source:
                raise PatchNotApplicable(f"{operation.source!r} cannot be moved into itself")
            moved = _get_existing(holder, source)
            _remove_at(holder, source)
            _add_at(holder, path, moved)


def _parse_pointer(text: str) -> ValuePath:
    return ("", *parse_path(text))


def _parse_source_pointer(operation: PatchOperation) -> ValuePath:
    return _parse_pointer(operation.source or "")


def _get_existing(holder: Json, path: ValuePath) -> Json:
    value = get_at_path(holder, path)
    if value is MISSING:
        raise PatchNotApplicable(f"there is nothing at {_format_pointer(path)}")
    return value


def _add_at(holder: Json, path: ValuePath, value: Json) -> None:
    parent, step = _get_existing(holder, path[:-1]), path[-1]
    if isinstance(parent, dict):
        parent[step] = value
    elif isinstance(parent, list):
        values = cast("list[Json]", parent)
        if step != "-" and not (is_index(step) and int(step) <= len(values)):
            raise PatchNotApplicable(f"{_format_pointer(path)} is not a position in a list of {len(values)} items")
        values.insert(len(values) if step == "-" else int(step), value)
    else:
        raise PatchNotApplicable(f"{_format_pointer(path[:-1])} is neither an object nor a list")


def _replace_at(holder: Json, path: ValuePath, value: Json) -> None:
    parent, step = get_at_path(holder, path[:-1]), path[-1]
    parent[int(step) if isinstance(parent, list) else step] = value


def _remove_at(holder: Json, path: ValuePath) -> None:
    if len(path) == 1:
        raise PatchNotApplicable("the whole result cannot be removed")
    _get_existing(holder, path)
    remove_at(holder, path)


def remove_at(value: Json, path: ValuePath) -> None:
    """Remove the value at a path, if there is one."""
    parent = get_at_path(value, path[:-1])
    if get_child(parent, path[-1]) is not MISSING:
        del parent[int(path[-1]) if isinstance(parent, list) else path[-1]]


def replace_at(value: Json, path: ValuePath, new: Json) -> Json:
    """Return a copy of the value with `new` at a path; unchanged if there is nothing at the path."""
    holder = {"": copy_value(value)}
    full_path = ("", *path)
    if get_at_path(holder, full_path) is not MISSING:
        _replace_at(holder, full_path, new)
    return holder[""]


def _format_pointer(path: ValuePath) -> str:
    return repr("/".join(path))
