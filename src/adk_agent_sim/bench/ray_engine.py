"""Executes the runs of a bench on a Ray cluster: the same plan, the same results, in the same files.

    this process --- one run at a time --> actor on some node: executes it, and writes its files into the bench's folder

The folder, the scenarios and the agents must be at the same paths on all nodes, such as on a shared disk. Only this
process writes results. An actor whose node or process dies loses only its current run. An actor gets its first run when
it has started, so that a run's time does not include waiting for a core of the cluster and importing ADK.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from adk_agent_sim.bench.bench_plan import PlannedRun, RunFiles
from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.run_executor import RunExecutor
from adk_agent_sim.bench.run_queue import RunQueue, RunReport
from adk_agent_sim.bench.worker import WorkerSettings, enter_bench
from adk_agent_sim.errors import InvalidBench, SimulatorError
from adk_agent_sim.timeline.clock import Clock, WallClock

_POLL_SECONDS = 1.0
"""How often the engine looks whether a run has taken too long, if none ends."""
_MAX_FAILED_STARTS = 3
"""After so many actors in a row that did not start, no other would."""
_OBJECT_STORE_BYTES = 100_000_000
"""The shared memory of a cluster on this machine: runs and results are small, and Ray would take a third of all."""
_MAX_ERROR_LENGTH = 500


class RunActor:
    """Executes runs on a node of the cluster."""

    def __init__(self, settings: WorkerSettings) -> None:
        warnings.filterwarnings("ignore", message=r"\[EXPERIMENTAL\]")
        enter_bench(settings)
        self._executor = RunExecutor(Path(settings.folder), settings.files)

    def get_pid(self) -> int:
        """Return the process of the actor, as soon as it can execute runs."""
        return os.getpid()

    def execute(self, run: PlannedRun) -> RunReport:
        """Execute a run."""
        return self._executor.execute(run)


@dataclass(kw_only=True)
class _Actor:
    """An actor, and the run that it executes."""

    handle: Any
    run: PlannedRun | None = None
    started_at: float = 0.0
    """When it got its run."""
    deadline: float = float("inf")
    run_count: int = 0
    """How many runs it has executed."""


class RayEngine:
    """Executes runs in actors of Ray."""

    def __init__(
        self,
        folder: Path,
        files: RunFiles,
        worker_count: int,
        *,
        address: str | None = None,
        run_timeout: float | None = None,
        runs_per_actor: int = 500,
        clock: Clock | None = None,
    ) -> None:
        """Prepare to connect to a cluster.

        Args:
            folder: The folder of the bench.
            files: The files that each run leaves there.
            worker_count: How many actors there are; each needs one core of the cluster.
            address: The address of a cluster; without, Ray starts one on this machine for the time of the bench.
            run_timeout: The most real seconds of a run; None for no limit.
            runs_per_actor: After so many runs, another actor takes its place: whatever agents and libraries leave in
                memory is bounded.
            clock: Measures real time.

        Raises:
            InvalidBench: Ray is not installed.
        """
        self._ray = _import_ray()
        self._settings = WorkerSettings(folder=str(folder.resolve()), files=files, working_folder=str(Path.cwd()))
        self._worker_count = worker_count
        self._address = address
        self._run_timeout = run_timeout
        self._runs_per_actor = runs_per_actor
        self._clock = clock or WallClock()
        self._idle: list[_Actor] = []
        self._busy: dict[Any, _Actor] = {}
        """By the reference to what they do: start, or execute a run."""
        self._failed_starts = 0

    def execute(self, queue: RunQueue) -> Generator[list[BenchResult]]:
        """Execute the runs of a queue; yield results as soon as there are some, and none now and then meanwhile."""
        if queue.is_done:
            return
        self._settings = replace(self._settings, has_eval_cases=queue.has_eval_cases)
        with self._connect():
            while not queue.is_done:
                self._start_actors(queue)
                self._assign_runs(queue)
                finished = self._wait_for_results(queue)
                self._assign_runs(queue)
                yield finished

    @contextmanager
    def _connect(self) -> Generator[None]:
        ray = self._ray
        local: dict[str, Any] = {}
        if not self._address:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody is told of a cluster that only we use
            local = {
                "num_cpus": self._worker_count,
                "include_dashboard": False,
                "object_store_memory": _OBJECT_STORE_BYTES,
            }
        try:
            ray.init(address=self._address, log_to_driver=False, logging_level="ERROR", **local)
        except Exception as error:  # Ray raises Exception itself, such as when a node does not start in time
            where = f"is at {self._address}" if self._address else "could be started on this machine"
            raise InvalidBench(
                f"No Ray cluster {where}: {str(error).rstrip('.')}. Start one with `ray start --head` and name it with "
                "--ray-address, or leave --engine out to use the processes of this machine."
            ) from error
        try:
            yield
        finally:
            for actor in [*self._idle, *self._busy.values()]:
                ray.kill(actor.handle)
            self._idle, self._busy = [], {}
            ray.shutdown()

    def _start_actors(self, queue: RunQueue) -> None:
        running = sum(actor.run is not None for actor in self._busy.values())
        wanted = min(self._worker_count, running + queue.waiting_count)
        # Ray must not restart an actor by itself: the queue decides whether a lost run is tried again.
        create: Any = self._ray.remote(num_cpus=1, max_restarts=0)(RunActor)
        while len(self._idle) + len(self._busy) < wanted:
            handle = create.remote(self._settings)
            self._busy[handle.get_pid.remote()] = _Actor(handle=handle)

    def _assign_runs(self, queue: RunQueue) -> None:
        while self._idle:
            now = self._clock.monotonic()
            run = queue.take(now)
            if run is None:
                return
            actor = self._idle.pop()
            actor.run, actor.started_at = run, now
            if self._run_timeout is not None:
                actor.deadline = now + self._run_timeout
            self._busy[actor.handle.execute.remote(run)] = actor

    def _wait_for_results(self, queue: RunQueue) -> list[BenchResult]:
        wait = queue.compute_wait(self._clock.monotonic())
        timeout = _POLL_SECONDS if wait is None else min(_POLL_SECONDS, wait)
        references = list(self._busy)
        if references:
            done = list(self._ray.wait(references, num_returns=1, timeout=timeout)[0])
        else:
            done = list[Any]()
            threading.Event().wait(timeout)  # all runs wait after a rate limit, or the bench is paused
        finished = [self._receive(reference, queue) for reference in done]
        now = self._clock.monotonic()
        late = [reference for reference, actor in self._busy.items() if actor.deadline <= now]
        finished += [self._stop(reference, queue) for reference in late]
        return [result for result in finished if result is not None]

    def _receive(self, reference: Any, queue: RunQueue) -> BenchResult | None:
        actor = self._busy.pop(reference)
        try:
            received: int | RunReport = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            return self._replace_dead(actor, error, queue)
        run, actor.run, actor.deadline = actor.run, None, float("inf")
        if run is None or not isinstance(received, RunReport):
            self._failed_starts = 0  # it has started
            self._idle.append(actor)
            return None
        actor.run_count += 1
        if actor.run_count >= self._runs_per_actor:
            self._ray.kill(actor.handle)
        else:
            self._idle.append(actor)
        return queue.finish(run, received, self._clock.monotonic())

    def _replace_dead(self, actor: _Actor, error: Exception, queue: RunQueue) -> BenchResult | None:
        self._ray.kill(actor.handle)
        kind = type(error).__name__
        if actor.run is None:
            self._failed_starts += 1
            if self._failed_starts >= _MAX_FAILED_STARTS:
                raise SimulatorError(
                    f"Actors do not start on the Ray cluster ({kind}): {_shorten(str(error))} Every node needs "
                    f"adksim, and the folder {self._settings.folder}."
                )
            return None
        reason = f"The process of the run ended on the cluster ({kind}), and again when it was repeated."
        return queue.lose(actor.run, reason, self._clock.monotonic() - actor.started_at)

    def _stop(self, reference: Any, queue: RunQueue) -> BenchResult:
        actor = self._busy.pop(reference)
        assert actor.run is not None  # noqa: S101 - only a run has a deadline
        assert self._run_timeout is not None  # noqa: S101 - as above
        self._ray.kill(actor.handle)
        return queue.stop(actor.run, self._run_timeout)


def _shorten(text: str) -> str:
    """Return the end of an error's text: Ray puts the traceback of the actor first."""
    lines = [line for line in text.splitlines() if line.strip()]
    return (lines[-1].strip()[:_MAX_ERROR_LENGTH] if lines else "").rstrip(".") + "."


def _import_ray() -> Any:
    try:
        return import_module("ray")
    except ImportError as error:
        raise InvalidBench(
            "--engine ray needs the package ray: install it with `pip install 'ray>=2.40'`, "
            "or leave --engine out to use the processes of this machine."
        ) from error
