"""Operations on JSON values for rules: copies, access by path, JSON Patch (RFC 6902); and the base of rules' models.

A patch is applied to a copy, all operations or none. Unlike the RFC, `test` compares types too: 1 is neither 1.0 nor
true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Self, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_equality import is_same_value


class StrictModel(BaseModel):
    """Refuses unknown keys and does not convert types: a typo is an error, and "1" is not a number."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)


MISSING: Any = object()
"""The absence of a value; None is a value."""

ValuePath: TypeAlias = tuple[str, ...]


class _Wildcard(str):
    """A step that stands for every child. A type of its own: a JSON Pointer may name a key `*`."""

    __slots__ = ()


WILDCARD = _Wildcard("*")
"""The step `*` of a path."""

_MAX_WILDCARD_PATHS = 10_000
"""The most places that a path with wildcards is followed to."""


def copy_value(value: Json) -> Json:
    """Return a deep copy of a JSON value; faster than `copy.deepcopy`, which handles any object."""
    if isinstance(value, dict):
        return {key: copy_value(inner) for key, inner in cast("dict[str, Json]", value).items()}
    if isinstance(value, list):
        return [copy_value(inner) for inner in cast("list[Json]", value)]
    return value


def make_copier(value: Json) -> Callable[[], Json]:
    """Return a function that deep-copies a value.

    It finds the nested lists and objects once, so that each copy only visits those.
    """
    if not isinstance(value, dict | list):
        return lambda: value
    container = cast("dict[Any, Json] | list[Json]", value)
    items = container.items() if isinstance(container, dict) else enumerate(container)
    nested = [(key, make_copier(inner)) for key, inner in items if isinstance(inner, dict | list)]
    if not nested:
        return container.copy

    def copy() -> Json:
        new: Any = container.copy()
        for key, copy_inner in nested:
            new[key] = copy_inner()
        return new

    return copy


def parse_path(text: str) -> ValuePath:
    """Parse `items.0.sku` or `items.*.sku`, or the JSON Pointer `/items/0/sku`, in which every name is literal."""
    if text.startswith("/"):
        return tuple(part.replace("~1", "/").replace("~0", "~") for part in text[1:].split("/"))
    return tuple(WILDCARD if step == "*" else step for step in text.split(".")) if text else ()


def escape_name(name: str) -> str:
    """Return the path of a key: the name itself, or a JSON Pointer if the name would be read as another path."""
    is_plain = bool(name) and name != "*" and "." not in name and not name.startswith("/")
    return name if is_plain else "/" + name.replace("~", "~0").replace("/", "~1")


def has_wildcard(path: ValuePath) -> bool:
    """Whether a path can lead to several values."""
    return any(step is WILDCARD for step in path)


def expand_wildcards(value: Json, path: ValuePath) -> list[ValuePath]:
    """Return the paths without wildcards that exist in a value, in its order."""
    found: list[tuple[ValuePath, Json]] = [((), value)]
    for step in path:
        found = [
            ((*parents, key), child)
            for parents, parent in found
            for key, child in (_list_children(parent) if step is WILDCARD else [(step, get_child(parent, step))])
            if child is not MISSING
        ]
        del found[_MAX_WILDCARD_PATHS:]
    return [each for each, _ in found]


def _list_children(value: Json) -> list[tuple[str, Json]]:
    if isinstance(value, Mapping):
        return list(cast("Mapping[str, Json]", value).items())
    if isinstance(value, list):
        return [(str(index), child) for index, child in enumerate(cast("list[Json]", value))]
    return []


def get_at_path(value: Json, path: ValuePath) -> Json:
    """Return the value at a path, or MISSING."""
    for step in path:
        value = get_child(value, step)
        if value is MISSING:
            break
    return value


def find_value(value: Json, name: str) -> Json:
    """Return the value with a name or at a path, or MISSING. A name with a dot takes precedence over a path."""
    if isinstance(value, Mapping) and name in value:
        return cast("Mapping[str, Json]", value)[name]
    return get_at_path(value, parse_path(name))


def get_child(value: Json, step: str) -> Json:
    """Return the value one step down, or MISSING."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, Json]", value).get(step, MISSING)
    if isinstance(value, list):
        values = cast("list[Json]", value)
        return values[int(step)] if is_index(step) and int(step) < len(values) else MISSING
    return MISSING


def is_index(step: str) -> bool:
    """Whether a step can be a list index: digits without leading zeros, as RFC 6901 requires."""
    return step.isascii() and step.isdigit() and (step == "0" or not step.startswith("0")) and len(step) < 10


def format_value(value: Json, max_length: int = 60) -> str:
    """Return a value as one line for messages, abbreviated to `max_length`."""
    text = "nothing" if value is MISSING else repr(value)
    return text if len(text) <= max_length else f"{text[: max_length - 3]}..."


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
