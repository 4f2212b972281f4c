"""`adksim bench watch`: shows benches in the browser while they run, and lets people pause them and repeat runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from adk_agent_sim.cli.play.browser import BrowserSettings, browser_options, serve_in_browser
from adk_agent_sim.text.terminal_output import print_line


@click.command()
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
