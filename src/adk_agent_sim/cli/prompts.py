"""Where the terminal's lines come from: a keyboard, or a script that shows what a person would type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import Protocol

import click

from adk_agent_sim.cli.interrupts import interruptible_input

try:
    import readline

    _readline: ModuleType | None = readline
except ImportError:  # Windows has none: lines are then not edited or completed, all else works
    _readline = None


_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Prompts(Protocol):
    """Gives the lines that a person types."""

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """The next line, with `words` to complete; EOFError when there is none."""
        ...


class KeyboardPrompts:
    """A person at the terminal: lines can be edited, called back, and completed with Tab."""

    def __init__(self) -> None:
        if _readline is not None:
            _readline.set_completer_delims(" ")
            _readline.parse_and_bind("tab: complete")

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """Read a line. Nothing else runs meanwhile, so the loop may wait; Ctrl-C interrupts at once."""
        if _readline is not None:
            _readline.set_completer(make_completer(words))
            prompt = _COLOUR.sub(
                lambda colour: f"\x01{colour[0]}\x02", prompt
            )  # else readline counts the colours as letters
        return interruptible_input(prompt)


class ScriptedPrompts:
    """Lines written beforehand, shown as if typed."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines: Iterator[str] = iter(lines)

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """Show and give the next line."""
        line = next(self._lines, None)
        if line is None:
            raise EOFError
        click.echo(f"{prompt}{click.style(line, bold=True)}")
        return line


def make_completer(words: Sequence[str]) -> Callable[[str, int], str | None]:
    """Offers the words that begin with what was typed, one by one, as readline asks for them."""

    def complete(prefix: str, index: int) -> str | None:
        found = [word for word in words if word.startswith(prefix)]
        return found[index] if index < len(found) else None

    return complete
