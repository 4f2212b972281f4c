"""Short names for the values of an axis: an agent's folder or a rules file, with as much of its path as is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from adk_agent_sim.errors import InvalidBench

NO_RULES = "none"
"""The value of the axis of rules for runs without any, to compare with those that have some."""


def label_paths(axis: str, paths: Sequence[str], *, words: frozenset[str] = frozenset()) -> Mapping[str, str]:
    """Return a label for each path: its last name, or more of it where two paths end alike.

    Args:
        axis: What the paths are, for the error.
        paths: The paths.
        words: Values that are no paths, such as `default`, and label themselves.

    Raises:
        InvalidBench: Two paths denote the same.
    """
    parts = {path: (path,) if path in words else Path(path).resolve().parts for path in paths}
    check_unique(axis, [str(Path(*each)) for each in parts.values()] if len(parts) == len(paths) else paths)
    labels: dict[str, str] = {}
    for path, own in parts.items():
        # Paths are unique, so at the latest the whole path tells one from the others.
        length = next(
            size
            for size in range(1, len(own) + 1)
            if Counter(each[-size:] for each in parts.values())[own[-size:]] == 1
        )
        labels[path] = "/".join(own[-length:])
    return labels


def check_unique(axis: str, values: Sequence[object]) -> None:
    """Raise InvalidBench if an axis has a value twice, whose runs would be the same."""
    for value, count in Counter(values).items():
        if count > 1:
            raise InvalidBench(f"The {axis} {value} is given {count} times: give it once, and --runs for more runs.")
