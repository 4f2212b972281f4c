"""Runs a bench: the runs of a plan that have no result yet, each result saved as soon as it is there.

plan --> queue --> engine (processes or Ray) --> results --> results.jsonl, and the timeline database if any
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from adk_agent_sim.bench.bench_control import BenchControl
from adk_agent_sim.bench.bench_plan import BenchPlan
from adk_agent_sim.bench.bench_result import BenchResult, RunKey
from adk_agent_sim.bench.rate_limits import BackoffPolicy
from adk_agent_sim.bench.results_file import open_results
from adk_agent_sim.bench.run_executor import FILE_ENDINGS
from adk_agent_sim.bench.run_journal import remove_journal
from adk_agent_sim.bench.run_queue import RunQueue
from adk_agent_sim.bench.session_archive import open_session_archive


@dataclass(frozen=True, kw_only=True)
class BenchStatus:
    """The results so far, and the runs that have not ended. Its methods read what is true when they are called."""

    results: Mapping[RunKey, BenchResult]
    """Also those of an earlier start, such as an error, whose runs are executed again."""

    queue: RunQueue

    @property
    def is_paused(self) -> bool:
        """Whether no further run starts, because somebody has asked for that."""
        return self.queue.is_paused

    def list_final_results(self) -> list[BenchResult]:
        """Return the results that stay: those whose runs are not executed now or later."""
        pending = self.queue.find_pending()
        return [result for key, result in self.results.items() if key not in pending]

    def list_rate_limited(self, now: float) -> list[str]:
        """Return the models whose runs wait after a rate limit.

        Args:
            now: The time of a monotonic clock.
        """
        return self.queue.list_rate_limited(now)


class Engine(Protocol):
    """Decides where runs are executed."""

    def execute(self, queue: RunQueue) -> Generator[list[BenchResult]]:
        """Execute the runs of a queue; yield results as soon as there are some, and none now and then meanwhile."""
        ...


@dataclass(frozen=True, kw_only=True)
class BenchOptions:
    """How a bench is run; none of it changes a result."""

    worker_count: int = 1

    resume: bool = False
    """Whether results that the folder has are used."""

    database: str | None = None
    """The timeline database that gets the session of each run."""

    backoff: BackoffPolicy = field(default_factory=BackoffPolicy)


def execute_bench(
    plan: BenchPlan,
    folder: Path,
    engine: Engine,
    options: BenchOptions,
    on_progress: Callable[[BenchStatus], object] = lambda status: None,
) -> Mapping[RunKey, BenchResult]:
    """Run what is missing of a plan, and return all results.

    Args:
        plan: What is run; its files must contain the timeline if there is a database.
        folder: Where the results are.
        engine: Where runs are executed.
        options: How the bench is run.
        on_progress: Called at the beginning, whenever there are new results, and every few seconds.

    Raises:
        BenchFolderRefused: The folder has other results, or is in use.
    """
    with ExitStack() as stack:
        # The lock comes first: what follows removes the files of an earlier process.
        saved = stack.enter_context(open_results(folder, plan, resume=options.resume))
        archive = (
            stack.enter_context(open_session_archive(options.database, plan.plan_id)) if options.database else None
        )
        control = stack.enter_context(closing(BenchControl(folder, plan)))
        queue = RunQueue(saved.list_remaining(), options.worker_count, options.backoff, control)
        status = BenchStatus(results=saved.results, queue=queue)
        on_progress(status)
        stems = {run.key: run.stem for run in plan.runs}
        for finished in stack.enter_context(closing(engine.execute(queue))):
            if archive is None:
                saved.append(finished)
            else:
                # The session is stored first: a run that has a result is not executed again, so it would stay missing.
                saved.append([archive.add(each, _find_timeline(folder, stems[each.key])) for each in finished])
            for each in finished:
                remove_journal(folder, each.key)
            on_progress(status)
        saved.sort()
        return saved.results


def _find_timeline(folder: Path, stem: str) -> Path:
    return folder / f"{stem}{FILE_ENDINGS['timeline']}"
