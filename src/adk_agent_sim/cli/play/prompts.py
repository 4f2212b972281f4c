"""The sources of input lines for terminal sessions: the keyboard, or prepared lines."""

from __future__ import annotations

import re
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from getpass import getpass
from types import FrameType, ModuleType
from typing import Protocol

from adk_agent_sim.text.escaping import UNSAFE_CHARACTER
from adk_agent_sim.text.terminal_output import TerminalText, print_line, style

_RESEND_AFTER_SECONDS = 0.02


def interruptible_input(prompt: str) -> str:
    """Read a line in the main thread; raise KeyboardInterrupt as soon as Ctrl-C is pressed."""
    interrupt = _Interrupt()
    before = signal.signal(signal.SIGINT, interrupt.handle)
    try:
        with interrupt:
            return input(prompt)
    finally:
        signal.signal(signal.SIGINT, before)


class _Interrupt:
    """Raises one Ctrl-C exactly once, wherever the main thread is inside the block.

    readline checks for a signal only when the signal interrupts its wait for keys. One that arrives just before the
    wait is noticed with the next key press only. A thread, which Python wakes at every signal, therefore resends it
    until it is noticed:

        Ctrl-C --> Python's own handler --> wake-up socket --> thread: SIGINT again, until --> KeyboardInterrupt
    """

    def __init__(self) -> None:
        self._noticed = threading.Event()
        self._ended = threading.Event()
        self._woken, self._waker = socket.socketpair()
        self._waker.setblocking(False)
        self._thread = threading.Thread(target=self._resend_until_noticed, args=(threading.get_ident(),), daemon=True)
        self._wakeup_before = -1

    def handle(self, _signal: int, _frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt in the main thread; while the block ends, leave that to `__exit__`."""
        if not self._noticed.is_set():
            self._noticed.set()
            if not self._ended.is_set():
                raise KeyboardInterrupt

    def __enter__(self) -> None:
        self._thread.start()
        self._wakeup_before = signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)

    def __exit__(self, raised: type[BaseException] | None, *_: object) -> None:
        self._ended.set()
        # Before the socket is closed: a signal in between would be written to a descriptor that is closed.
        signal.set_wakeup_fd(self._wakeup_before)
        # Closing this end lets `recv` in the thread return nothing, which ends it.
        self._waker.close()
        self._thread.join()
        self._woken.close()
        if raised is None and self._noticed.is_set():
            raise KeyboardInterrupt

    def _resend_until_noticed(self, main_thread: int) -> None:
        while signals := self._woken.recv(64):
            while signal.SIGINT in signals and not (self._noticed.wait(_RESEND_AFTER_SECONDS) or self._ended.is_set()):
                if hasattr(signal, "pthread_kill"):
                    signal.pthread_kill(main_thread, signal.SIGINT)


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
