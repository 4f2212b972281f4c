"""Whether a value fits the type that a tool's argument states, in the notation of Python."""

from __future__ import annotations

from typing import Any, cast

from adk_agent_sim.timeline.canonical import Json

_PLAIN: dict[str, type | tuple[type, ...]] = {"str": str, "int": int, "float": (int, float), "bool": bool}


def fits(value: Json, annotation: str) -> bool:
    """Whether a value is of a type such as `list[str] | None`."""
    return any(_fits_one(value, each) for each in _split(annotation, "|"))


def _fits_one(value: Json, annotation: str) -> bool:
    base, _, inner = annotation.removesuffix("]").partition("[")
    if base == "Any":
        return True
    if base == "None":
        return value is None
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return base == "list" and all(fits(each, inner or "Any") for each in items)
    if isinstance(value, dict):
        kinds = _split(inner, ",")
        values = cast("dict[str, Any]", value).values()
        return base == "dict" and all(fits(each, kinds[-1] or "Any") for each in values)
    if isinstance(value, bool):
        return base == "bool"
    return base in _PLAIN and isinstance(value, _PLAIN[base])


def _split(annotation: str, separator: str) -> list[str]:
    """The parts between separators that are not in brackets."""
    parts, depth = [""], 0
    for sign in annotation:
        depth += (sign == "[") - (sign == "]")
        if sign == separator and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]
