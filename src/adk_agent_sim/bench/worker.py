"""A worker process of a bench: receives runs over a pipe, executes them, and sends back the outcome of each.

It ends with the process that started it, however that ends, and so do the processes that agents have started. What
agents print goes to a file of the bench, because the terminal shows the bench's progress, and standard output its
result.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import warnings
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path

from adk_agent_sim.bench.bench_plan import PlannedRun, RunFiles
from adk_agent_sim.bench.results_file import LOG_NAME
from adk_agent_sim.bench.run_executor import RunExecutor
from adk_agent_sim.golden.eval_case_verdict import import_metrics

_STANDARD_OUTPUT, _STANDARD_ERROR = 1, 2


@dataclass(frozen=True, kw_only=True)
class WorkerSettings:
    """What a worker needs beside the runs."""

    folder: str
    """The folder of the bench."""

    files: RunFiles

    working_folder: str
    """Where relative paths of agents' code start."""

    has_eval_cases: bool = False
    """Whether eval cases are to be judged."""


def run_worker(connection: Connection, settings: WorkerSettings) -> None:
    """Execute the runs that arrive, until the connection is closed."""
    _become_worker(settings)
    executor = RunExecutor(Path(settings.folder), settings.files)
    # The first message says that the worker is ready, see `_Worker.is_ready`.
    connection.send(os.getpid())
    while True:
        try:
            run: PlannedRun = connection.recv()
            connection.send(executor.execute(run))
        except (EOFError, OSError):
            executor.close()
            _end_process_group()
            return


def _become_worker(settings: WorkerSettings) -> None:
    # Ctrl-C in a terminal goes to all processes in the foreground, and the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # not what a parent does that this process was forked from
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # processes that an agent has started, such as MCP servers, are killed with the worker
    threading.Thread(target=_end_with_parent, daemon=True, name="adksim-parent").start()
    warnings.filterwarnings("ignore", message=r"\[EXPERIMENTAL\]")
    enter_bench(settings)


def enter_bench(settings: WorkerSettings) -> None:
    """Let this process work in the folder in which the bench was started, and print to the bench's log."""
    os.chdir(settings.working_folder)
    # All workers write to this file, and appending keeps them from overwriting each other.
    log = os.open(Path(settings.folder) / LOG_NAME, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    for stream, descriptor in ((sys.stdout, _STANDARD_OUTPUT), (sys.stderr, _STANDARD_ERROR)):
        stream.flush()
        # On the level of descriptors, so that processes and C libraries that an agent uses print there, too.
        os.dup2(log, descriptor)
    os.close(log)
    if settings.has_eval_cases:
        import_metrics()  # takes seconds, which would count as the time of the first run


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        _end_process_group()
        # Reached only where there are no process groups.
        os._exit(1)


def _end_process_group() -> None:
    """Kill this process and those that agents have started, if they have a group of their own."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
