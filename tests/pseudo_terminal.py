"""A pseudo-terminal in which a test plays as a person does."""

from __future__ import annotations

import os
import pty
import re
import select
import signal

from polling import MAX_WAIT_SECONDS
from processes import open_adksim


class Terminal:
    """A pseudo-terminal: types lines and reads the output."""

    def __init__(self, *arguments: str) -> None:
        self._fd, child = pty.openpty()
        self.process = open_adksim(*arguments, terminal=child)
        os.close(child)
        self.seen = ""
        self._unread = ""

    def type(self, line: str) -> None:
        os.write(self._fd, f"{line}\n".encode())

    def press(self, key: bytes) -> None:
        os.write(self._fd, key)

    def read_until(self, pattern: str) -> str:
        """Returns the output up to `pattern`, from where the last read ended."""
        output = self._unread
        while not (match := re.search(pattern, output)):
            ready, _, _ = select.select([self._fd], [], [], MAX_WAIT_SECONDS)
            assert ready, f"{pattern!r} was not shown; shown: {self.seen[-2_000:]}"
            try:
                piece = os.read(self._fd, 65_536).decode(errors="replace")
            except OSError as closed:
                raise AssertionError(f"{pattern!r} was not shown before the end: {self.seen[-2_000:]}") from closed
            output += piece
            self.seen += piece
        self._unread = output[match.end() :]
        return output[: match.end()]

    def start_turn(self, message: str) -> None:
        """Say something as the user, and wait until the model is asked."""
        self.read_until("user> ")
        self.type(message)
        self.read_until("model of math_agent> ")

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def wait(self) -> int:
        return self.process.wait(MAX_WAIT_SECONDS)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._fd)
