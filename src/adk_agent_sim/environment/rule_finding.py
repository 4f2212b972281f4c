"""What a check finds in rules: where it is, what is wrong, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]
"""Where in the file: keys and numbers, from the top."""


@dataclass(frozen=True, kw_only=True)
class RuleFinding:
    """One thing that is wrong."""

    code: str
    """The kind of thing, the same in all versions."""

    key_path: KeyPath
    message: str
    advice: str
    severity: Literal["error", "warning"] = "error"
    file: str = ""
    line: int = 0
    """Counted from 1; 0 where the rules are no file."""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}: " if self.line else ""
        text = f"{where}{self.severity}[{self.code}] {self.path}: {self.message}. {self.advice}."
        return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)

    @property
    def path(self) -> str:
        """The place as people write it: `rules[2].match.tool`."""
        text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.key_path)
        return text.removeprefix(".") or "the file"


def format_findings(findings: Iterable[RuleFinding]) -> list[str]:
    """The findings as lines."""
    return [str(finding) for finding in findings]


def suggest_closest(word: str, known: Iterable[str], fallback: str) -> str:
    """Advice: the known word that was probably meant."""
    candidates = sorted(known)
    near = get_close_matches(word, candidates, n=1)
    if near:
        return f"Write {near[0]!r} if that was meant"
    return f"{fallback}: {', '.join(candidates)}" if candidates else fallback
