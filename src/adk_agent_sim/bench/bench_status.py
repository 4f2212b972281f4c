"""How far a bench is while it runs, and why it waits: what progress is shown of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adk_agent_sim.bench.bench_result import BenchResult, RunKey
from adk_agent_sim.bench.run_queue import RunQueue


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
