"""Refuses options of `adksim bench` that would be accepted without an effect, and says why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from adk_agent_sim.cli.bench_options import BenchSettings
from adk_agent_sim.text.terminal_output import print_line

if TYPE_CHECKING:
    from adk_agent_sim.bench.bench_task import BenchTask
    from adk_agent_sim.golden.eval_criteria import EvalCriteria

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
    from adk_agent_sim.bench.axis_labels import NO_RULES
    from adk_agent_sim.errors import InvalidBench

    if settings.world.profile is not None and not any(each != NO_RULES for each in settings.rules):
        raise click.UsageError("--profile needs --rules FILE: it is a profile of these rules.")
    if settings.ray_address is not None and settings.engine != "ray":
        raise click.UsageError("--ray-address needs --engine ray.")
    try:
        settings.build_filter()
    except InvalidBench as error:
        raise click.BadParameter(str(error), param_hint="--filter") from error
    parse_run_timeout(settings.run_timeout)
    _parse_time("--rate-limit-wait", settings.rate_limit_wait)


def _parse_time(option: str, text: str) -> float:
    """Return the seconds of an option; raise BadParameter, which names it, if the text is no time."""
    from adk_agent_sim.adk.worlds.thinking_time import parse_duration
    from adk_agent_sim.errors import InvalidRunOption

    try:
        return parse_duration(text)
    except InvalidRunOption as error:
        raise click.BadParameter(str(error), param_hint=option) from error


def parse_run_timeout(text: str) -> float:
    """Return the most seconds of a run; raise UsageError if no run could end in time."""
    seconds = _parse_time("--run-timeout", text)
    if seconds <= 0:
        raise click.UsageError(f"--run-timeout {text} would stop every run before it starts. Give a longer time.")
    return seconds


def parse_bench_criteria(words: Sequence[str]) -> EvalCriteria | None:
    """Return how eval cases are judged; None to judge each as the file beside it says.

    Raises:
        UsageError: A criterion needs a model.
        InvalidCriteria: A word is no criterion.
    """
    from adk_agent_sim.golden.eval_criteria import parse_criteria

    if refused := [word for word in words if word.partition("=")[0] in _MODEL_CRITERIA]:
        raise click.UsageError(
            f"--criteria {refused[0]!r} cannot be used in a bench, which asks no model about eval cases. "
            "`adk eval` does, with `adksim export --criteria`."
        )
    return parse_criteria(words) if words else None


def check_tasks(tasks: Sequence[BenchTask], ctx: click.Context) -> None:
    """Say which options apply to some tasks only; raise UsageError if they apply to none."""
    cases = sum(task.kind == "eval_case" for task in tasks)
    if tasks and not cases and _list_given(ctx, {"criteria"}):
        raise click.UsageError("--criteria says how eval cases are judged, and there are only scenarios.")
    given = _list_given(ctx, _SCENARIO_PARAMETERS)
    if not cases or not given:
        return
    text = f"{' and '.join(given)} {'applies' if len(given) == 1 else 'apply'} to scenarios only"
    if cases == len(tasks):
        raise click.UsageError(f"{text}, and there are only eval cases.")
    print_line(f"{text}, not to the {cases} eval cases.", err=True)


def _list_given(ctx: click.Context, names: frozenset[str] | set[str]) -> list[str]:
    """Return the options that somebody has given, of some parameters."""
    return [
        param.opts[0]
        for param in ctx.command.params
        if param.name in names and ctx.get_parameter_source(param.name) is not ParameterSource.DEFAULT
    ]
