"""`input` that one Ctrl-C always interrupts.

readline looks for a signal only when that signal interrupts its wait for keys. One that comes just before the wait is
noticed with the next key, or the next Ctrl-C. So a thread, which Python wakes at every signal, sends it again until it
is noticed:

    Ctrl-C --> Python's own handler --> wake-up socket --> thread: SIGINT again, until --> KeyboardInterrupt in `input`
"""

from __future__ import annotations

import signal
import socket
import threading
from types import FrameType

_AGAIN_AFTER = 0.02


def interruptible_input(prompt: str) -> str:
    """Read a line, in the main thread. KeyboardInterrupt as soon as Ctrl-C is pressed."""
    interrupt = _Interrupt()
    before = signal.signal(signal.SIGINT, interrupt.handle)
    try:
        with interrupt:
            return input(prompt)
    finally:
        signal.signal(signal.SIGINT, before)


class _Interrupt:
    """One Ctrl-C: raised once, wherever the main thread is inside the block."""

    def __init__(self) -> None:
        self._noticed = threading.Event()
        self._ended = threading.Event()
        self._woken, self._waker = socket.socketpair()
        self._waker.setblocking(False)
        self._thread = threading.Thread(target=self._insist, args=(threading.get_ident(),), daemon=True)
        self._wakeup_before = -1

    def handle(self, _signal: int, _frame: FrameType | None) -> None:
        """Raise it in the main thread, but not while the block ends: then `__exit__` does."""
        if not self._noticed.is_set():
            self._noticed.set()
            if not self._ended.is_set():
                raise KeyboardInterrupt

    def __enter__(self) -> None:
        self._thread.start()
        self._wakeup_before = signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)

    def __exit__(self, raised: type[BaseException] | None, *_: object) -> None:
        self._ended.set()
        signal.set_wakeup_fd(self._wakeup_before)
        self._waker.close()
        self._thread.join()
        self._woken.close()
        if raised is None and self._noticed.is_set():
            raise KeyboardInterrupt

    def _insist(self, main_thread: int) -> None:
        while signals := self._woken.recv(64):
            while signal.SIGINT in signals and not (self._noticed.wait(_AGAIN_AFTER) or self._ended.is_set()):
                if hasattr(signal, "pthread_kill"):
                    signal.pthread_kill(main_thread, signal.SIGINT)
