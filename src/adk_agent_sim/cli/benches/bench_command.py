"""The command line of `adksim bench run`: refuses a file after an option that takes none, which would become a PATH."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from adk_agent_sim.cli.benches.repeated_options import SingleValueCommand

_RUN_FILES: Mapping[str, str] = {
    "--report": "00001.html",
    "--trace": "00001.trace.json",
    "--eval-set": "00001.evalset.json",
    "--markdown": "00001.md",
    "--timeline": "00001.jsonl",
}
"""The options that take a file in `scenario run` and none in a bench, each with what the first run leaves."""

_FOLLOWING_WORDS = f"{__name__}.following_words"


class BenchCommand(SingleValueCommand):
    """Remembers which words follow options that take no file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; raise UsageError for `--trace=FILE`."""
        following: dict[str, str] = {}
        for word, after in zip(args, [*args[1:], ""], strict=True):
            option, equals, value = word.partition("=")
            if option in _RUN_FILES and equals:
                raise click.UsageError(_explain_run_files(option, value), ctx)
            if option in _RUN_FILES and after and not after.startswith("-"):
                following[after] = option
        ctx.meta[_FOLLOWING_WORDS] = following
        return super().parse_args(ctx, args)


def check_paths(paths: Sequence[str], ctx: click.Context) -> None:
    """Raise UsageError if a PATH denotes nothing, or was meant as the file of an option.

    A word after an option such as --trace is a PATH only if it is the only one: otherwise a file that somebody wanted
    to be written would be run as a scenario.
    """
    from adk_agent_sim.bench.bench_task import find_paths
    from adk_agent_sim.errors import InvalidBench

    following: Mapping[str, str] = ctx.meta[_FOLLOWING_WORDS]
    for path in paths:
        option, problem = following.get(path), None
        try:
            find_paths(path)
        except InvalidBench as error:
            problem = error
        if option is not None and (len(paths) > 1 or problem is not None):
            advice = "" if problem else f" If {path} is to be run, write it before the options."
            raise click.UsageError(_explain_run_files(option, path) + advice)
        if problem is not None:
            raise click.BadParameter(str(problem), param_hint="PATH") from problem


def _explain_run_files(option: str, value: str) -> str:
    return (
        f"{option} takes no file in a bench, because each run leaves its own: DIR/runs/{_RUN_FILES[option]} and so on. "
        f"Write {option} alone, without {value}."
    )
