"""`adksim bench report`: writes the reports of a bench again, from its results."""

from __future__ import annotations

from pathlib import Path

import click

from adk_agent_sim.cli.exit_codes import NothingToCompare


@click.command("report")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def report_command(folder: Path, as_json: bool) -> None:
    """Write report.html, summary.md and junit.xml in DIR again, and print how each agent did.

    DIR is the folder of a bench, finished or not: the reports hold the runs that have ended so far. Nothing is run.
    report.html needs no network and no other file, except for the pages of single runs that it links to.

    Success is the share of judged runs that passed, with its 95 % Wilson interval. Errors and timeouts count as not
    passed; runs that nobody could judge do not count. pass@k is the probability that at least one of k runs passes,
    pass^k that all of them do.

    Exits with 3 if no run was judged, and otherwise with 0.

    \b
    adksim bench scenarios/ --agent my_agents/assistant --runs 3 --out bench1
    adksim bench report bench1
    adksim bench report bench1 --json > summary.json
    """
    from adk_agent_sim.cli.benches.bench_table import print_bench_summary
    from adk_agent_sim.use_cases.benches import write_bench_reports

    summary = write_bench_reports(folder)
    if as_json or summary.overall.runs:
        print_bench_summary(summary, as_json=as_json)
    if summary.success_rate is None:
        raise NothingToCompare(f"No run in {folder} was judged.")
