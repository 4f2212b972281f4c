"""The exit codes of every `adksim` command, and the errors that lead to them.

The table is what the commands, `adksim --help` and the tests read. A value that cannot be used is reported as a wrong
command line, which names the option, before anything is run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final, NoReturn

import click
from click.core import ParameterSource

from adk_agent_sim.errors import SimulatorError


class ExitCode(IntEnum):
    """What a command reports to the shell."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOTHING_TO_COMPARE = 3


EXIT_CODE_MEANINGS: Final[Mapping[ExitCode, str]] = MappingProxyType(
    {
        ExitCode.OK: "The command succeeded: everything is as expected.",
        ExitCode.FAILED: "Something failed, or a result is not as expected.",
        ExitCode.USAGE: "The command line is wrong: an unknown command, option or value.",
        ExitCode.NOTHING_TO_COMPARE: "There was nothing to compare or judge, so nothing passed.",
    }
)


class NothingToCompare(click.ClickException):
    """The command ran, but its input held nothing to compare or judge.

    A separate code, because a check that compared nothing must not pass in CI, and has not failed either.
    """

    exit_code = ExitCode.NOTHING_TO_COMPARE


def exit_with_result(*, has_failed: bool, problem: str | None) -> NoReturn:
    """Exit with the code of a comparison or judgement.

    Args:
        has_failed: Whether a result is not as expected.
        problem: Why something was not compared or judged; None if everything was.
    """
    if has_failed:
        sys.exit(ExitCode.FAILED)
    if problem is not None:
        raise NothingToCompare(problem)
    sys.exit(ExitCode.OK)


def format_exit_codes() -> str:
    """Return the table as `adksim --help` prints it."""
    rows = "\n".join(f"  {code.value}  {meaning}" for code, meaning in EXIT_CODE_MEANINGS.items())
    # \b keeps click from joining the lines to one paragraph.
    return f"\b\nExit codes:\n{rows}"


@contextmanager
def report_wrong_option(option: str, kinds: tuple[type[Exception], ...] = (SimulatorError, OSError)) -> Generator[None]:
    """Raise errors about the value of an option as click.BadParameter, which exits with the code of a wrong usage.

    Args:
        option: The option, as it is written.
        kinds: The errors that are about its value; by default all of ours, and those of files.
    """
    try:
        yield
    except kinds as error:
        raise click.BadParameter(str(error), param_hint=option) from error


@contextmanager
def report_wrong_usage() -> Generator[None]:
    """Raise errors about values that contradict each other, whose message names them, as click.UsageError."""
    try:
        yield
    except SimulatorError as error:
        raise click.UsageError(str(error)) from error


def parse_duration_option(option: str, text: str) -> float:
    """Return the seconds of an option; raise BadParameter, which names it, if the text is no time."""
    from adk_agent_sim.adk.worlds.run_options import parse_duration

    with report_wrong_option(option):
        return parse_duration(text)


def parse_limit(option: str, text: str) -> float:
    """Return the most seconds of a run; raise BadParameter if no run could end in time."""
    seconds = parse_duration_option(option, text)
    if seconds <= 0:
        raise click.UsageError(f"{option} {text} would stop every run before it starts. Give a longer time.")
    return seconds


def check_writable(option: str, path: Path) -> None:
    """Raise BadParameter if a file or folder cannot be created, or one that is there cannot be changed."""
    existing = path
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if existing != path and not existing.is_dir():
        raise click.BadParameter(
            f"{path} cannot be written, because {existing} is a file, not a folder. Choose another path.",
            param_hint=option,
        )
    if not os.access(existing, os.W_OK):
        raise click.BadParameter(
            f"{path} cannot be written, because {existing} is read-only for you. Choose another path.",
            param_hint=option,
        )


def list_given_options(context: click.Context, names: Collection[str]) -> list[str]:
    """Return the options that somebody has given, of some parameters."""
    return [
        param.opts[0]
        for param in context.command.params
        if param.name in names and context.get_parameter_source(param.name) is not ParameterSource.DEFAULT
    ]
