"""The option `--criteria`: what `adk eval` compares with the golden trace that a command writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.errors import InvalidCriteria

if TYPE_CHECKING:
    from adk_agent_sim.golden.eval_criteria import EvalCriteria


def criteria_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option; the command gets EvalCriteria, or None if it was not given."""
    option = click.option(
        "--criteria",
        multiple=True,
        metavar="CRITERION",
        callback=_read_words,
        help="Write the test_config.json that `adk eval` reads beside the EvalSet: exact, in-order, any-order, "
        "calls=off, rouge=0.8, rouge=off, and for a judging model rubric=TEXT, tool-rubric=TEXT, rubric-score=0.8, "
        "judge=MODEL. Repeatable.",
    )
    return option(command)


def _read_words(context: click.Context, option: click.Parameter, words: tuple[str, ...]) -> EvalCriteria | None:
    if not words:
        return None
    from adk_agent_sim.golden.eval_criteria import parse_criteria

    try:
        return parse_criteria(words)
    except InvalidCriteria as error:
        raise click.BadParameter(str(error), context, option) from error
