"""Checks of values: functions that raise if a value does not have the shape that its field needs, how they combine, and
checks of ids and names, which are texts that databases index, messages carry and people see.

For example, `build_list_check(build_object_check({"name": check_text}))` raises for `[{"name": "a"}, {"name": 1}]`; the
path of the error is `[1].name`, its reason `must be a string, and is a number`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, TypeAlias, cast

MAX_JSON_DEPTH = 256
"""How many nesting levels a JSON value of an event may have: what `to_json_value` writes, and all readers can walk."""

MAX_FINITE = 1e300
"""The largest number that counts as finite; it leaves room for sums."""

_LEAF_TYPES = frozenset({str, int, float, bool, type(None)})

Check: TypeAlias = Callable[[Any], None]
"""Raises `MismatchError` if a value is invalid."""

Checks: TypeAlias = Mapping[str, Check]
"""The checks of the fields of an object, in the order in which they are made."""


class MismatchError(Exception):
    """A value does not have the shape that its field needs; `path` leads from the field to the value."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = ""

    def prepend(self, step: str) -> MismatchError:
        """Return the error with one more step at the beginning of its path."""
        self.path = step + self.path
        return self


def describe_value(value: object) -> str:
    """Return what a value is, for the end of an error message."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int():
            return "a number"
        case float():
            return "a number" if abs(value) <= MAX_FINITE else f"{value:g}"
        case str():
            return "a string"
        case list() | tuple():
            return "a list"
        case dict():
            return "an object"
        case _:
            return f"a {type(value).__name__}"


def create_mismatch(needed: str, value: object) -> MismatchError:
    """Create the error of a value that is something else than its field needs."""
    return MismatchError(f"must be {needed}, and is {describe_value(value)}")


def build_type_check(kind: type, needed: str) -> Check:
    """Return a check that a value is an instance of a class; `needed` describes it."""

    def check(value: object) -> None:
        if not isinstance(value, kind):
            raise create_mismatch(needed, value)

    return check


check_text = build_type_check(str, "a string")
check_flag = build_type_check(bool, "true or false")
check_object = build_type_check(dict, "an object")


def build_enum_check(kind: type[Enum]) -> Check:
    """Return a check that a value is a member of an enumeration."""
    return build_type_check(kind, f"one of {', '.join(str(member.value) for member in kind)}")


def check_integer(value: object) -> None:
    """Raise unless a value is an integer."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise create_mismatch("an integer", value)


def build_integer_check(maximum: int) -> Check:
    """Return a check that a value is an integer from 0 to a maximum."""

    def check(value: object) -> None:
        check_integer(value)
        if not 0 <= cast("int", value) <= maximum:
            raise MismatchError(f"must be between 0 and {maximum}, and is {str(value)[:30]}")

    return check


def build_number_check(needed: str, maximum: float) -> Check:
    """Return a check that a value is a number from 0 to a maximum; `needed` describes it."""

    def check(value: object) -> None:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise create_mismatch(needed, value)
        if not 0 <= value <= maximum:  # also false for NaN
            found = value if isinstance(value, float) else describe_value(value)
            raise MismatchError(f"must be {needed}, and is {found}")

    return check


def build_optional_check(check_present: Check) -> Check:
    """Return a check of a value that may be missing."""

    def check(value: object) -> None:
        if value is not None:
            check_present(value)

    return check


def build_list_check(check_item: Check) -> Check:
    """Return a check of a list, item by item."""

    def check(value: object) -> None:
        if not isinstance(value, list | tuple):
            raise create_mismatch("a list", value)
        index = 0
        try:
            for index, item in enumerate(cast("list[object]", value)):  # noqa: B007 - the error names it
                check_item(item)
        except MismatchError as mismatch:
            raise mismatch.prepend(f"[{index}]") from None

    return check


def build_object_check(checks: Checks, required: tuple[str, ...] = ()) -> Check:
    """Return a check of an object: keys in `checks` must match if they are not null, other keys may have any value."""

    def check(value: object) -> None:
        check_object(value)
        fields = cast("dict[str, object]", value)
        for name in required:
            if fields.get(name) is None:
                raise MismatchError("is missing").prepend(f".{name}")
        name = ""
        try:
            for name, inner in fields.items():
                if inner is not None and name in checks:
                    checks[name](inner)
        except MismatchError as mismatch:
            raise mismatch.prepend(f".{name}") from None

    return check


def build_mapping_check(check_value: Check) -> Check:
    """Return a check of an object whose keys are names that come from outside."""

    def check(value: object) -> None:
        check_object(value)
        for name, inner in cast("dict[str, object]", value).items():
            try:
                check_value(inner)
            except MismatchError as mismatch:
                raise mismatch.prepend(f".{name}") from None

    return check


def build_json_check(check_shape: Check) -> Check:
    """Return a check of a shape that is JSON as well, also in the keys that the shape does not name."""

    def check(value: object) -> None:
        check_shape(value)
        check_json(value)

    return check


def check_json(value: object) -> None:
    """Raise unless a value consists of JSON types and is not nested too deeply."""
    # Level by level instead of recursively: the values to be found here are those that exhaust the stack. The usual
    # types are compared inline, because this loop visits every value of every event.
    level: list[object] = [(value,)]
    for _ in range(MAX_JSON_DEPTH + 1):
        deeper: list[object] = []
        for container in level:
            if isinstance(container, dict):
                fields = cast("dict[object, object]", container)
                for key in fields:
                    if type(key) is not str:
                        _check_key(key)
                inner_values: Iterable[object] = fields.values()
            else:
                inner_values = cast("Iterable[object]", container)
            for inner in inner_values:
                kind = type(inner)
                if (
                    kind is not str
                    and kind not in _LEAF_TYPES
                    and (kind is dict or kind is list or _is_container(inner))
                ):
                    deeper.append(inner)
        if not deeper:
            return
        level = deeper
    raise MismatchError(f"must have at most {MAX_JSON_DEPTH} nesting levels, and has more")


def _is_container(value: object) -> bool:
    """Return whether a value of an unusual type is a list or object as well; raise if it is not JSON."""
    if isinstance(value, dict | list | tuple):
        return True
    if not isinstance(value, str | int | float):
        raise MismatchError(f"must be JSON, and contains {describe_value(value)}")
    return False


def _check_key(key: object) -> None:
    if not isinstance(key, str):
        raise MismatchError(f"must be JSON, and has a key that is {describe_value(key)}")


check_optional_object = build_optional_check(build_json_check(check_object))
"""Checks a JSON object that may be missing."""


MAX_ID_LENGTH = 200
"""The length of an id in characters; databases limit the size of an indexed value."""

_BLOCK_ID = re.compile(r"[0-9a-f]{32}")


def check_id(value: object) -> None:
    """Raise unless a value can be the id of a session, event or turn."""
    if not value:
        raise MismatchError("must not be empty")
    check_reference(value)


def check_reference(value: object) -> None:
    """Raise unless a value can be an id, or is empty because there is none."""
    _check_storable_text(value)
    if len(cast("str", value)) > MAX_ID_LENGTH:
        raise MismatchError(f"must have at most {MAX_ID_LENGTH} characters, and has {len(cast('str', value))}")


def check_block_id(value: object) -> None:
    """Raise unless a value is the id of a block."""
    if not isinstance(value, str) or not _BLOCK_ID.fullmatch(value):
        raise MismatchError("must be the id of a block: 32 hexadecimal digits")


def check_name(value: object) -> None:
    """Raise unless a value can be the name of an agent."""
    _check_storable_text(value)
    _check_visible(cast("str", value))


def check_app_name(value: object) -> None:
    """Raise unless a value can be the name of an app."""
    _check_column_text(value)
    _check_visible(cast("str", value))


def _check_visible(name: str) -> None:
    # An empty name means that there is none. Identifiers are the usual case, and the fast one.
    if name and not name.isidentifier() and not any(char.isprintable() and not char.isspace() for char in name):
        raise MismatchError("must have a visible character, or be empty")


def _check_column_text(value: object) -> None:
    """Raise unless a text can be stored in a database column."""
    check_text(value)
    # PostgreSQL cannot store this character in a text.
    if "\0" in cast("str", value):
        raise MismatchError("must not contain the character U+0000")


def _check_storable_text(value: object) -> None:
    """Raise unless a text can be stored in a database column and in a message."""
    _check_column_text(value)
    try:
        cast("str", value).encode()
    except UnicodeEncodeError:
        raise MismatchError("must be text that UTF-8 can represent") from None
