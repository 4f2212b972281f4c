"""Checks whether a value of a scenario file fits the type of a tool's argument, given as Python source."""

from __future__ import annotations

from typing import Any, cast

from adk_agent_sim.scenario.app_base.argument_check import split_outside_brackets
from adk_agent_sim.timeline.canonical_json import Json

_SIMPLE_TYPES: dict[str, type | tuple[type, ...]] = {"str": str, "int": int, "float": (int, float), "bool": bool}


def fits_annotation(value: Json, annotation: str) -> bool:
    """Return whether a value fits a type such as `list[str] | None`.

    Unlike `app_base.argument_check.matches_type`, this accepts an int as a float and no bool as an int: files contain
    JSON numbers, whose type the author did not choose.
    """
    return any(_fits_single_type(value, each) for each in split_outside_brackets(annotation, "|"))


def _fits_single_type(value: Json, annotation: str) -> bool:
    base, _, inner = annotation.removesuffix("]").partition("[")
    if base == "Any":
        return True
    if base == "None":
        return value is None
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return base == "list" and all(fits_annotation(each, inner or "Any") for each in items)
    if isinstance(value, dict):
        kinds = split_outside_brackets(inner, ",")
        values = cast("dict[str, Any]", value).values()
        return base == "dict" and all(fits_annotation(each, kinds[-1] or "Any") for each in values)
    if isinstance(value, bool):
        return base == "bool"
    return base in _SIMPLE_TYPES and isinstance(value, _SIMPLE_TYPES[base])
