"""The entry point of `adksim`: a group that imports a command's module only when the command is called."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from adk_agent_sim import __version__
from adk_agent_sim.cli.exit_codes import format_exit_codes
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.text.escaped_logging import escape_default_handler
from adk_agent_sim.text.escaping import escape_message
from adk_agent_sim.text.terminal_output import OutputClosed, print_uncaught

_COMMANDS = {
    "demo": ("play", "Play the model of a demo agent, in the browser or in this terminal."),
    "run": ("play", "Play the model of your own agent: in the terminal, in the browser, or from a script."),
    "serve": ("servers", "Start a server where people answer the model calls of remote agents."),
    "open": ("servers", "Print a login URL for the browser app of a running server."),
    "token": ("servers", "List, create and revoke the access tokens of a server."),
    "sessions": ("sessions", "List the sessions in a database: status, agent, age, last event, size."),
    "export": ("sessions", "Export a session as an EvalSet case, a fixture, a timeline or a report."),
    "fork": ("time_travel", "Continue a copy of a session from any of its turns."),
    "replay": ("evals", "Call the tools of a golden trace again and show what has changed."),
    "evals": ("evals", "List, check, replay and edit the cases of EvalSets, in the terminal or the browser."),
    "env": ("environment", "Check rules for simulated tools, generate them from a trace, report what they did."),
    "scenario": ("scenarios", "Check, show, run, play, judge, annotate and convert ARE and Gaia2 scenarios."),
    "bench": ("benches", "Run agents in many scenarios, several times each, and compare how they do."),
    "doctor": ("servers", "Check this machine: versions, optional packages, ports, paths."),
}
"""The folder and the summary of each command, which is the function of that name, or with an underscore after it."""


class _LazyCommandGroup(click.Group):
    """Imports commands on demand, so that `adksim --help` does not import ADK, which takes seconds."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"adk_agent_sim.cli.{_COMMANDS[cmd_name][0]}.{cmd_name}")
        # A name such as `open` would hide a builtin of Python.
        return getattr(module, cmd_name, None) or getattr(module, f"{cmd_name}_")

    def invoke(self, ctx: click.Context) -> object:
        """Report our own errors, and those of files named on the command line, as one line without a traceback."""
        with _escape_usage_errors():
            try:
                return super().invoke(ctx)
            except OutputClosed:
                raise  # click ends the command without a message
            except (SimulatorError, OSError) as error:
                raise click.ClickException(str(error)) from error

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        with _escape_usage_errors():
            return super().make_context(info_name, args, parent, **extra)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # click's own method would import every command to read its summary.
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _COMMANDS.items()])


@contextmanager
def _escape_usage_errors() -> Generator[None]:
    """Escape the messages that click prints: they quote arguments, files and other people's texts."""
    try:
        yield
    except click.ClickException as error:
        vars(error)["message"] = escape_message(error.message)  # final for pyright; every kind of error prints it
        raise


@click.group(cls=_LazyCommandGroup, epilog=format_exit_codes())
@click.version_option(__version__, prog_name="adksim")
def adksim() -> None:
    """Simulate everything around an ADK agent: its model, its tools, its user, its world.

    Start with `adksim demo`: you play the model of a demo agent, and the session becomes an EvalSet for `adk eval`.
    `adksim COMMAND --help` shows an example of each command. Every command that prints a result has --json.
    """


def main() -> None:
    """Run `adksim`."""
    warnings.filterwarnings("ignore", message=r"\[EXPERIMENTAL\]")
    sys.excepthook = print_uncaught
    escape_default_handler()
    adksim()
