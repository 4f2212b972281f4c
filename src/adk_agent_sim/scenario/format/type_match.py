"""Checks whether a value of a scenario file fits the type of a tool's argument, given as Python source."""

from __future__ import annotations

from typing import Any, cast

from adk_agent_sim.timeline.canonical_json import Json

_SIMPLE_TYPES: dict[str, type | tuple[type, ...]] = {"str": str, "int": int, "float": (int, float), "bool": bool}


def matches_type(value: Json, annotation: str) -> bool:
    """Whether a value is of a type such as `list[str] | None`."""
    return any(_matches_single_type(value, each) for each in _split_annotation(annotation, "|"))


def _matches_single_type(value: Json, annotation: str) -> bool:
    base, _, inner = annotation.removesuffix("]").partition("[")
    if base == "Any":
        return True
    if base == "None":
        return value is None
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return base == "list" and all(matches_type(each, inner or "Any") for each in items)
    if isinstance(value, dict):
        kinds = _split_annotation(inner, ",")
        values = cast("dict[str, Any]", value).values()
        return base == "dict" and all(matches_type(each, kinds[-1] or "Any") for each in values)
    if isinstance(value, bool):
        return base == "bool"
    return base in _SIMPLE_TYPES and isinstance(value, _SIMPLE_TYPES[base])


def _split_annotation(annotation: str, separator: str) -> list[str]:
    """The parts between separators that are not in brackets."""
    parts, depth = [""], 0
    for sign in annotation:
        depth += (sign == "[") - (sign == "]")
        if sign == separator and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]
