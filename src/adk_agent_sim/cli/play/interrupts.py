"""`input` that one Ctrl-C always interrupts.

readline checks for a signal only when the signal interrupts its wait for keys. One that arrives just before the wait is
noticed with the next key press only. A thread, which Python wakes at every signal, therefore resends it until it is
noticed:

    Ctrl-C --> Python's own handler --> wake-up socket --> thread: SIGINT again, until --> KeyboardInterrupt in `input`
"""

from __future__ import annotations

import signal
import socket
import threading
from types import FrameType

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
    """Raises one Ctrl-C exactly once, wherever the main thread is inside the block."""

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
