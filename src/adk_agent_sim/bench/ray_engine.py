"""Executes the runs of a bench on a Ray cluster: the same plan, the same results, in the same files.

    this process --- one run at a time --> actor on some node: executes it, and writes its files into the bench's folder

The folder, the scenarios and the agents must be at the same paths on all nodes, such as on a shared disk. Only this
process writes results. An actor whose node or process dies loses only its current run.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from adk_agent_sim.bench.bench_plan import PlannedRun, RunFiles
from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.run_executor import RunExecutor
from adk_agent_sim.bench.run_queue import RunQueue, RunReport
from adk_agent_sim.errors import InvalidBench
from adk_agent_sim.timeline.clock import Clock, WallClock

_POLL_SECONDS = 1.0
"""How often the engine looks whether a run has taken too long, if none ends."""


class RunActor:
    """Executes runs on a node of the cluster."""

    def __init__(self, folder: str, files: RunFiles) -> None:
        self._executor = RunExecutor(Path(folder), files)

    def execute(self, run: PlannedRun) -> RunReport:
        """Execute a run."""
        return self._executor.execute(run)


@dataclass(kw_only=True)
class _Assignment:
    """A run, and the actor that executes it."""

    actor: Any
    run: PlannedRun
    deadline: float


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
        clock: Clock | None = None,
    ) -> None:
        """Prepare to connect to a cluster.

        Args:
            folder: The folder of the bench.
            files: The files that each run leaves there.
            worker_count: How many actors there are; each needs one core of the cluster.
            address: The address of a cluster; without, Ray starts one on this machine for the time of the bench.
            run_timeout: The most real seconds of a run; None for no limit.
            clock: Measures real time.

        Raises:
            InvalidBench: Ray is not installed.
        """
        self._ray = _import_ray()
        self._folder = str(folder.resolve())
        self._files = files
        self._worker_count = worker_count
        self._address = address
        self._run_timeout = run_timeout
        self._clock = clock or WallClock()
        self._idle: list[Any] = []
        self._running: dict[Any, _Assignment] = {}

    def execute(self, queue: RunQueue) -> Generator[list[BenchResult]]:
        """Execute the runs of a queue, and yield results as soon as there are some; ends with the last one."""
        if queue.is_done:
            return
        with self._connect():
            while not queue.is_done:
                self._assign_runs(queue)
                finished = self._wait_for_results(queue)
                self._assign_runs(queue)
                if finished:
                    yield finished

    @contextmanager
    def _connect(self) -> Generator[None]:
        ray = self._ray
        local: dict[str, Any] = {} if self._address else {"num_cpus": self._worker_count, "include_dashboard": False}
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
            for actor in [*self._idle, *(each.actor for each in self._running.values())]:
                ray.kill(actor)
            self._idle, self._running = [], {}
            ray.shutdown()

    def _assign_runs(self, queue: RunQueue) -> None:
        while len(self._running) < self._worker_count:
            now = self._clock.monotonic()
            run = queue.take(now)
            if run is None:
                return
            actor = self._idle.pop() if self._idle else self._create_actor()
            deadline = float("inf") if self._run_timeout is None else now + self._run_timeout
            self._running[actor.execute.remote(run)] = _Assignment(actor=actor, run=run, deadline=deadline)

    def _create_actor(self) -> Any:
        return self._ray.remote(num_cpus=1, max_restarts=0)(RunActor).remote(self._folder, self._files)

    def _wait_for_results(self, queue: RunQueue) -> list[BenchResult]:
        wait = queue.compute_wait(self._clock.monotonic())
        timeout = _POLL_SECONDS if wait is None else min(_POLL_SECONDS, wait)
        references = list(self._running)
        if references:
            done = list(self._ray.wait(references, num_returns=1, timeout=timeout)[0])
        else:
            done = list[Any]()
            threading.Event().wait(timeout)  # all runs wait after a rate limit
        finished = [self._receive(reference, queue) for reference in done]
        now = self._clock.monotonic()
        late = [reference for reference, each in self._running.items() if each.deadline <= now]
        finished += [self._stop(reference, queue) for reference in late]
        return [result for result in finished if result is not None]

    def _receive(self, reference: Any, queue: RunQueue) -> BenchResult | None:
        assignment = self._running.pop(reference)
        try:
            report: RunReport = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            self._ray.kill(assignment.actor)
            kind = type(error).__name__
            reason = f"The process of the run ended on the cluster ({kind}), and again when it was repeated."
            return queue.lose(assignment.run, reason)
        self._idle.append(assignment.actor)
        return queue.finish(assignment.run, report, self._clock.monotonic())

    def _stop(self, reference: Any, queue: RunQueue) -> BenchResult:
        assignment = self._running.pop(reference)
        assert self._run_timeout is not None  # noqa: S101 - only then is there a deadline
        self._ray.kill(assignment.actor)
        return queue.stop(assignment.run, self._run_timeout)


def _import_ray() -> Any:
    try:
        return import_module("ray")
    except ImportError as error:
        raise InvalidBench(
            "--engine ray needs the package ray: install it with `pip install 'adk-agent-sim[ray]'`, "
            "or leave --engine out to use the processes of this machine."
        ) from error
