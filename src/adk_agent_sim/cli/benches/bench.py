"""`adksim bench`: the group of commands for benches; without the name of one, `adksim bench PATH` runs a bench."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import click

from adk_agent_sim.cli.benches.bench_diff import diff_command
from adk_agent_sim.cli.benches.bench_start import run
from adk_agent_sim.cli.exit_codes import NothingToCompare
from adk_agent_sim.cli.play.browser import BrowserSettings, browser_options, serve_in_browser
from adk_agent_sim.text.terminal_output import print_line


class _BenchGroup(click.Group):
    """Runs a bench if the first word is no command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = ctx.help_option_names
        if args and args[0] not in self.commands and not (args[0] in own and len(args) == 1):
            similar = get_close_matches(args[0], self.commands, n=1, cutoff=0.75)
            if similar and not Path(args[0]).exists():
                raise click.UsageError(f"There is no command or file {args[0]!r}. Did you mean {similar[0]}?", ctx)
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_BenchGroup)
def bench() -> None:
    """Measure agents: run them in many scenarios, several times each, and compare them.

    \b
    adksim bench scenarios/ --agent my_agents/assistant --runs 3 --out bench1
    adksim bench scenarios/ --agent agents/old --agent agents/new --runs 5 --out compared --fail-under 0.8
    adksim bench scenarios/ --player oracle --player nothing --out check
    adksim bench scenarios/ --agent my_agents/assistant --runs 3 --out bench1 --resume

    The word run may be left out, as here. `adksim bench run --help` lists the options.
    """


bench.add_command(run)


@bench.command("report", short_help="Write the reports of a bench again, and print how each agent did.")
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


@bench.command(short_help="Show benches in the browser while they run; pause them, and repeat runs.")
@click.argument(
    "folders",
    metavar="DIR...",
    nargs=-1,
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
)
@browser_options
def watch(folders: Sequence[Path], browser: BrowserSettings) -> None:
    """Show the benches in DIR... in the browser: the matrix fills in while they run.

    Start it in another terminal than the bench, before or while it runs, or after it. A run that is going on can be
    opened, and shows what has happened in it so far and what follows. A running bench can be paused: runs that have
    started then end, and no others start. A run that has ended can be repeated: at once if the bench is running, and
    otherwise when it is continued with --resume. Its result then replaces the one before.

    Ctrl-C stops the server, not the bench.

    \b
    adksim bench scenarios/ --agent my_agents/assistant --runs 3 --out bench1
    adksim bench watch bench1 --open
    """
    from adk_agent_sim.bench.bench_task import PLAN_NAME
    from adk_agent_sim.server.benches.bench_catalog import BenchCatalog

    for folder in folders:
        if not (folder / PLAN_NAME).exists():
            print_line(f"There is no bench in {folder} yet: it will be shown when it starts.", err=True)
    serve_in_browser([], browser, benches=BenchCatalog(folders))


bench.add_command(diff_command)
