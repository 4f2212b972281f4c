"""The event loop in which this process sends to servers: one thread, however many plugins there are.

gRPC wakes every event loop that has a channel for each message of any of them, so a thread per plugin would make all of
them slower with each plugin.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol
from weakref import WeakSet

EXIT_TIMEOUT = 3.0
"""How many seconds the process waits at exit for queued submissions, in all."""


class Sender(Protocol):
    """What sends in the loop, and is given time to finish when the process ends."""

    async def finish(self, timeout: float) -> None:  # noqa: ASYNC109 - the connection is closed after it
        """Wait until everything is sent, at most `timeout` seconds, then close the connection."""
        ...


_lock = threading.Lock()
_running: tuple[int, asyncio.AbstractEventLoop] | None = None
"""The process that runs the loop, and the loop: threads do not survive a fork."""

# Weak, so that an outbox nobody uses any more can be collected, which closes its connection.
_senders: WeakSet[Sender] = WeakSet()


def join_background_loop(sender: Sender) -> asyncio.AbstractEventLoop:
    """Return the loop, whose thread starts on first use; the sender's `finish` is called when the process ends."""
    global _running  # noqa: PLW0603 - one per process
    with _lock:
        if _running is None or _running[0] != os.getpid():
            # After a fork these are the parent's senders: their loop runs in a thread that the child does not have.
            _senders.clear()
            _running = os.getpid(), asyncio.new_event_loop()
            # A daemon: Python waits for other threads before it calls atexit functions, and this one never ends.
            threading.Thread(target=_run_forever, args=(_running[1],), name="adksim-link", daemon=True).start()
        _senders.add(sender)
        return _running[1]


def _run_forever(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()


@atexit.register
def _finish_all() -> None:
    """Wait briefly for queued submissions: a script may end as soon as its agent has answered."""
    if _running is None or _running[0] != os.getpid():
        return
    with suppress(TimeoutError):
        # Twice: closing the connections takes time, too.
        asyncio.run_coroutine_threadsafe(_finish_together(list(_senders)), _running[1]).result(2 * EXIT_TIMEOUT)


async def _finish_together(senders: Sequence[Sender]) -> None:
    # With the exceptions as results: one sender that fails must not cut the time of the others short.
    await asyncio.gather(*(sender.finish(EXIT_TIMEOUT) for sender in senders), return_exceptions=True)
