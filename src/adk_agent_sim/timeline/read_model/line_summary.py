"""One-line summaries of texts, JSON values and call arguments, for the rows of the timeline.

The cost does not depend on the size of the value: only the beginning is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from adk_agent_sim.text.escaping import UNSAFE_CHARACTER
from adk_agent_sim.timeline.canonical_json import Json

MAX_LINE_LENGTH = 300
"""The length at which a line is cut."""

REPLACEMENT_CHARACTER = "\ufffd"
"""Replaces control characters and those that change the writing direction: they could make a line misleading."""

_UNQUOTED_WORD = re.compile(r"[^\s\"'=\[\]{},]+")


_encode_json = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps would create an encoder per value


def summarize_text(text: str) -> str:
    """Return the beginning of a text in one line."""
    # Spaces and line breaks are joined to one space, so more than one line is read.
    return _truncate(" ".join(text[: MAX_LINE_LENGTH * 4].split()))


def summarize_value(value: Json) -> str:
    """Return a value as JSON in one line; a string without quotes."""
    return summarize_text(value) if isinstance(value, str) else _truncate(_join_prefix(_iter_json_pieces(value)))


def summarize_arguments(arguments: Mapping[str, Json]) -> str:
    """Return the arguments of a call in one line, such as `a=2 b="two words"`."""
    return _truncate(_join_prefix(_iter_argument_pieces(arguments)))


def _iter_argument_pieces(arguments: Mapping[str, Json]) -> Iterator[str]:
    for index, (name, value) in enumerate(arguments.items()):
        yield f"{' ' if index else ''}{name[:MAX_LINE_LENGTH]}="
        if isinstance(value, str) and len(value) <= MAX_LINE_LENGTH and _UNQUOTED_WORD.fullmatch(value):
            yield value
        else:
            yield from _iter_json_pieces(value)


def _iter_json_pieces(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield "{"
        for index, (key, inner) in enumerate(cast("Mapping[str, Json]", value).items()):
            yield f"{', ' if index else ''}{_quote(key)}: "
            yield from _iter_json_pieces(inner)
        yield "}"
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield "["
        for index, inner in enumerate(cast("Sequence[Json]", value)):
            yield ", " if index else ""
            yield from _iter_json_pieces(inner)
        yield "]"
    else:
        yield _quote(value) if isinstance(value, str) else _encode_json(value)


def _quote(text: str) -> str:
    return _encode_json(text[: MAX_LINE_LENGTH + 1])


def _join_prefix(pieces: Iterator[str]) -> str:
    """Return the pieces joined, up to just over the length at which a line is cut."""
    taken: list[str] = []
    length = 0
    for piece in pieces:
        taken.append(piece)
        length += len(piece)
        if length > MAX_LINE_LENGTH:
            break
    return "".join(taken)


def _truncate(line: str) -> str:
    line = UNSAFE_CHARACTER.sub(REPLACEMENT_CHARACTER, line)
    return line if len(line) <= MAX_LINE_LENGTH else f"{line[: MAX_LINE_LENGTH - 1]}\u2026"
