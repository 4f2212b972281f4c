"""Where in a JSON text a value stands. The text is read once, from left to right; only the wanted paths are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

Path = tuple[str | int, ...]
"""The keys and places that lead to a value."""

_PIECE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def written(path: Path) -> str:
    """A path as people write it: `events[3].action.app`."""
    parts = (f"[{each}]" if isinstance(each, int) else f".{each}" for each in path)
    return "".join(parts).removeprefix(".") or "the file"


def line_numbers(text: str, paths: Iterable[Path]) -> dict[Path, int]:
    """The line of each path; of the nearest value around it, where the text has no such value."""
    wanted = set(paths)
    prefixes = {path[:length] for path in wanted for length in range(len(path) + 1)}
    scan = _Scan(prefixes)
    for piece in _PIECE.finditer(text):
        scan.take(piece[0], piece.start())
    offsets = scan.offsets
    found = {path: next(path[:size] for size in range(len(path), -1, -1) if path[:size] in offsets) for path in wanted}
    lines = _lines(text, {offsets[path] for path in found.values()})
    return {path: lines[offsets[near]] for path, near in found.items()}


@dataclass
class _Container:
    path: Path | None
    """None: nothing below is wanted."""
    place: str | int | None
    """Of the next value: its number or its key; None where a key comes first."""


class _Scan:
    """Follows the pieces of a text, and notes where wanted values begin; those with a key begin at the key."""

    def __init__(self, wanted: set[Path]) -> None:
        self.offsets: dict[Path, int] = {(): 0}
        self._wanted = wanted
        self._around: list[_Container] = []

    def take(self, piece: str, start: int) -> None:
        """Take the next piece."""
        top = self._around[-1] if self._around else None
        if piece in "}]":
            del self._around[-1:]
        elif piece == ",":
            if top is not None:
                top.place = top.place + 1 if isinstance(top.place, int) else None
        elif top is not None and top.place is None:
            top.place = "" if top.path is None else json.loads(piece)
            self._noted(top, start)
        elif piece != ":":
            path = self._noted(top, start)
            if piece in "{[":
                self._around.append(_Container(path, None if piece == "{" else 0))

    def _noted(self, top: _Container | None, start: int) -> Path | None:
        """The path of the value that begins here, if it or something below it is wanted."""
        if top is None:
            return ()
        if top.path is None or top.place is None or (path := (*top.path, top.place)) not in self._wanted:
            return None
        self.offsets.setdefault(path, start)
        return path


def _lines(text: str, offsets: set[int]) -> dict[int, int]:
    lines: dict[int, int] = {}
    line, before = 1, 0
    for offset in sorted(offsets):
        line += text.count("\n", before, offset)
        before = offset
        lines[offset] = line
    return lines
