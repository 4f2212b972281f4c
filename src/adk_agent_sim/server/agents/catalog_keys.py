"""Keys by which the web API addresses the agents and scenarios of this server."""

from __future__ import annotations

from collections.abc import Container


def find_free_key(wanted: str, taken: Container[str]) -> str:
    """Return `wanted`, or the first of `wanted_2`, `wanted_3`, ... that is not taken."""
    key, number = wanted, 1
    while key in taken:
        number += 1
        key = f"{wanted}_{number}"
    return key
