"""Where the terminal's lines come from: a keyboard, or a script that shows what a person would type."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator
from typing import Protocol

import click


class Prompts(Protocol):
    """Gives the lines that a person types."""

    def ask(self, prompt: str) -> str:
        """The next line; EOFError when there is none."""
        ...


class Keyboard:
    """A person at the terminal."""

    def ask(self, prompt: str) -> str:
        """Read a line. Nothing else runs meanwhile, so the loop may wait; Ctrl-C interrupts at once."""
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return input(prompt)
        finally:
            signal.signal(signal.SIGINT, before)


class Script:
    """Lines written beforehand, shown as if typed."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines: Iterator[str] = iter(lines)

    def ask(self, prompt: str) -> str:
        """Show and give the next line."""
        line = next(self._lines, None)
        if line is None:
            raise EOFError
        click.echo(f"{prompt}{click.style(line, bold=True)}")
        return line
