"""The sources of input lines for terminal sessions: the keyboard, or prepared lines."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from getpass import getpass
from types import ModuleType
from typing import Protocol

from adk_agent_sim.cli.play.interrupts import interruptible_input
from adk_agent_sim.text.escaping import UNSAFE_CHARACTER
from adk_agent_sim.text.terminal_output import TerminalText, print_line, style

try:
    import readline

    _readline: ModuleType | None = readline
except ImportError:  # Windows has no readline: input works, but without line editing and completion
    _readline = None


_COLOR_CODE = re.compile(r"\x1b\[[0-9;]*m")


class Prompts(Protocol):
    """Returns the lines that a person types."""

    @property
    def is_interactive(self) -> bool:
        """Whether a person reads each prompt before the line is typed."""
        ...

    def ask(self, prompt: TerminalText, words: Sequence[str] = ()) -> str:
        """Return the next line. Tab completes `words`.

        Raises:
            EOFError: There are no more lines.
        """
        ...

    def ask_secret(self, prompt: TerminalText) -> str:
        """Return the next line, which is neither shown nor kept in a history.

        Raises:
            EOFError: There are no more lines.
        """
        ...


class KeyboardPrompts:
    """Reads from the terminal, with line editing, history and Tab completion."""

    def __init__(self) -> None:
        if _readline is not None:
            _readline.set_completer_delims(" ")
            _readline.parse_and_bind("tab: complete")

    @property
    def is_interactive(self) -> bool:
        """Whether the lines come from a terminal, and not from a pipe or a file."""
        return sys.stdin.isatty()

    def ask(self, prompt: TerminalText, words: Sequence[str] = ()) -> str:
        """Read a line. Blocks the event loop, which has nothing else to do while a person types."""
        if _readline is not None:
            _readline.set_completer(make_completer(words))
            # Without these marks readline counts colour codes as visible characters and wraps the line too early.
            return interruptible_input(_COLOR_CODE.sub(lambda code: f"\x01{code[0]}\x02", prompt))
        return interruptible_input(prompt)

    def ask_secret(self, prompt: TerminalText) -> str:
        """Read a line without showing it; readline, which keeps a history, has no part in it."""
        return getpass(prompt)


class ScriptedPrompts:
    """Returns prepared lines and echoes them as if they were typed."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines: Iterator[str] = iter(lines)

    @property
    def is_interactive(self) -> bool:
        """Nobody reads the prompts."""
        return False

    def ask(self, prompt: TerminalText, words: Sequence[str] = ()) -> str:
        """Print and return the next line."""
        line = next(self._lines, None)
        if line is None:
            raise EOFError
        print_line(prompt, style(line, bold=True))
        return line

    def ask_secret(self, prompt: TerminalText) -> str:
        """Return the next line without printing it."""
        line = next(self._lines, None)
        if line is None:
            raise EOFError
        print_line(prompt)
        return line


def make_completer(words: Sequence[str]) -> Callable[[str, int], str | None]:
    """Return a readline completer: called with 0, 1, 2, ..., it returns the matching words one by one, then None.

    Words that readline could not print as they are, such as tools with control characters in their names, are left out.
    """

    def complete(prefix: str, index: int) -> str | None:
        matches = [word for word in words if word.startswith(prefix) and not UNSAFE_CHARACTER.search(word)]
        return matches[index] if index < len(matches) else None

    return complete
