"""Removes values that may differ, such as `result.time`, `*.id` or `search:items.*.score`, before a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from adk_agent_sim.timeline.canonical_json import Json

_REMOVED = object()


def remove_ignored_values(value: Json, tool_name: str, ignored_paths: Sequence[str]) -> Json:
    """Return a tool's response without the values at the paths.

    Args:
        value: The response.
        tool_name: The tool; a path may begin with the name of the only tool that it applies to.
        ignored_paths: The paths; `*` stands for every key and every index.
    """
    for path in ignored_paths:
        wanted_tool, colon, steps = path.rpartition(":")
        if not colon or wanted_tool == tool_name:
            value = _remove_path(value, steps.split("."))
    return value


def _remove_path(value: Json, steps: Sequence[str]) -> Json:
    if not steps:
        return _REMOVED
    if isinstance(value, Mapping):
        items: list[tuple[Any, Any]] = list(cast("Mapping[str, Json]", value).items())
    elif isinstance(value, list):
        items = list(enumerate(cast("list[Json]", value)))
    else:
        return value
    updated = [(key, _remove_path(inner, steps[1:]) if steps[0] in ("*", str(key)) else inner) for key, inner in items]
    remaining = [(key, inner) for key, inner in updated if inner is not _REMOVED]
    return dict(remaining) if isinstance(value, Mapping) else [inner for _, inner in remaining]
