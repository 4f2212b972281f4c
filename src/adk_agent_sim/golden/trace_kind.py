"""Which kind of golden trace a file is, told by its content alone and without ADK, which takes seconds to import."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

TraceKind: TypeAlias = Literal["evalset", "session", "timeline"]


def detect_trace_kind(path: Path) -> TraceKind | None:
    """What the file is; None if it is something else or cannot be read."""
    keys = _read_top_level_keys(path)
    if keys & {"eval_cases", "evalCases"}:
        return "evalset"
    if "events" in keys and keys & {"app_name", "appName"}:
        return "session"
    return "timeline" if "format" in keys else None


def _read_top_level_keys(path: Path) -> set[str]:
    """The keys at the top of a file, in JSON Lines those of the first line."""
    try:
        content = path.read_bytes()
        value = json.loads(content.partition(b"\n")[0] if path.suffix == ".jsonl" else content)
    except (OSError, ValueError, RecursionError):
        return set()
    return set(cast("dict[str, Any]", value)) if isinstance(value, dict) else set()
