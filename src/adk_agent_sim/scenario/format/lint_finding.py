"""Findings of the linter, and positions of values in a JSON text: it is scanned once, for requested paths only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pydantic import ConfigDict, computed_field

from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.timeline.record import FrozenRecord

JsonPath = tuple[str | int, ...]
"""The keys and positions that lead to a value."""

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


_TEXT_MEMBER = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"\s*:\s*"')
"""A key of an object and the start of the text that is its value."""

_TEXT_PIECE = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|[^\\]+")
"""A part of a text in JSON: an escape, which is one character, or characters that stand for themselves."""


def format_path(path: JsonPath) -> str:
    """Return a path in readable form, such as `events[3].action.app`."""
    parts = (f"[{each}]" if isinstance(each, int) else f".{each}" for each in path)
    return "".join(parts).removeprefix(".") or "the file"


def find_offsets(text: str, paths: Iterable[JsonPath]) -> dict[JsonPath, int]:
    """Return where in the text each path starts, or the nearest enclosing value if the path does not exist."""
    wanted = set(paths)
    prefixes = {path[:length] for path in wanted for length in range(len(path) + 1)}
    scan = _JsonScanner(prefixes)
    for piece in _TOKEN.finditer(text):
        scan.feed(piece[0], piece.start())
    offsets = scan.offsets
    found = {path: next(path[:size] for size in range(len(path), -1, -1) if path[:size] in offsets) for path in wanted}
    return {path: offsets[near] for path, near in found.items()}


def find_escaped_offset(row: str, key: str, offset: int) -> int:
    """Return where in a row, which is a JSON object, the character of a text under a key is written.

    Args:
        row: The JSON text of the object.
        key: The key of the text.
        offset: The position of the character in the text.
    """
    start = find_offsets(row, [(key,)])[(key,)]
    opening = _TEXT_MEMBER.match(row, start)
    if opening is None:
        return start
    for piece in _TEXT_PIECE.finditer(row, opening.end()):
        size = 1 if piece[0].startswith("\\") else len(piece[0])
        if offset < size:
            return piece.start() + (offset if size > 1 else 0)
        offset -= size
    return start


@dataclass
class _Container:
    path: JsonPath | None
    """None if nothing below it is requested."""
    next_key: str | int | None
    """The index or key of the next value; None in an object before a key."""


class _JsonScanner:
    """Tracks the tokens of a text and notes where requested values start. Values of an object start at their key."""

    def __init__(self, wanted: set[JsonPath]) -> None:
        self.offsets: dict[JsonPath, int] = {(): 0}
        self._wanted = wanted
        self._open_containers: list[_Container] = []

    def feed(self, lexeme: str, start: int) -> None:
        """Process the next token."""
        top = self._open_containers[-1] if self._open_containers else None
        if lexeme in "}]":
            del self._open_containers[-1:]
        elif lexeme == ",":
            if top is not None:
                top.next_key = top.next_key + 1 if isinstance(top.next_key, int) else None
        elif top is not None and top.next_key is None:
            # Keys are decoded only where something below is requested; elsewhere any text will do.
            top.next_key = "" if top.path is None else json.loads(lexeme)
            self._note_offset(top, start)
        elif lexeme != ":":
            path = self._note_offset(top, start)
            if lexeme in "{[":
                self._open_containers.append(_Container(path, None if lexeme == "{" else 0))

    def _note_offset(self, top: _Container | None, start: int) -> JsonPath | None:
        """Note and return the path of the value that starts here, if it or something below it is requested."""
        if top is None:
            return ()
        if top.path is None or top.next_key is None or (path := (*top.path, top.next_key)) not in self._wanted:
            return None
        self.offsets.setdefault(path, start)
        return path


def count_lines(text: str, offsets: set[int]) -> dict[int, int]:
    """Return the line of each offset, from 1."""
    lines: dict[int, int] = {}
    line, before = 1, 0
    for offset in sorted(offsets):
        line += text.count("\n", before, offset)
        before = offset
        lines[offset] = line
    return lines


Severity = Literal["error", "warning"]

_EVENT_PATH = re.compile(r"events\[(\d+)\]")


@dataclass(frozen=True, kw_only=True)
class LintFinding:
    """One problem of a scenario."""

    code: str
    """The kind of problem; stable across versions."""

    path: JsonPath

    message: str
    """What is wrong."""

    advice: str
    """How to fix it."""

    severity: Severity = "error"


class LocatedFinding(FrozenRecord):
    """A finding with its position in the file."""

    model_config = ConfigDict(extra="ignore")

    file: str
    line: int
    column: int | None = None
    """None if the file has several lines, so that the line is enough to find it."""
    path: str
    """The path in the file, such as `events[3].action.app`."""
    code: str
    severity: Severity
    message: str
    advice: str

    @computed_field
    @property
    def event_index(self) -> int | None:
        """The position in the file of the event that it is about; None if it is about none."""
        about_event = _EVENT_PATH.match(self.path)
        return int(about_event[1]) if about_event else None

    def __str__(self) -> str:
        place = f"{self.line}" if self.column is None else f"{self.line}:{self.column}"
        where = f"{self.file}:{place}: {self.severity}[{self.code}]"
        return escape_line(f"{where} {self.path}: {self.message}. {self.advice}.")
