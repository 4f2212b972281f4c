"""How strictly an expected argument is compared with what the agent gave, where the scenario says so.

    exact     the same value
    contains  what the agent gave has the expected text, or all expected items, in it
    any       whatever the agent gave; the value only serves to run the expected actions

It is the key `strictness` of the argument. ARE reads over keys that it does not know, so the file works there too. An
argument without it is compared as the judge compares arguments of its kind: ids exactly, long texts by their meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from adk_agent_sim.scenario.format.models import AnyEvent, ExportedActionArg, ExportedTrace

Strictness: TypeAlias = Literal["exact", "any", "contains"]

STRICTNESS_LEVELS: tuple[Strictness, ...] = get_args(Strictness)

STRICTNESS_KEY = "strictness"


def get_strictness(argument: ExportedActionArg) -> object:
    """What an argument says of its strictness; None if nothing."""
    return (argument.model_extra or {}).get(STRICTNESS_KEY)


def with_strictness(
    trace: ExportedTrace, strictness_by_argument: Mapping[str, Strictness]
) -> tuple[ExportedTrace, frozenset[str]]:
    """The scenario with strictness on the arguments of its expected actions.

    Args:
        trace: The scenario.
        wanted: How strictly by argument, as `Emails__send_email.content`.

    Returns:
        The scenario, and those of `wanted` that no expected action has.
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
