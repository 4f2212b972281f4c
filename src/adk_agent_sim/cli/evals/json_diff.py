"""Formats the difference between two JSON values."""

from __future__ import annotations

import json
from difflib import unified_diff

from adk_agent_sim.timeline.canonical_json import Json


def format_diff(expected: Json, actual: Json, *, labels: tuple[str, str] = ("expected", "found")) -> str:
    """Return the difference line by line, in the format of `diff -u`."""
    before, after = (json.dumps(side, indent=2, ensure_ascii=False).split("\n") for side in (expected, actual))
    return "\n".join(unified_diff(before, after, *labels, lineterm=""))
