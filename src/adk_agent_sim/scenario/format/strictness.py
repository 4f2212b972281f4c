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

STRICTNESS: tuple[Strictness, ...] = get_args(Strictness)

KEY = "strictness"


def stated(argument: ExportedActionArg) -> object:
    """What an argument says of its strictness; None if nothing."""
    return (argument.model_extra or {}).get(KEY)


def with_strictness(trace: ExportedTrace, wanted: Mapping[str, Strictness]) -> tuple[ExportedTrace, frozenset[str]]:
    """The scenario with strictness on the arguments of its expected actions.

    Args:
        trace: The scenario.
        wanted: How strictly by argument, as `Emails__send_email.content`.

    Returns:
        The scenario, and those of `wanted` that no expected action has.
    """
    used: set[str] = set()
    events = [_strict(event, wanted, used) for event in trace.events]
    return trace.model_copy(update={"events": events}), frozenset(wanted) - used


def _strict(event: AnyEvent, wanted: Mapping[str, Strictness], used: set[str]) -> AnyEvent:
    action = event.action
    if event.event_type != "AGENT" or action is None:
        return event
    args: list[ExportedActionArg] = []
    for each in action.args or ():
        name = f"{action.app}__{action.function}.{each.name}"
        if name in wanted:
            used.add(name)
        args.append(each.model_copy(update={KEY: wanted[name]}) if name in wanted else each)
    return event.model_copy(update={"action": action.model_copy(update={"args": args})})
