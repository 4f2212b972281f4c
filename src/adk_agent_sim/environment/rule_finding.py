"""A problem in a rules file: its position, a message and advice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, TypeAlias

from adk_agent_sim.text.escaping import escape_line

KeyPath: TypeAlias = tuple[str | int, ...]
"""A position in the file: keys and indexes, from the root."""


@dataclass(frozen=True, kw_only=True)
class RuleFinding:
    """One problem."""

    code: str
    """The kind of problem; stable across versions."""

    key_path: KeyPath
    message: str
    advice: str
    severity: Literal["error", "warning"] = "error"
    file: str = ""
    line: int = 0
    """From 1; 0 if the rules do not come from a file."""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}: " if self.line else ""
        # Names in the file may contain control characters, which must not reach a terminal.
        return escape_line(f"{where}{self.severity}[{self.code}] {self.path}: {self.message}. {self.advice}.")

    @property
    def path(self) -> str:
        """The position as text, such as `rules[2].match.tool`."""
        text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.key_path)
        return text.removeprefix(".") or "the file"


def suggest_closest(word: str, known: Iterable[str], fallback: str) -> str:
    """Return advice that names the closest known word, or `fallback` with all known words."""
    candidates = sorted(known)
    closest = get_close_matches(word, candidates, n=1)
    if closest:
        return f"Write {closest[0]!r} instead"
    return f"{fallback}: {', '.join(candidates)}" if candidates else fallback
