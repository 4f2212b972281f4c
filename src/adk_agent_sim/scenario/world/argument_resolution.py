"""Arguments of an event's call: texts parsed as values, placeholders replaced by return values of other events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from adk_agent_sim.scenario.format.models import ExportedActionArg
from adk_agent_sim.scenario.format.values import find_placeholder_event, parse_placeholder, parse_value


class UnresolvedReference(LookupError):
    """A placeholder cannot be resolved: its event did not happen, failed, or returned no such key."""


def resolve_arguments(args: list[ExportedActionArg] | None, return_values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments by name.

    Args:
        args: The arguments as in the scenario file.
        return_values: The return values by event id, without those of failed events.

    Raises:
        UnresolvedReference: A placeholder cannot be resolved.
        ValueDoesNotFit: A text cannot be parsed as its type.
    """
    return {each.name: _resolve_value(each, return_values) for each in args or ()}


def _resolve_value(argument: ExportedActionArg, return_values: Mapping[str, Any]) -> Any:
    reference = parse_placeholder(argument.value)
    if reference is None:
        return parse_value(argument.value, argument.value_type)
    source = find_placeholder_event(reference, cast("dict[str, Any]", return_values))
    if source not in return_values:
        why = f"event {source[:80]!r} has no return value"
        raise UnresolvedReference(
            f"The placeholder {{{{{reference[:80]}}}}} of {argument.name!r} cannot be resolved: {why}"
        )
    value = return_values[source]
    for key in reference[len(source) :].split(".")[1:]:
        if not isinstance(value, dict) or key not in value:
            why = f"the return value of event {source[:80]!r} has no key {key[:80]!r}"
            raise UnresolvedReference(
                f"The placeholder {{{{{reference[:80]}}}}} of {argument.name!r} cannot be resolved: {why}"
            )
        value = cast("dict[str, Any]", value)[key]
    return value
