"""Lets a command that Ctrl-C stops cleanly be stopped by SIGTERM too, as by `kill`, systemd or a CI server."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def interrupt_on_termination() -> Generator[None]:
    """Raise KeyboardInterrupt in the block when the process gets SIGTERM."""
    # Python lets only the main thread set signal handlers.
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
