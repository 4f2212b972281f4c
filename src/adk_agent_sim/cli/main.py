"""The command line's entry: a group whose commands are imported when they are called."""

from __future__ import annotations

import warnings
from importlib import import_module

import click

from adk_agent_sim import __version__
from adk_agent_sim.errors import SimulatorError

_COMMAND_SUMMARIES = {
    "demo": "Play the model of a demo agent, in the browser or in this terminal.",
    "run": "Play the model of your own agent: in the terminal, in the browser, or from a script.",
    "serve": "Let people answer the model calls of agents that run anywhere.",
    "sessions": "List the sessions of a database: status, agent, age, last event, size.",
    "export": "Write a session as a golden trace, a fixture, a timeline or a report.",
    "replay": "Run the recorded calls of a golden trace again, and show what has changed.",
    "env": "Check rules for simulated tools, make them from a trace, report what they did.",
    "scenario": "Check, show, run, play, annotate and convert scenarios of ARE and Gaia2.",
    "doctor": "Look at this machine: versions, optional parts, ports, paths.",
}
"""Each command is the function of that name in the module of that name."""


class _LazyCommandGroup(click.Group):
    """Finds commands by name, so that `adksim --help` costs no import of ADK."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMAND_SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMAND_SUMMARIES:
            return None
        return getattr(import_module(f"adk_agent_sim.cli.{cmd_name}"), cmd_name)

    def invoke(self, ctx: click.Context) -> object:
        """An error of ours, or of the files a person named, is one readable line, not a traceback."""
        try:
            return super().invoke(ctx)
        except (SimulatorError, OSError) as error:
            raise click.ClickException(str(error)) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMAND_SUMMARIES.items()))


@click.group(cls=_LazyCommandGroup)
@click.version_option(__version__, prog_name="adksim")
def adksim() -> None:
    """Simulate everything around an ADK agent: its model, its tools, its user, its world.

    Start with `adksim demo`: you play the model of a demo agent, and the session becomes an EvalSet for `adk eval`.
    """


def main() -> None:
    """Run `adksim`."""
    warnings.filterwarnings("ignore", message=r"\[EXPERIMENTAL\]")
    adksim()
