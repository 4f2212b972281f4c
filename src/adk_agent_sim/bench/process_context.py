"""How the worker processes of a bench are started: forked from a process that has imported ADK and little else.

Forking this process is not safe once it has threads, and starting a new interpreter for each worker takes seconds.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Generator
from contextlib import contextmanager
from multiprocessing.context import SpawnContext
from typing import cast

_PRELOADED_MODULE = "adk_agent_sim.bench.worker_preload"
_FORK_SERVER = "forkserver"

default_start_method = _FORK_SERVER
"""How processes are started if the program has not chosen another way."""


def get_process_context(start_method: str | None = None) -> SpawnContext:
    """Return what starts processes.

    Args:
        start_method: A start method of Python. By default the one that the program has set, unless that is `fork`;
            otherwise `forkserver`, or `spawn` where there is none, on Windows.
    """
    chosen = cast("str | None", multiprocessing.get_start_method(allow_none=True))
    if chosen == "fork":
        chosen = None  # a library that has made a lock, such as tqdm, has set it too, and this process may have threads
    available = default_start_method if default_start_method in multiprocessing.get_all_start_methods() else "spawn"
    method = start_method or chosen or available
    context = multiprocessing.get_context(method)
    if method == _FORK_SERVER:
        context.set_forkserver_preload([_PRELOADED_MODULE])
    return cast("SpawnContext", context)  # all of them have the same methods


def start_fork_server() -> None:
    """Let the process from which workers are forked begin to import, and do not wait for it."""
    context = get_process_context()
    if context.get_start_method() == _FORK_SERVER:
        from multiprocessing import forkserver, resource_tracker  # noqa: PLC0415 - not on Windows

        resource_tracker.ensure_running()  # unblocks SIGINT when it starts, so it comes first
        with keep_start_method(), _block_interrupts():
            forkserver.ensure_running()


@contextmanager
def keep_start_method() -> Generator[None]:
    """Start processes without choosing a start method for the program.

    Whatever starts a process asks for the program's start method, and that makes the default one look as if the program
    had set it.
    """
    chosen = cast("str | None", multiprocessing.get_start_method(allow_none=True))
    try:
        yield
    finally:
        if chosen is None:
            multiprocessing.set_start_method(None, force=True)


@contextmanager
def _block_interrupts() -> Generator[None]:
    """Let a process start with SIGINT blocked, until it ignores the signal itself: Ctrl-C goes to all processes."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
