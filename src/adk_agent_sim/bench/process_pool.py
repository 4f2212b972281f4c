"""Executes the runs of a bench in processes of this machine, which start from one that has imported ADK.

    this process --- pipe --> worker process: one run at a time
                 <-- pipe ---     outcome

A worker that dies loses only its current run, and another one takes its place; a run that takes too long is killed with
its worker. `concurrent.futures` gives up all runs when one process dies, which is why this has its own pool.

Forking this process is not safe once it has threads, and starting a new interpreter for each worker takes seconds.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import cast

from adk_agent_sim.bench.bench_plan import PlannedRun, RunFiles
from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.results_file import LOG_NAME
from adk_agent_sim.bench.run_queue import RunQueue, RunReport
from adk_agent_sim.bench.worker import WorkerSettings, run_worker
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.timeline.clock import Clock, WallClock

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


_EXIT_SECONDS = 5.0
"""How long a process may take to end after it has closed its pipe."""
_MAX_WAIT_SECONDS = 1.0
"""How long the pool waits at most before it lets its caller show the progress."""
_MAX_FAILED_STARTS = 5
"""After so many workers in a row that did not start, no other would."""


@dataclass(kw_only=True)
class _Worker:
    """A process, and the run that it executes."""

    process: SpawnProcess
    connection: Connection
    run: PlannedRun | None = None
    started_at: float = 0.0
    """When it got its run."""
    deadline: float = float("inf")
    run_count: int = 0
    """How many runs it has executed."""
    is_ready: bool = False
    """Whether it has said that it can execute runs; starting takes seconds if it has to import everything."""

    def kill(self) -> None:
        """End the process at once, with those that it has started."""
        self.connection.close()
        self.process.kill()
        # Before it is ready, the process may not have a group of its own yet.
        if hasattr(os, "killpg") and self.process.pid is not None and self.is_ready:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        # Only now: once the process has been waited for, its id may belong to another one.
        self.process.join()
        self.process.close()


class ProcessPool:
    """Executes runs in worker processes."""

    def __init__(
        self,
        folder: Path,
        files: RunFiles,
        worker_count: int,
        *,
        run_timeout: float | None = None,
        runs_per_worker: int = 500,
        start_method: str | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Prepare a pool; no process starts before `execute`.

        Args:
            folder: The folder of the bench.
            files: The files that each run leaves there.
            worker_count: How many runs are executed at the same time.
            run_timeout: The most real seconds of a run; None for no limit.
            runs_per_worker: After so many runs, another process takes a worker's place: whatever agents and libraries
                leave in memory is bounded.
            start_method: How Python starts processes; by default from one that has imported what workers need.
            clock: Measures real time.
        """
        self._settings = WorkerSettings(folder=str(folder.resolve()), files=files, working_folder=str(Path.cwd()))
        self._worker_count = worker_count
        self._run_timeout = run_timeout
        self._runs_per_worker = runs_per_worker
        self._context = get_process_context(start_method)
        self._clock = clock or WallClock()
        self._workers: list[_Worker] = []
        self._failed_starts = 0

    def execute(self, queue: RunQueue) -> Generator[list[BenchResult]]:
        """Execute the runs of a queue; yield results as soon as there are some, and none now and then meanwhile.

        Closing the generator kills the runs that have not ended.
        """
        with self._close_workers():
            while not queue.is_done:
                self._start_workers(queue)
                self._assign_runs(queue)
                finished = self._wait_for_results(queue)
                self._assign_runs(queue)  # before the caller writes results, so that no worker waits for the disk
                yield finished

    def _start_workers(self, queue: RunQueue) -> None:
        busy = sum(worker.run is not None for worker in self._workers)
        wanted = min(self._worker_count, busy + queue.waiting_count)
        settings = replace(self._settings, has_eval_cases=queue.has_eval_cases)
        while len(self._workers) < wanted:
            ours, theirs = self._context.Pipe()
            # Not a daemon: agents may start processes of their own.
            process = self._context.Process(target=run_worker, args=(theirs, settings))
            with keep_start_method():
                process.start()
            # As long as this copy is open, the end of the worker would not close the pipe.
            theirs.close()
            self._workers.append(_Worker(process=process, connection=ours))

    def _assign_runs(self, queue: RunQueue) -> None:
        for worker in self._workers:
            if worker.run is not None or not worker.is_ready:
                continue
            run = queue.take(self._clock.monotonic())
            if run is None:
                return
            worker.run, worker.started_at = run, self._clock.monotonic()
            if self._run_timeout is not None:
                worker.deadline = worker.started_at + self._run_timeout
            with suppress(OSError):  # it has died, which is noticed when its answer is awaited
                worker.connection.send(run)

    def _wait_for_results(self, queue: RunQueue) -> list[BenchResult]:
        """Wait until something happens, and return the results that there are then."""
        by_connection = {worker.connection: worker for worker in self._workers}
        ready = wait(list(by_connection), self._compute_wait(queue))
        finished = [self._receive(by_connection[each], queue) for each in ready if isinstance(each, Connection)]
        now = self._clock.monotonic()
        finished += [self._stop(worker, queue) for worker in list(self._workers) if worker.deadline <= now]
        return [result for result in finished if result is not None]

    def _compute_wait(self, queue: RunQueue) -> float:
        now = self._clock.monotonic()
        waits = [_MAX_WAIT_SECONDS]
        waits += [worker.deadline - now for worker in self._workers if worker.deadline != float("inf")]
        backoff = queue.compute_wait(now)
        if backoff is not None:
            waits.append(backoff)
        return max(0.0, min(waits))

    def _receive(self, worker: _Worker, queue: RunQueue) -> BenchResult | None:
        try:
            received: int | RunReport = worker.connection.recv()
        except (EOFError, OSError):
            return self._replace_dead(worker, queue)
        if not isinstance(received, RunReport):
            worker.is_ready, self._failed_starts = True, 0
            return None
        run, worker.run, worker.deadline = worker.run, None, float("inf")
        assert run is not None  # noqa: S101 - it has reported on its run
        worker.run_count += 1
        if worker.run_count >= self._runs_per_worker:
            self._workers.remove(worker)
            worker.kill()
        return queue.finish(run, received, self._clock.monotonic())

    def _replace_dead(self, worker: _Worker, queue: RunQueue) -> BenchResult | None:
        self._workers.remove(worker)
        seconds = self._clock.monotonic() - worker.started_at
        # Its exit code says why it ended, and killing it at once would replace the code.
        worker.process.join(_EXIT_SECONDS)
        code = worker.process.exitcode
        worker.kill()
        if worker.run is None:
            self._failed_starts += not worker.is_ready
            if self._failed_starts >= _MAX_FAILED_STARTS:
                raise SimulatorError(
                    f"Worker processes end before their first run ({_describe_exit(code)}). "
                    f"See {Path(self._settings.folder) / LOG_NAME}."
                )
            return None
        reason = f"The worker process ended during the run ({_describe_exit(code)}), and again when it was repeated."
        return queue.lose(worker.run, reason, seconds)

    def _stop(self, worker: _Worker, queue: RunQueue) -> BenchResult:
        assert worker.run is not None  # noqa: S101 - only a run has a deadline
        assert self._run_timeout is not None  # noqa: S101 - as above
        self._workers.remove(worker)
        worker.kill()
        return queue.stop(worker.run, self._run_timeout)

    @contextmanager
    def _close_workers(self) -> Generator[None]:
        try:
            yield
        finally:
            with _ignore_interrupts():  # one that is left would keep this process from ending
                while self._workers:
                    self._workers.pop().kill()


@contextmanager
def _ignore_interrupts() -> Generator[None]:
    # Python lets only the main thread set signal handlers.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _describe_exit(code: int | None) -> str:
    if code is not None and code < 0 and sys.platform != "win32":
        return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"
