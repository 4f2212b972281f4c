"""The exit codes of every `adksim` command: the one table that the commands, `adksim --help` and the tests read."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Final, NoReturn

import click


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
