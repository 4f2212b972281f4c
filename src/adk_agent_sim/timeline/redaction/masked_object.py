"""Builds objects whose keys may have been masked, without losing an entry."""

from __future__ import annotations

from collections.abc import Iterable

from adk_agent_sim.timeline.canonical_json import Json


def build_masked_object(entries: Iterable[tuple[str, Json]]) -> dict[str, Json]:
    """Return an object of these entries; keys that masking has made equal are numbered."""
    built: dict[str, Json] = {}
    numbers: dict[str, int] = {}
    for key, value in entries:
        unique = key
        while unique in built:
            # The number is kept: to count from 1 again for each key would be quadratic.
            numbers[key] = numbers.get(key, 1) + 1
            unique = f"{key} {numbers[key]}"
        built[unique] = value
    return built
