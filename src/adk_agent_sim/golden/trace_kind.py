"""Detects which kind of golden trace a file is, without importing ADK, which takes seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from adk_agent_sim.golden.export_formats import EXPORT_FORMATS
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

TraceKind: TypeAlias = Literal["evalset", "session", "timeline", "cassette"]


_OLD_EVAL_SET_KEYS = frozenset({"[].query", "[].data"})
"""A key of the first item of EvalSets before ADK 1.0, which are lists."""


def detect_trace_kind(path: Path) -> TraceKind | None:
    """Return the kind of the file; None if it is something else or cannot be read."""
    keys = _read_top_level_keys(path)
    if keys & {"eval_cases", "evalCases"} or keys & _OLD_EVAL_SET_KEYS:
        return "evalset"
    if "events" in keys and keys & {"app_name", "appName"}:
        return "session"
    if {"format", "sessions"} <= keys:
        return "cassette"
    return "timeline" if "format" in keys else None


def _read_top_level_keys(path: Path) -> set[str]:
    """Return the top-level keys of a JSON file, or of the first line of a JSON Lines file.

    The keys of a list are those of its first item, preceded by `[].`.
    """
    try:
        content = path.read_bytes()
        value = parse_json(content.partition(b"\n")[0] if path.suffix == EXPORT_FORMATS["jsonl"].extension else content)
    except (OSError, InvalidJson):
        return set()
    if isinstance(value, list):
        items = cast("list[Any]", value)
        first = cast("dict[str, Any]", items[0]) if items and isinstance(items[0], dict) else {}
        return {f"[].{key}" for key in first}
    return set(cast("dict[str, Any]", value)) if isinstance(value, dict) else set()
