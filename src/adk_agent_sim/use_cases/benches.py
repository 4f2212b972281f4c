"""Runs benches, reads and compares what they gave, and asks one that is running to pause or to repeat a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from adk_agent_sim.bench import bench_control, bench_diff, bench_report
from adk_agent_sim.bench.bench_diff import BenchDiff
from adk_agent_sim.bench.bench_plan import BenchPlan
from adk_agent_sim.bench.bench_run import BenchOptions, BenchStatus, Engine, execute_bench
from adk_agent_sim.bench.bench_summary import BenchSummary
from adk_agent_sim.bench.hub_dataset import write_hub_results
from adk_agent_sim.errors import InvalidTransition, NotFound


def run_bench(
    plan: BenchPlan,
    folder: Path,
    engine: Engine,
    options: BenchOptions,
    on_progress: Callable[[BenchStatus], object] = lambda status: None,
) -> BenchSummary:
    """Run what is missing of a plan, and write the reports; for scenarios of the Hub also the results as a dataset.

    Args:
        plan: What is run; its files must contain the timeline if there is a database.
        folder: Where the results are.
        engine: Where runs are executed.
        options: How the bench is run.
        on_progress: Called at the beginning, whenever there are new results, and every few seconds.

    Raises:
        BenchFolderRefused: The folder has other results, or is in use.
    """
    execute_bench(plan, folder, engine, options, on_progress)
    summary = write_bench_reports(folder)
    if "dataset" in plan.description:
        write_hub_results(folder)
    return summary


def write_bench_reports(folder: Path) -> BenchSummary:
    """Write the reports of the bench in a folder, finished or not, over those that are there.

    Raises:
        BenchFolderRefused: The folder has no results, or they are damaged.
    """
    return bench_report.write_reports(folder)


def compare_benches(
    before: Path, after: Path, *, before_agent: str = "", after_agent: str = "", alpha: float = 0.05
) -> BenchDiff:
    """Compare two benches on the scenarios that they share.

    Args:
        before: The folder of the first bench.
        after: The folder of the second bench.
        before_agent: The agent of the first bench to compare; by default all.
        after_agent: The agent of the second bench to compare; by default all.
        alpha: The level of significance.

    Raises:
        BenchFolderRefused: A folder has no results, or they are damaged.
        BenchesNotComparable: There is nothing to compare, or it is not clear what with what.
    """
    first, second = bench_report.read_summary(before), bench_report.read_summary(after)
    return bench_diff.compare_benches(first, second, before_agent, after_agent, alpha)


def pause_bench(folder: Path, *, paused: bool) -> None:
    """Let the process that runs a bench start no further runs, or let it continue; runs that have started go on.

    Raises:
        InvalidTransition: No process runs the bench.
    """
    if not bench_control.read_activity(folder).is_running:
        raise InvalidTransition("The bench is not running. Continue it with `adksim bench ... --resume`.")
    bench_control.pause_bench(folder, paused=paused)


def repeat_run(folder: Path, run_id: str) -> None:
    """Ask for a run to be executed again: at once if the bench is running, and otherwise when it is resumed.

    Raises:
        BenchFolderRefused: The folder has no results, or they are damaged.
        NotFound: The bench has no such run that has ended.
    """
    key = next((each.key for each in bench_report.read_last_results(folder) if each.run_id == run_id), None)
    if key is None:
        raise NotFound("The bench has no such run that has ended.")
    bench_control.request_run(folder, key)
