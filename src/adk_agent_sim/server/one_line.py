"""Any JSON value in one short line, whatever its size: a row of the timeline shows no more."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from adk_agent_sim.timeline.canonical import Json

LONGEST = 300
"""How many characters a line has."""

UNSEEN = "\ufffd"
"""Stands where a character stood that could make a line read otherwise than it is."""

_WORD = re.compile(r"[^\s\"'=\[\]{},]+")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


_written = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps would make an encoder for every value


def text_line(text: str) -> str:
    """A text in one line."""
    return _cut(" ".join(text[: LONGEST * 4].split()))


def value_line(value: Json) -> str:
    """A value as JSON; a text as it is."""
    return text_line(value) if isinstance(value, str) else _cut(_joined(_pieces(value)))


def arguments_line(arguments: Mapping[str, Json]) -> str:
    """The arguments of a call, as `a=2 b="two words"`."""
    return _cut(_joined(_arguments(arguments)))


def _arguments(arguments: Mapping[str, Json]) -> Iterator[str]:
    for place, (name, value) in enumerate(arguments.items()):
        yield f"{' ' if place else ''}{name[:LONGEST]}="
        if isinstance(value, str) and len(value) <= LONGEST and _WORD.fullmatch(value):
            yield value
        else:
            yield from _pieces(value)


def _pieces(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield "{"
        for place, (key, inner) in enumerate(cast("Mapping[str, Json]", value).items()):
            yield f"{', ' if place else ''}{_quoted(key)}: "
            yield from _pieces(inner)
        yield "}"
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield "["
        for place, inner in enumerate(cast("Sequence[Json]", value)):
            yield ", " if place else ""
            yield from _pieces(inner)
        yield "]"
    else:
        yield _quoted(value) if isinstance(value, str) else _written(value)


def _quoted(text: str) -> str:
    return _written(text[: LONGEST + 1])


def _joined(pieces: Iterator[str]) -> str:
    """The beginning: enough of the pieces to be cut."""
    found: list[str] = []
    length = 0
    for piece in pieces:
        found.append(piece)
        length += len(piece)
        if length > LONGEST:
            break
    return "".join(found)


def _cut(line: str) -> str:
    line = _UNSEEN.sub(UNSEEN, line)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}\u2026"
