"""`adksim bench`: the group of commands for benches; without the name of one, `adksim bench PATH` runs a bench."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

import click

_COMMANDS = {
    "run": (
        "adk_agent_sim.cli.benches.bench_start",
        "run",
        "Run agents in scenarios, many times, and save every result.",
    ),
    "report": (
        "adk_agent_sim.cli.benches.bench_report",
        "report_command",
        "Write the reports of a bench again, and print how each agent did.",
    ),
    "watch": (
        "adk_agent_sim.cli.benches.bench_watch",
        "watch",
        "Show benches in the browser while they run; pause them, and repeat runs.",
    ),
    "diff": (
        "adk_agent_sim.cli.benches.bench_diff",
        "diff_command",
        "Compare two benches: what got better or worse, and whether that can be chance.",
    ),
}
"""The module of each command, its function, and a summary."""


class _BenchGroup(click.Group):
    """Runs a bench if the first word is no command, and imports a command only when it is called."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = ctx.help_option_names
        if args and args[0] not in _COMMANDS and not (args[0] in own and len(args) == 1):
            similar = get_close_matches(args[0], _COMMANDS, n=1, cutoff=0.75)
            if similar and not Path(args[0]).exists():
                raise click.UsageError(f"There is no command or file {args[0]!r}. Did you mean {similar[0]}?", ctx)
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, function, _ = _COMMANDS[cmd_name]
        return getattr(import_module(module), function)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, _, summary) in _COMMANDS.items()])


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
