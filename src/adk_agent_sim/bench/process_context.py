"""How the worker processes of a bench are started: forked from a process that has imported ADK and little else.

Forking this process is not safe once it has threads, and starting a new interpreter for each worker takes seconds.
"""

from __future__ import annotations

import multiprocessing
from multiprocessing.context import SpawnContext
from typing import cast

_PRELOADED_MODULE = "adk_agent_sim.bench.worker_preload"
_FORK_SERVER = "forkserver"


def get_process_context(start_method: str | None = None) -> SpawnContext:
    """Return what starts processes.

    Args:
        start_method: A start method of Python. By default the one that the program has set; otherwise `forkserver`, or
            `spawn` where there is none, on Windows.
    """
    chosen = cast("str | None", multiprocessing.get_start_method(allow_none=True))
    available = _FORK_SERVER if _FORK_SERVER in multiprocessing.get_all_start_methods() else "spawn"
    method = start_method or chosen or available
    context = multiprocessing.get_context(method)
    if method == _FORK_SERVER:
        context.set_forkserver_preload([_PRELOADED_MODULE])
    return cast("SpawnContext", context)  # all of them have the same methods


def start_fork_server() -> None:
    """Let the process from which workers are forked begin to import, and do not wait for it."""
    context = get_process_context()
    if context.get_start_method() == _FORK_SERVER:
        from multiprocessing import forkserver  # noqa: PLC0415 - not on Windows

        forkserver.ensure_running()
