"""How strictly an expected argument is compared with the agent's, if the scenario specifies it.

    exact     the same value
    contains  the agent's value contains the expected text, or all expected items
    any       any value of the agent; the expected value is only used in oracle runs

It is the key `strictness` of the argument. ARE ignores unknown keys, so the file also works there. Without it, the
judge compares an argument according to its kind: ids exactly, and long texts by their meaning if a model judges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from adk_agent_sim.scenario.format.models import AnyEvent, ExportedActionArg, ExportedTrace

Strictness: TypeAlias = Literal["exact", "any", "contains"]

STRICTNESS_LEVELS: tuple[Strictness, ...] = get_args(Strictness)

STRICTNESS_KEY = "strictness"


def get_strictness(argument: ExportedActionArg) -> object:
    """Return the strictness that an argument specifies, or None."""
    return (argument.model_extra or {}).get(STRICTNESS_KEY)


def with_strictness(
    trace: ExportedTrace, strictness_by_argument: Mapping[str, Strictness]
) -> tuple[ExportedTrace, frozenset[str]]:
    """Return the scenario with strictness set on arguments of its expected actions.

    Args:
        trace: The scenario.
        strictness_by_argument: The strictness by argument, such as `Emails__send_email.content`.

    Returns:
        The scenario, and the given arguments that no expected action has.
    """
    used: set[str] = set()
    events = [_apply_strictness(event, strictness_by_argument, used) for event in trace.events]
    return trace.model_copy(update={"events": events}), frozenset(strictness_by_argument) - used


def _apply_strictness(event: AnyEvent, strictness_by_argument: Mapping[str, Strictness], used: set[str]) -> AnyEvent:
    action = event.action
    if event.event_type != "AGENT" or action is None:
        return event
    args: list[ExportedActionArg] = []
    for each in action.args or ():
        name = f"{action.app}__{action.function}.{each.name}"
        if name in strictness_by_argument:
            used.add(name)
        args.append(
            each.model_copy(update={STRICTNESS_KEY: strictness_by_argument[name]})
            if name in strictness_by_argument
            else each
        )
    return event.model_copy(update={"action": action.model_copy(update={"args": args})})
