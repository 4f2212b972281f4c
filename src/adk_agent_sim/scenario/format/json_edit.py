"""Changes of one value in a JSON text that leave every other character as it is.

Reading and writing a file would lose what values do not have: indentation, spaces, escapes and the form of numbers.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True)
class _Member:
    """A member of an object and its place in the text."""

    key: str
    key_start: int
    start: int
    end: int
    """The value is the text from `start` to `end`."""


def set_member(text: str, path: tuple[str, ...], value: Any) -> str:
    """Return a JSON text in which the member at a path of keys has this value; it is added if it is missing.

    Args:
        text: The JSON text; an object.
        path: The keys that lead to the member. Every object on the way must exist.
        value: The new value.

    Raises:
        KeyError: An object on the way does not exist.
    """
    opening, outer_indent = _SPACE.match(text).end(), ""  # pyright: ignore[reportOptionalMemberAccess]
    for key in path[:-1]:
        member = _find_member(_list_members(text, opening), key)
        if member is None or text[member.start] != "{":
            raise KeyError(key)
        opening, outer_indent = member.start, _get_indent(text, member.key_start)
    members = _list_members(text, opening)
    style = _MemberStyle(text, opening, members, outer_indent)
    if member := _find_member(members, path[-1]):
        return text[: member.start] + style.render(value) + text[member.end :]
    added = f"{json.dumps(path[-1])}{style.colon}{style.render(value)}"
    if not members:
        return text[: opening + 1] + added + text[opening + 1 :]
    end = members[-1].end
    return f"{text[:end]},{style.gap}{added}{text[end:]}"


class _MemberStyle:
    """How the members of an object are written."""

    def __init__(self, text: str, opening: int, members: list[_Member], outer_indent: str) -> None:
        last = members[-1] if members else None
        before = text.rindex(",", 0, last.key_start) if last and len(members) > 1 else opening
        self.gap = text[before + 1 : last.key_start] if last else ""
        after_key = text[last.key_start : last.start] if last else '": '
        self.colon = after_key[after_key.rindex('"') + 1 :]
        if len(members) == 1 and "\n" not in self.gap:
            self.gap = self.colon.removeprefix(":")  # there is no comma yet that would show the space after it
        # A file without other characters was probably written with escapes, and stays that way.
        self._escapes = text.isascii()
        self._line_break = "\r\n" if "\r\n" in self.gap else "\n"
        self._indent = self.gap.rpartition("\n")[2] if "\n" in self.gap else None
        self._unit = (self._indent or "").removeprefix(outer_indent) or "  "

    def render(self, value: Any) -> str:
        """Return the text of a value that is a member of the object."""
        if self._indent is None:
            separators = (", " if self.gap else ",", self.colon)
            return json.dumps(value, ensure_ascii=self._escapes, separators=separators)
        text = json.dumps(value, ensure_ascii=self._escapes, indent=self._unit, separators=(",", self.colon))
        return text.replace("\n", self._line_break + self._indent)


def _get_indent(text: str, start: int) -> str:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return line if not line.strip() else ""


def _find_member(members: list[_Member], key: str) -> _Member | None:
    return next((each for each in members if each.key == key), None)


def _list_members(text: str, opening: int) -> list[_Member]:
    """Return the members of the object that starts at `opening`."""
    members: list[_Member] = []
    depth, key, value_start, end = 0, None, None, opening
    for piece in _TOKEN.finditer(text, opening):
        lexeme = piece[0]
        closes = lexeme in ("}", "]")
        if depth == 1 and (closes or lexeme == ","):
            if key is not None and value_start is not None:
                members.append(_Member(json.loads(key[0]), key.start(), value_start, end))
            key, value_start = None, None
        elif depth == 1 and key is None:
            key = piece
        elif depth == 1 and value_start is None and lexeme != ":":
            value_start = piece.start()
        depth += (lexeme in ("{", "[")) - closes
        end = piece.end()
        if depth == 0:
            break
    return members
