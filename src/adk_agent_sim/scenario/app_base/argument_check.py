"""The arguments of a tool call: their checks (names always, types if the tool asks for it), and their JSON Schema.

The error texts are ARE's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, cast

from adk_agent_sim.scenario.app_base.tool import Argument, Tool

_JSON_TYPES: Mapping[str, type | None] = {
    "str": str, "int": int, "float": float, "bool": bool, "list": list, "dict": dict, "None": type(None), "Any": None
}  # fmt: skip


def check_arguments(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Check the arguments of a call.

    Raises:
        TypeError: An argument is missing or unknown, or has the wrong type.
    """
    known = tool.annotations
    for name in tool.required_arguments:
        if name not in arguments:
            raise TypeError(f"missing a required argument: {name!r}")
    # Equal numbers mean that the tool has no `**kwargs`, which would take an argument of any name.
    if len(known) == len(tool.arguments):
        for name in arguments:
            if name not in known:
                raise TypeError(f"got an unexpected keyword argument {name!r}")
    if tool.type_checked:
        for name, annotation in known.items():
            if name in arguments and not matches_type(arguments[name], annotation):
                # ARE prints plain types as classes and generic ones as `typing` does.
                expected = _JSON_TYPES.get(annotation) or annotation.replace("Any", "typing.Any")
                raise TypeError(f"Argument {name!r} must be of type {expected}, got {type(arguments[name])}")


def matches_type(value: object, annotation: str) -> bool:
    """Return whether a value has a type given as Python source, such as `list[str] | None`.

    An int is not accepted as a float, as in ARE; every value is accepted for types that JSON does not have.
    """
    return _build_checker(annotation)(value)


@cache
def _build_checker(annotation: str) -> Callable[[object], bool]:
    if len(options := split_outside_brackets(annotation, "|")) > 1:
        checkers = [_build_checker(each) for each in options]
        return lambda value: any(check(value) for check in checkers)
    outer, _, inner = annotation.removesuffix("]").partition("[")
    item_types = split_outside_brackets(inner, ",")
    if outer == "dict" and len(item_types) == len(("key", "value")):
        return _build_dict_checker(*map(_build_checker, item_types))
    if outer == "list" and inner:
        return _build_list_checker(_build_checker(inner))
    return _build_class_checker(_JSON_TYPES.get(outer))


def split_outside_brackets(text: str, separator: str) -> list[str]:
    """Split a text at the separators that are not inside square brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if character == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _build_class_checker(expected_class: type | None) -> Callable[[object], bool]:
    return lambda value: expected_class is None or isinstance(value, expected_class)


def _build_list_checker(check_item: Callable[[object], bool]) -> Callable[[object], bool]:
    def check_list(value: object) -> bool:
        return isinstance(value, list | set) and all(map(check_item, cast("list[object]", value)))

    return check_list


def _build_dict_checker(
    check_key: Callable[[object], bool], check_value: Callable[[object], bool]
) -> Callable[[object], bool]:
    def check_dict(value: object) -> bool:
        items = cast("dict[object, object]", value).items() if isinstance(value, dict) else None
        return items is not None and all(check_key(name) and check_value(each) for name, each in items)

    return check_dict


_TYPE_SCHEMAS: dict[str, dict[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "list": {"type": "array"},
    "dict": {"type": "object"},
}
"""Any other type gets an empty schema, which accepts every value."""


def build_parameters_schema(tool: Tool) -> dict[str, Any]:
    """Return the JSON Schema of the object that holds a tool's arguments."""
    named = [each for each in tool.arguments if not each.variadic]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {each.name: _build_property_schema(each) for each in named},
    }
    if tool.required_arguments:
        schema["required"] = list(tool.required_arguments)
    return schema | {"additionalProperties": len(named) < len(tool.arguments)}


def build_type_schema(annotation: str) -> dict[str, Any]:
    """Return the JSON Schema of a type given as Python source, such as `list[str] | None`."""
    if len(options := split_outside_brackets(annotation, "|")) > 1:
        return {"anyOf": [build_type_schema(each) for each in options]}
    outer, _, inner = annotation.removesuffix("]").partition("[")
    schema = dict(_TYPE_SCHEMAS.get(outer, {}))
    if outer == "list" and inner:
        schema["items"] = build_type_schema(inner)
    if outer == "dict" and inner:
        schema["additionalProperties"] = build_type_schema(split_outside_brackets(inner, ",")[-1])
    return schema


def _build_property_schema(argument: Argument) -> dict[str, Any]:
    schema = build_type_schema(argument.annotation)
    if argument.description:
        schema["description"] = argument.description
    if not argument.required and _is_json_serializable(argument.default):
        schema["default"] = argument.default
    return schema


def _is_json_serializable(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
