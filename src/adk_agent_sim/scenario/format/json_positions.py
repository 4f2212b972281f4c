"""Where in a JSON text a value stands. The text is read once, from left to right; only the wanted paths are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

JsonPath = tuple[str | int, ...]
"""The keys and places that lead to a value."""

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def format_path(path: JsonPath) -> str:
    """A path as people write it: `events[3].action.app`."""
    parts = (f"[{each}]" if isinstance(each, int) else f".{each}" for each in path)
    return "".join(parts).removeprefix(".") or "the file"


def find_line_numbers(text: str, paths: Iterable[JsonPath]) -> dict[JsonPath, int]:
    """The line of each path; of the nearest value around it, where the text has no such value."""
    wanted = set(paths)
    prefixes = {path[:length] for path in wanted for length in range(len(path) + 1)}
    scan = _JsonScanner(prefixes)
    for piece in _TOKEN.finditer(text):
        scan.feed(piece[0], piece.start())
    offsets = scan.offsets
    found = {path: next(path[:size] for size in range(len(path), -1, -1) if path[:size] in offsets) for path in wanted}
    lines = _count_lines(text, {offsets[path] for path in found.values()})
    return {path: lines[offsets[near]] for path, near in found.items()}


@dataclass
class _Container:
    path: JsonPath | None
    """None: nothing below is wanted."""
    next_key: str | int | None
    """Of the next value: its number or its key; None where a key comes first."""


class _JsonScanner:
    """Follows the pieces of a text, and notes where wanted values begin; those with a key begin at the key."""

    def __init__(self, wanted: set[JsonPath]) -> None:
        self.offsets: dict[JsonPath, int] = {(): 0}
        self._wanted = wanted
        self._open_containers: list[_Container] = []

    def feed(self, lexeme: str, start: int) -> None:
        """Take the next piece."""
        top = self._open_containers[-1] if self._open_containers else None
        if lexeme in "}]":
            del self._open_containers[-1:]
        elif lexeme == ",":
            if top is not None:
                top.next_key = top.next_key + 1 if isinstance(top.next_key, int) else None
        elif top is not None and top.next_key is None:
            top.next_key = "" if top.path is None else json.loads(lexeme)
            self._note_offset(top, start)
        elif lexeme != ":":
            path = self._note_offset(top, start)
            if lexeme in "{[":
                self._open_containers.append(_Container(path, None if lexeme == "{" else 0))

    def _note_offset(self, top: _Container | None, start: int) -> JsonPath | None:
        """The path of the value that begins here, if it or something below it is wanted."""
        if top is None:
            return ()
        if top.path is None or top.next_key is None or (path := (*top.path, top.next_key)) not in self._wanted:
            return None
        self.offsets.setdefault(path, start)
        return path


def _count_lines(text: str, offsets: set[int]) -> dict[int, int]:
    lines: dict[int, int] = {}
    line, before = 1, 0
    for offset in sorted(offsets):
        line += text.count("\n", before, offset)
        before = offset
        lines[offset] = line
    return lines
