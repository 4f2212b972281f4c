"""`adksim bench run`: runs agents in scenarios, prints the progress and then how each did."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.benches.bench_checks import (
    BenchCommand,
    check_axes,
    check_database,
    check_paths,
    check_settings,
    check_tasks,
    parse_bench_criteria,
)
from adk_agent_sim.cli.benches.bench_options import BenchSettings, bench_options
from adk_agent_sim.cli.exit_codes import (
    ExitCode,
    NothingToCompare,
    parse_limit,
    report_wrong_option,
    report_wrong_usage,
)
from adk_agent_sim.cli.scenarios.run_value_checks import judge_option
from adk_agent_sim.errors import BenchFolderRefused
from adk_agent_sim.text.terminal_output import send_other_output_to_stderr

if TYPE_CHECKING:
    from adk_agent_sim.bench.bench_plan import BenchPlan
    from adk_agent_sim.bench.bench_run import Engine
    from adk_agent_sim.bench.bench_summary import BenchSummary


@contextmanager
def interrupt_on_termination() -> Generator[None]:
    """Raise KeyboardInterrupt in the block when the process gets SIGTERM."""
    # Python lets only the main thread set signal handlers.
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@click.command(cls=BenchCommand, short_help="Run agents in scenarios, many times, and save every result.")
@click.argument("paths", nargs=-1, metavar="PATH...")
@bench_options
@judge_option
@click.option(
    "--criteria",
    multiple=True,
    metavar="CRITERION",
    help="How eval cases are judged, instead of the test_config.json beside them: exact, in-order, any-order, "
    "calls=off, rouge=0.8, rouge=off. Repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def run(
    paths: tuple[str, ...], settings: BenchSettings, judge_name: str, criteria: tuple[str, ...], as_json: bool
) -> None:
    """Run agents in the scenarios of PATH, and save every result in DIR.

    PATH is a scenario file, a JSON Lines file, a folder, a pattern such as "scenarios/*.json", or an EvalSet. Every
    combination of agents, models, players, scenarios, rules and seeds is run --runs times, each time with another
    seed; the same command gives the same runs. An agent is loaded again for each run, so that runs do not influence
    each other.

    \b
    adksim bench run scenarios/ --agent my_agents/assistant --runs 3 --out bench1
    adksim bench run scenarios/ --agent agents/old --agent agents/new --runs 5 --out compared --fail-under 0.8
    adksim bench run scenarios.jsonl --agent my_agents/assistant --rules none --rules faults.yaml --out faults
    adksim bench run scenarios/ --agent my_agents/assistant --runs 3 --out bench1 --resume

    --hf DATASET --hf-split SPLIT takes the scenarios of a Hugging Face dataset instead of PATH, such as Gaia2's.

    DIR gets results.jsonl, with a line as soon as a run has ended; report.html, summary.md and junit.xml; runs/, with a
    page for each run; and workers.log, with what the agents print. Ctrl-C stops the bench, and --resume goes on with
    it: only runs that are missing, or ended with an error or a timeout, are run again. After a rate limit of a model,
    its runs wait and fewer of them run at the same time.

    Exits with 1 if runs ended with an error or a timeout, or if fewer than --fail-under passed, which then is the only
    measure; with 3 if no run could be judged, with --fail-under also if none of one of the agents could; and otherwise
    with 0, also if runs failed.
    """
    # SIGTERM is raised as KeyboardInterrupt inside of the context that explains it.
    with (
        _explain_interrupts(settings.folder),
        interrupt_on_termination(),
        send_other_output_to_stderr() if as_json else nullcontext(),
    ):
        summary = _run_bench(paths, settings, judge_name, criteria)
    from adk_agent_sim.cli.benches.bench_table import print_bench_summary

    print_bench_summary(summary, as_json=as_json)
    _exit(settings, summary)


def _run_bench(
    paths: tuple[str, ...], settings: BenchSettings, judge_name: str, criteria: tuple[str, ...]
) -> BenchSummary:
    from adk_agent_sim.bench.bench_task import check_out_folder, find_tasks
    from adk_agent_sim.bench.process_pool import start_fork_server

    check_settings(settings)
    eval_criteria = parse_bench_criteria(criteria)
    task_filter = settings.build_filter()
    settings.check_paths(paths)
    check_paths(paths, click.get_current_context())
    with report_wrong_option("--out"):
        check_out_folder(paths, settings.folder)
    tasks = find_tasks(paths, eval_criteria)
    # With --hf there are no tasks before the download, which comes after the cheaper checks.
    if tasks:
        with report_wrong_usage():
            chosen = task_filter.select_some(tasks)
        check_tasks(chosen, click.get_current_context())
    if settings.engine == "processes":
        start_fork_server()  # while this process imports the same, which takes seconds
    from adk_agent_sim.bench.bench_plan import build_plan
    from adk_agent_sim.bench.hub_dataset import download_split

    axes, template, source = settings.build_axes(), settings.build_template(judge_name), settings.build_source()
    check_axes(axes, settings, template.judge)
    if source is not None:
        with report_wrong_option("--out", (BenchFolderRefused,)):
            tasks = find_tasks([str(download_split(settings.folder, source))], eval_criteria)
    described = source.describe() if source is not None else None
    with report_wrong_usage():
        plan = build_plan(task_filter.select_some(tasks), axes, template, settings.build_files(), described)
    if settings.database is not None:
        check_database(settings.database)
    return _run_with_progress(plan, settings)


@contextmanager
def _explain_interrupts(folder: Path) -> Generator[None]:
    """Say after Ctrl-C what there is, and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        from adk_agent_sim.bench.bench_task import is_bench_folder

        if not is_bench_folder(folder):
            raise click.ClickException("Interrupted before the first run. Nothing was run.") from None
        raise click.ClickException(
            f"Interrupted. The results so far are in {folder}: repeat the command with --resume to run the rest."
        ) from None


def _run_with_progress(plan: BenchPlan, settings: BenchSettings) -> BenchSummary:
    from adk_agent_sim.adk.worlds.run_options import parse_duration
    from adk_agent_sim.bench.bench_run import BenchOptions
    from adk_agent_sim.bench.rate_limits import BackoffPolicy
    from adk_agent_sim.cli.benches.bench_progress import BenchProgress
    from adk_agent_sim.use_cases.benches import run_bench

    workers = min(settings.workers or os.cpu_count() or 1, len(plan))
    progress = BenchProgress(len(plan))
    options = BenchOptions(
        worker_count=workers,
        resume=settings.resume,
        database=settings.database,
        backoff=BackoffPolicy(first_seconds=parse_duration(settings.rate_limit_wait)),
    )
    try:
        with report_wrong_option("--out", (BenchFolderRefused,)):
            return run_bench(plan, settings.folder, _create_engine(plan, settings, workers), options, progress)
    finally:
        progress.close()


def _create_engine(plan: BenchPlan, settings: BenchSettings, workers: int) -> Engine:
    from adk_agent_sim.bench.process_pool import ProcessPool

    timeout = parse_limit("--run-timeout", settings.run_timeout)
    if settings.engine == "ray":
        from adk_agent_sim.bench.ray_engine import RayEngine

        address = settings.ray_address
        return RayEngine(settings.folder, plan.files, workers, address=address, run_timeout=timeout)
    return ProcessPool(settings.folder, plan.files, workers, run_timeout=timeout)


def _exit(settings: BenchSettings, summary: BenchSummary) -> None:
    rate, counts = summary.success_rate, summary.overall.outcomes
    if rate is None:
        reason = summary.failures[0].shown_reason if summary.failures else ""
        raise NothingToCompare(f"No run could be judged. {reason}".strip())
    if settings.fail_under is not None:
        for each in summary.variants:
            if each.overall.success.value is None:
                raise NothingToCompare(
                    f"No run of {each.label} could be judged, so --fail-under says nothing about it."
                )
        if rate < settings.fail_under:
            raise click.ClickException(
                f"{rate:.1%} of the runs passed, fewer than the {settings.fail_under:.1%} of --fail-under."
            )
    elif failed := counts["error"] + counts["timeout"]:
        raise click.ClickException(
            f"{failed} of {summary.overall.runs} runs ended with an error or a timeout. "
            "See their reasons above, and repeat the command with --resume to run them again."
        )
    sys.exit(ExitCode.OK)
