"""The runs of a bench that wait, and which of them may start: the part of every engine that decides.

After a rate limit, no run of the same model starts for a while, and then only half as many at the same time as before;
each success lets one more start. A run that was lost with its process is tried once more. While the bench is paused, no
run starts; runs that are asked for again are queued in their place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush

from adk_agent_sim.bench.bench_control import BenchControl
from adk_agent_sim.bench.bench_plan import PlannedRun
from adk_agent_sim.bench.bench_result import BenchResult, Outcome, RunKey
from adk_agent_sim.bench.rate_limits import BackoffPolicy

_PAUSE_SECONDS = 0.5
"""How often a paused bench looks whether it may continue."""

_MAX_LOSSES = 2
"""A run whose process has ended so often is recorded as an error: it ends processes itself."""


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """What a worker reports of a run."""

    result: BenchResult

    is_rate_limited: bool = False
    """Whether the run failed because a provider wants fewer requests."""


@dataclass(kw_only=True)
class _ModelGroup:
    """The runs that ask the same model."""

    waiting: list[tuple[int, PlannedRun]] = field(default_factory=list[tuple[int, PlannedRun]])
    """A heap, so that a run that is tried again keeps its place in the plan."""
    running: int = 0
    limit: int
    resumes_at: float = 0.0
    failures: int = 0


class RunQueue:
    """Hands out runs in order, as far as the limits of their models allow."""

    def __init__(
        self,
        runs: Iterable[PlannedRun],
        worker_count: int,
        policy: BackoffPolicy | None = None,
        control: BenchControl | None = None,
    ) -> None:
        """Let all runs wait.

        Args:
            runs: The runs, in order.
            worker_count: The most runs at the same time.
            policy: What happens after a rate limit.
            control: What others ask of the bench; None if nobody can.
        """
        self._control = control
        self._running: dict[int, PlannedRun] = {}
        self.has_eval_cases = False
        """Whether there are eval cases among the runs."""
        self._policy = policy or BackoffPolicy()
        self._worker_count = worker_count
        self._groups: dict[str, _ModelGroup] = {}
        self._losses = Counter[int]()
        self._attempts = Counter[int]()
        for run in runs:
            # Indexes are unique, so the heap never compares the runs themselves.
            heappush(self._get_group(run).waiting, (run.index, run))
            self.has_eval_cases |= run.task.kind == "eval_case"
        self._queue_requests()

    @property
    def waiting_count(self) -> int:
        """The number of runs that have not started."""
        return sum(len(group.waiting) for group in self._groups.values())

    @property
    def is_done(self) -> bool:
        """Whether no run waits or is running."""
        return not any(group.waiting or group.running for group in self._groups.values())

    @property
    def is_paused(self) -> bool:
        """Whether somebody has asked that no further run starts."""
        return self._control is not None and self._control.is_paused

    def find_pending(self) -> set[RunKey]:
        """Return the runs that wait or are running."""
        pending = set[RunKey](run.key for run in self._running.values())
        for group in self._groups.values():
            pending.update(run.key for _, run in group.waiting)
        return pending

    def list_rate_limited(self, now: float) -> list[str]:
        """Return the models whose runs wait after a rate limit, in the order of the plan."""
        return [name for name, group in self._groups.items() if group.waiting and group.resumes_at > now]

    def get_limit(self, run: PlannedRun) -> int:
        """Return how many runs of the same model may run at the same time."""
        return self._get_group(run).limit

    def take(self, now: float) -> PlannedRun | None:
        """Return the next run that may start, which then counts as running; None if none may."""
        self._queue_requests()
        if self.is_paused:
            return None
        open_groups = [
            group
            for group in self._groups.values()
            if group.waiting and group.running < group.limit and group.resumes_at <= now
        ]
        if not open_groups:
            return None
        group = min(open_groups, key=lambda each: each.waiting[0][0])
        group.running += 1
        run = heappop(group.waiting)[1]
        self._running[run.index] = run
        self._note_running()
        return run

    def compute_wait(self, now: float) -> float | None:
        """Return the seconds until a run may start without another one ending; None if time alone changes nothing."""
        moments = [
            group.resumes_at
            for group in self._groups.values()
            if group.waiting and group.running < group.limit and group.resumes_at > now
        ]
        wait = min(moments) - now if moments else None
        if self.is_paused and self.waiting_count:
            return min(wait or _PAUSE_SECONDS, _PAUSE_SECONDS)
        return wait

    def finish(self, run: PlannedRun, report: RunReport, now: float) -> BenchResult | None:
        """Take note that a run has ended; return its result, or None if it is tried again."""
        group = self._end(run)
        if not report.is_rate_limited:
            # An error says nothing about whether the model takes more requests again.
            if report.result.outcome != "error":
                group.failures = 0
                group.limit = min(self._worker_count, group.limit + 1)
            return report.result
        self._attempts[run.index] += 1
        # Runs that started together fail together; all of them together are one reason to go slower.
        if group.resumes_at <= now:
            group.failures += 1
            # `running` does not count this run any more, hence the addition.
            group.limit = max(1, (group.running + 1) // 2)
            group.resumes_at = now + self._policy.compute_wait(group.failures)
        if self._attempts[run.index] >= self._policy.max_attempts:
            return report.result
        heappush(group.waiting, (run.index, run))
        return None

    def lose(self, run: PlannedRun, reason: str, seconds: float = 0.0) -> BenchResult | None:
        """Take note that the process of a run has ended; return an error, or None if it is tried again.

        Args:
            run: The run.
            reason: What happened, for the error.
            seconds: How long the run had been executed.
        """
        group = self._end(run)
        self._losses[run.index] += 1
        if self._losses[run.index] >= _MAX_LOSSES:
            return build_failure(run, "error", reason, wall_seconds=seconds)
        heappush(group.waiting, (run.index, run))
        return None

    def stop(self, run: PlannedRun, seconds: float) -> BenchResult:
        """Take note that a run took too long and was killed; return that as its result."""
        self._end(run)
        reason = f"The run was stopped after {seconds:g} s of real time, the limit."
        return build_failure(run, "timeout", reason, wall_seconds=seconds)

    def _end(self, run: PlannedRun) -> _ModelGroup:
        group = self._get_group(run)
        group.running -= 1
        self._running.pop(run.index, None)
        self._note_running()
        return group

    def _queue_requests(self) -> None:
        for run in self._control.take_requests() if self._control else ():
            waiting = self._get_group(run).waiting
            if run.index not in self._running and all(index != run.index for index, _ in waiting):
                heappush(waiting, (run.index, run))

    def _note_running(self) -> None:
        if self._control is not None:
            self._control.note_running(self._running.values())

    def _get_group(self, run: PlannedRun) -> _ModelGroup:
        return self._groups.setdefault(run.model_group, _ModelGroup(limit=self._worker_count))


def build_failure(run: PlannedRun, outcome: Outcome, reason: str, *, wall_seconds: float = 0.0) -> BenchResult:
    """Return the result of a run that has none of its own."""
    return BenchResult(
        **run.key.model_dump(),
        outcome=outcome,
        passed=False,
        reason=reason,
        tags=run.task.tags,
        wall_seconds=round(wall_seconds, 3),
        world_seed=run.plan.options.seed or 0,
    )
