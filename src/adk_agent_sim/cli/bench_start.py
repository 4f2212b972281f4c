"""`adksim bench run`: runs agents in scenarios, prints the progress and then how each did."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.bench_options import BenchSettings, bench_options
from adk_agent_sim.cli.exit_codes import ExitCode, NothingToCompare
from adk_agent_sim.cli.soft_judge_options import judge_option
from adk_agent_sim.text.terminal_output import print_json, print_line, send_other_output_to_stderr

if TYPE_CHECKING:
    from adk_agent_sim.bench.bench_plan import BenchPlan
    from adk_agent_sim.bench.bench_run import Engine
    from adk_agent_sim.bench.bench_summary import BenchSummary


@click.command()
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
    seed; the same command gives the same runs. An agent is loaded anew for each run, so that runs do not influence
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
    measure; with 3 if no run could be judged; and otherwise with 0, also if runs failed.
    """
    from adk_agent_sim.bench.bench_task import find_tasks
    from adk_agent_sim.bench.process_context import start_fork_server
    from adk_agent_sim.golden.eval_criteria import parse_criteria

    task_filter = settings.build_filter()
    paths = settings.find_paths(paths)
    tasks = task_filter.select(find_tasks(paths, parse_criteria(criteria) if criteria else None))
    if settings.engine == "processes":
        start_fork_server()  # while this process imports the same, which takes seconds
    from adk_agent_sim.bench.bench_plan import build_plan
    from adk_agent_sim.bench.bench_report import HTML_REPORT, write_reports
    from adk_agent_sim.bench.hub_dataset import write_hub_results
    from adk_agent_sim.bench.summary_json import summary_to_json
    from adk_agent_sim.cli.bench_table import print_bench_table

    axes, template = settings.build_axes(), settings.build_template(judge_name)
    plan = build_plan(tasks, axes, template, settings.build_files())
    with send_other_output_to_stderr() if as_json else nullcontext():
        check_axes(plan)
        _run_with_progress(plan, settings)
        summary = write_reports(settings.folder)
        if settings.hf_dataset is not None:
            write_hub_results(settings.folder)
    if as_json:
        print_json({"folder": str(settings.folder), **summary_to_json(summary)})
    else:
        print_bench_table(summary)
        print_line()
        print_line(f"See {settings.folder / HTML_REPORT}")
    _exit(settings, summary)


def check_axes(plan: BenchPlan) -> None:
    """Raise what is wrong with agents, players, models and rules, before any run starts."""
    from adk_agent_sim.adk.worlds.other_model import create_model
    from adk_agent_sim.adk.worlds.run_plan import DEFAULT_AGENT
    from adk_agent_sim.adk.worlds.run_players import create_run_player
    from adk_agent_sim.environment.rules_file import load_rules
    from adk_agent_sim.errors import AgentLoadFailed

    for player in {run.plan.player for run in plan.runs}:
        create_run_player(player)
    for model in {run.plan.model for run in plan.runs if run.plan.model}:
        create_model(model)
    for rules in {run.plan.rules for run in plan.runs if run.plan.rules}:
        load_rules(rules)
    for agent in {run.plan.agent for run in plan.runs if run.plan.agent != DEFAULT_AGENT}:
        if not os.path.isdir(agent):
            raise AgentLoadFailed(agent, "there is no such folder")


def _run_with_progress(plan: BenchPlan, settings: BenchSettings) -> None:
    from adk_agent_sim.adk.worlds.thinking_time import parse_duration
    from adk_agent_sim.bench.bench_run import BenchOptions, run_bench
    from adk_agent_sim.bench.rate_limits import BackoffPolicy
    from adk_agent_sim.cli.bench_progress import BenchProgress

    workers = min(settings.workers or os.cpu_count() or 1, len(plan))
    progress = BenchProgress(len(plan))
    options = BenchOptions(
        worker_count=workers,
        resume=settings.resume,
        database=settings.database,
        backoff=BackoffPolicy(first_seconds=parse_duration(settings.rate_limit_wait)),
    )
    try:
        run_bench(plan, settings.folder, _create_engine(plan, settings, workers), options, progress)
    except KeyboardInterrupt:
        progress.close()
        raise click.ClickException(
            f"Interrupted. The results so far are in {settings.folder}: "
            "repeat the command with --resume to run the rest."
        ) from None
    finally:
        progress.close()


def _create_engine(plan: BenchPlan, settings: BenchSettings, workers: int) -> Engine:
    from adk_agent_sim.adk.worlds.thinking_time import parse_duration
    from adk_agent_sim.bench.process_pool import ProcessPool

    timeout = parse_duration(settings.run_timeout)
    if settings.engine == "ray":
        from adk_agent_sim.bench.ray_engine import RayEngine

        address = settings.ray_address
        return RayEngine(settings.folder, plan.files, workers, address=address, run_timeout=timeout)
    return ProcessPool(settings.folder, plan.files, workers, run_timeout=timeout)


def _exit(settings: BenchSettings, summary: BenchSummary) -> None:
    rate, counts = summary.success_rate, summary.overall.outcomes
    if rate is None:
        reason = summary.failures[0].reason if summary.failures else ""
        raise NothingToCompare(f"No run could be judged. {reason}".strip())
    if settings.fail_under is not None:
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
