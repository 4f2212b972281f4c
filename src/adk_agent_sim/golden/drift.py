"""Compares what tools answer now with what a golden trace recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from google.genai import types

from adk_agent_sim.timeline.canonical_json import Json

_REMOVED = object()


@dataclass(frozen=True, kw_only=True)
class Drift:
    """A call that is answered otherwise than recorded."""

    place: int
    """The number of the call in its user turn, from 1."""

    tool_name: str
    arguments: Mapping[str, Json]

    recorded: Json
    """What the model got when it was recorded, less what is ignored."""

    found: Json
    """What it gets now; None if the call was not answered."""


def find_drifts(
    calls: Sequence[types.FunctionCall],
    recorded: Sequence[types.FunctionResponse],
    current: Sequence[Json],
    ignore: Sequence[str] = (),
) -> Iterator[Drift]:
    """The calls of a user turn whose answers differ.

    Args:
        uses: The recorded calls.
        recorded: The recorded answers, joined to the calls by id.
        found: The answers now, in the order of the calls.
        ignore: Paths whose values may differ, as `result.time`, `*.id` or `search:items.*.score`.
    """
    answers = {answer.id: answer.response for answer in recorded}
    for place, use in enumerate(calls):
        paths = [path for path in map(_parse_ignore_path, ignore) if path[0] in ("", use.name)]
        before = _remove_paths(answers.get(use.id), paths)
        after = _remove_paths(current[place] if place < len(current) else None, paths)
        if use.id in answers and before != after:
            yield Drift(
                place=place + 1,
                tool_name=use.name or "",
                arguments=use.args or {},
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
    """The value less what is at the path; `*` stands for every key and every place."""
    if not steps:
        return _REMOVED
    if isinstance(value, Mapping):
        items: list[tuple[Any, Any]] = list(cast("Mapping[str, Json]", value).items())
    elif isinstance(value, list):
        items = list(enumerate(cast("list[Json]", value)))
    else:
        return value
    kept = [(key, _remove_path(inner, steps[1:]) if steps[0] in ("*", str(key)) else inner) for key, inner in items]
    left = [(key, inner) for key, inner in kept if inner is not _REMOVED]
    return dict(left) if isinstance(value, Mapping) else [inner for _, inner in left]
