"""Refuses options and paths of `adksim bench run` that would be accepted without an effect, and says why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.benches.bench_options import BenchSettings
from adk_agent_sim.cli.exit_codes import (
    NothingToCompare,
    check_writable,
    list_given_options,
    parse_duration_option,
    parse_limit,
    report_wrong_option,
    report_wrong_usage,
)
from adk_agent_sim.cli.scenarios.run_value_checks import (
    check_agent,
    check_judge,
    check_model,
    check_player,
    check_rules,
)
from adk_agent_sim.errors import InvalidBench
from adk_agent_sim.text.terminal_output import print_line

if TYPE_CHECKING:
    from adk_agent_sim.bench.bench_plan import BenchAxes
    from adk_agent_sim.bench.bench_task import BenchTask
    from adk_agent_sim.golden.eval_criteria import EvalCriteria


_RUN_FILES: Mapping[str, str] = {
    "--report": "00001.html",
    "--trace": "00001.trace.json",
    "--eval-set": "00001.evalset.json",
    "--markdown": "00001.md",
    "--timeline": "00001.jsonl",
}
"""The options that take a file in `scenario run` and none in a bench, each with what the first run leaves."""

_FOLLOWING_WORDS = f"{__name__}.following_words"


class BenchCommand(click.Command):
    """Refuses an option given twice if it takes one value; remembers which words follow options that take no file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; raise UsageError for `--trace=FILE`, or if an option is given too often."""
        following: dict[str, str] = {}
        for word, after in zip(args, [*args[1:], ""], strict=True):
            option, equals, value = word.partition("=")
            if option in _RUN_FILES and equals:
                raise click.UsageError(_explain_run_files(option, value), ctx)
            if option in _RUN_FILES and after and not after.startswith("-"):
                following[after] = option
        ctx.meta[_FOLLOWING_WORDS] = following
        self._check_repetitions(ctx, args)
        return super().parse_args(ctx, args)

    def _check_repetitions(self, ctx: click.Context, args: list[str]) -> None:
        """Raise UsageError if an option is given too often; click alone takes the last value silently."""
        # The parser names a parameter once for each time that it was given.
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        counts = Counter(param for param in given if isinstance(param, click.Option) and not _can_repeat(param))
        for param, count in counts.items():
            if count > 1 and not ctx.resilient_parsing:
                lists = [each.opts[0] for each in self.params if isinstance(each, click.Option) and each.multiple]
                raise click.UsageError(
                    f"{param.opts[0]} was given {count} times, but takes one value. "
                    f"Only these options can be repeated: {', '.join(lists)}.",
                    ctx,
                )


def _can_repeat(param: click.Option) -> bool:
    return param.multiple or param.is_eager


def check_paths(paths: Sequence[str], ctx: click.Context) -> None:
    """Raise UsageError if a PATH denotes nothing, or was meant as the file of an option.

    A word after an option such as --trace is a PATH only if it is the only one: otherwise a file that somebody wanted
    to be written would be run as a scenario.
    """
    from adk_agent_sim.bench.bench_task import find_paths

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


_SCENARIO_PARAMETERS = frozenset(
    {
        "thinking",
        "stop_on_rejection",
        "max_duration",
        "max_wall_time",
        "notifications",
        "world_agents",
        "noise",
        "tool_failure_probability",
        "tool_augmentation",
        "env_events_per_minute",
        "fs_content",
        "trace",
        "eval_set",
        "judge_name",
    }
)
"""What means nothing for an eval case, which has no world."""

_MODEL_CRITERIA = ("rubric", "tool-rubric", "rubric-score", "judge")


def check_settings(settings: BenchSettings) -> None:
    """Raise UsageError if a value is wrong, an option needs another one, or no run could end in time."""
    from adk_agent_sim.bench.bench_plan import NO_RULES

    if settings.world.profile is not None and not any(each != NO_RULES for each in settings.rules):
        raise click.UsageError("--profile needs --rules FILE: it is a profile of these rules.")
    if settings.ray_address is not None and settings.engine != "ray":
        raise click.UsageError("--ray-address needs --engine ray.")
    with report_wrong_option("--filter"):
        settings.build_filter()
    parse_limit("--run-timeout", settings.run_timeout)
    parse_duration_option("--rate-limit-wait", settings.rate_limit_wait)
    check_writable("--out", settings.folder)


def parse_bench_criteria(words: Sequence[str]) -> EvalCriteria | None:
    """Return how eval cases are judged; None to judge each as the file beside it says.

    Raises:
        UsageError: A criterion needs a model, or a word is no criterion.
    """
    from adk_agent_sim.golden.eval_criteria import parse_criteria

    if refused := [word for word in words if word.partition("=")[0] in _MODEL_CRITERIA]:
        raise click.UsageError(
            f"--criteria {refused[0]!r} cannot be used in a bench, which asks no model about eval cases. "
            "`adk eval` does, with `adksim export --criteria`."
        )
    with report_wrong_option("--criteria"):
        return parse_criteria(words) if words else None


def check_tasks(tasks: Sequence[BenchTask], ctx: click.Context) -> None:
    """Say which options apply to some tasks only; raise UsageError if they apply to none."""
    cases = sum(task.kind == "eval_case" for task in tasks)
    if tasks and not cases and list_given_options(ctx, {"criteria"}):
        raise click.UsageError("--criteria says how eval cases are judged, and there are only scenarios.")
    _check_criteria(tasks)
    given = list_given_options(ctx, _SCENARIO_PARAMETERS)
    if not cases or not given:
        return
    text = f"{' and '.join(given)} {'applies' if len(given) == 1 else 'apply'} to scenarios only"
    if cases == len(tasks):
        raise click.UsageError(f"{text}, and there are only eval cases.")
    print_line(f"{text}, not to the {_count_cases(cases)}.", err=True)


def _check_criteria(tasks: Sequence[BenchTask]) -> None:
    """Say which criteria of eval cases are not judged; raise NothingToCompare if nothing would be."""
    notes = Counter(task.criteria.note for task in tasks if task.criteria is not None and task.criteria.not_judged)
    for note, count in notes.items():
        print_line(f"{_count_cases(count)}: {note} `adk eval` does.", err=True)
    empty = [task for task in tasks if task.criteria is not None and not task.criteria.can_judge]
    if empty and len(empty) == len(tasks):
        raise NothingToCompare(
            "There is nothing to judge: the criteria of the eval cases compare neither calls nor responses. Nothing "
            "was run. Give others, such as --criteria exact."
        )
    if empty:
        print_line(
            f"Without a criterion that a bench can judge, so that it cannot pass: {_count_cases(len(empty))}.", err=True
        )


def _count_cases(count: int) -> str:
    return f"{count} eval case{'s' * (count != 1)}"


def check_axes(axes: BenchAxes, settings: BenchSettings, judge: str | None = None) -> None:
    """Raise UsageError if an agent, player, model, rules file or the judge cannot be used: before any is downloaded."""
    from adk_agent_sim.bench.bench_plan import NO_RULES, check_axis_values

    with report_wrong_usage():
        check_axis_values(axes)
    for player in axes.players:
        check_player(player)
    for model in axes.models:
        check_model(model)
    for rules in axes.rules:
        if rules != NO_RULES:
            check_rules(rules, settings.world.profile)
    for agent in axes.agents:
        check_agent(agent)
    if judge is not None:
        check_judge(judge)
    if settings.world.world_agents:
        from adk_agent_sim.bench.world_agent_check import find_world_agent_problem

        if problem := find_world_agent_problem(axes.agents, settings.world.world_agents):
            raise click.BadParameter(problem, param_hint="--world-agent")


def check_database(database: str) -> None:
    """Raise BadParameter if no timeline can be stored in a database, before a folder of results is made."""
    from adk_agent_sim.bench.session_archive import open_session_archive

    with report_wrong_option("--db"), open_session_archive(database, ""):
        pass
