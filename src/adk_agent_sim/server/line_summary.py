"""Any JSON value in one short line, whatever its size: a row of the timeline shows no more."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from adk_agent_sim.timeline.canonical_json import Json

MAX_LINE_LENGTH = 300
"""How many characters a line has."""

REPLACEMENT_CHARACTER = "\ufffd"
"""Stands where a character stood that could make a line read otherwise than it is."""

_UNQUOTED_WORD = re.compile(r"[^\s\"'=\[\]{},]+")
_UNSAFE_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


_encode_json = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps would make an encoder for every value


def summarize_text(text: str) -> str:
    """A text in one line."""
    return _truncate(" ".join(text[: MAX_LINE_LENGTH * 4].split()))


def summarize_value(value: Json) -> str:
    """A value as JSON; a text as it is."""
    return summarize_text(value) if isinstance(value, str) else _truncate(_join_prefix(_iter_json_pieces(value)))


def summarize_arguments(arguments: Mapping[str, Json]) -> str:
    """The arguments of a call, as `a=2 b="two words"`."""
    return _truncate(_join_prefix(_iter_argument_pieces(arguments)))


def _iter_argument_pieces(arguments: Mapping[str, Json]) -> Iterator[str]:
    for place, (name, value) in enumerate(arguments.items()):
        yield f"{' ' if place else ''}{name[:MAX_LINE_LENGTH]}="
        if isinstance(value, str) and len(value) <= MAX_LINE_LENGTH and _UNQUOTED_WORD.fullmatch(value):
            yield value
        else:
            yield from _iter_json_pieces(value)


def _iter_json_pieces(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield "{"
        for place, (key, inner) in enumerate(cast("Mapping[str, Json]", value).items()):
            yield f"{', ' if place else ''}{_quote(key)}: "
            yield from _iter_json_pieces(inner)
        yield "}"
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield "["
        for place, inner in enumerate(cast("Sequence[Json]", value)):
            yield ", " if place else ""
            yield from _iter_json_pieces(inner)
        yield "]"
    else:
        yield _quote(value) if isinstance(value, str) else _encode_json(value)


def _quote(text: str) -> str:
    return _encode_json(text[: MAX_LINE_LENGTH + 1])


def _join_prefix(pieces: Iterator[str]) -> str:
    """The beginning: enough of the pieces to be cut."""
    found: list[str] = []
    length = 0
    for piece in pieces:
        found.append(piece)
        length += len(piece)
        if length > MAX_LINE_LENGTH:
            break
    return "".join(found)


def _truncate(line: str) -> str:
    line = _UNSAFE_CHARACTERS.sub(REPLACEMENT_CHARACTER, line)
    return line if len(line) <= MAX_LINE_LENGTH else f"{line[: MAX_LINE_LENGTH - 1]}\u2026"
