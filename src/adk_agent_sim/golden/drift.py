"""Compares the current results of tools with those of a golden trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from google.genai import types

from adk_agent_sim.timeline.canonical_json import Json

_REMOVED = object()


@dataclass(frozen=True, kw_only=True)
class Drift:
    """A call whose result differs from the recorded one."""

    place: int
    """The number of the call in its user turn, from 1."""

    tool_name: str
    arguments: Mapping[str, Json]

    recorded: Json
    """The recorded result, without ignored values."""

    found: Json
    """The current result; None if the call has none."""


def find_drifts(
    calls: Sequence[types.FunctionCall],
    recorded: Sequence[types.FunctionResponse],
    current: Sequence[Json],
    ignore: Sequence[str] = (),
) -> Iterator[Drift]:
    """Yield the calls of a user turn whose results differ.

    Args:
        calls: The recorded calls.
        recorded: The recorded results, which refer to the calls by id.
        current: The current results, in the order of the calls.
        ignore: Paths whose values may differ, such as `result.time`, `*.id` or `search:items.*.score`.
    """
    answers = {answer.id: answer.response for answer in recorded}
    for place, call in enumerate(calls):
        paths = [path for path in map(_parse_ignore_path, ignore) if path[0] in ("", call.name)]
        before = _remove_paths(answers.get(call.id), paths)
        after = _remove_paths(current[place] if place < len(current) else None, paths)
        if call.id in answers and before != after:
            yield Drift(
                place=place + 1,
                tool_name=call.name or "",
                arguments=call.args or {},
                recorded=before,
                found=after,
            )


def _parse_ignore_path(text: str) -> tuple[str, Sequence[str]]:
    tool_name, colon, path = text.rpartition(":")
    return (tool_name if colon else ""), path.split(".")


def _remove_paths(value: Json, paths: Sequence[tuple[str, Sequence[str]]]) -> Json:
    for _, steps in paths:
        value = _remove_path(value, steps)
    return value


def _remove_path(value: Json, steps: Sequence[str]) -> Json:
    """Return the value without what is at the path; `*` matches every key and every index."""
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
