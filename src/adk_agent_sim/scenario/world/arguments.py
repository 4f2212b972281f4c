"""The arguments of an event's call: texts read as values, placeholders replaced by what other events returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from adk_agent_sim.scenario.format.models import ExportedActionArg
from adk_agent_sim.scenario.format.values import placeholder, placeholder_event, value_of


class Unresolved(LookupError):
    """A placeholder stands for nothing: the event it names did not happen, failed, or returned no such key."""


def arguments_of(given: list[ExportedActionArg] | None, returned: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by name.

    Args:
        given: The arguments as the file has them.
        returned: What events returned, by their ids; without those that failed.

    Raises:
        Unresolved: A placeholder stands for nothing.
        ValueDoesNotFit: A text is not of its type.
    """
    return {each.name: _value(each, returned) for each in given or ()}


def _value(given: ExportedActionArg, returned: Mapping[str, Any]) -> Any:
    named = placeholder(given.value)
    if named is None:
        return value_of(given.value, given.value_type)
    source = placeholder_event(named, cast("dict[str, Any]", returned))
    if source not in returned:
        why = f"no event {source[:80]!r} has returned anything"
        raise Unresolved(f"The placeholder {{{{{named[:80]}}}}} of {given.name!r} stands for nothing: {why}")
    value = returned[source]
    for key in named[len(source) :].split(".")[1:]:
        if not isinstance(value, dict) or key not in value:
            why = f"what event {source[:80]!r} returned has no {key[:80]!r}"
            raise Unresolved(f"The placeholder {{{{{named[:80]}}}}} of {given.name!r} stands for nothing: {why}")
        value = cast("dict[str, Any]", value)[key]
    return value
