"""Arguments of an event's call: texts parsed as values, placeholders replaced by return values of other events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from adk_agent_sim.scenario.format.models import ExportedActionArg
from adk_agent_sim.scenario.format.values import (
    ValueDoesNotFit,
    find_placeholder_event,
    parse_placeholder,
    parse_value,
)


class UnresolvedReference(LookupError):
    """A placeholder cannot be resolved: its event did not happen, failed, or returned no such key."""


@dataclass(kw_only=True)
class PlaceholderResolver:
    """Replaces the placeholders in the arguments of an event's call by ARE's rules.

    A placeholder of an event that has not happened stays as its text, and that of a failed event becomes None. After a
    key that the return value does not have, the arguments that follow are not passed at all.
    """

    return_values: Mapping[str, Any]
    """The return values by event id, without those of failed events."""

    has_failed: Callable[[str], bool]
    """Returns whether an event has failed."""

    problems: list[UnresolvedReference] = field(default_factory=list[UnresolvedReference])
    """Which placeholders could not be resolved, and why."""

    unresolved_names: set[str] = field(default_factory=set[str])
    """The arguments that are passed as the text of their placeholder."""

    def resolve(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments with return values in place of placeholders."""
        resolved: dict[str, Any] = {}
        for name, value in arguments.items():
            resolved[name] = value
            reference = parse_placeholder(value) if isinstance(value, str) else None
            if reference is None:
                continue
            try:
                resolved[name] = _find_referenced_value(name, reference, self.return_values)
            except UnresolvedReference as problem:
                self.problems.append(problem)
                event_id = find_placeholder_event(reference, cast("dict[str, Any]", self.return_values))
                has_failed = event_id not in self.return_values and self.has_failed(event_id)
                # A failed event has the value None in ARE, so the event itself resolves to None, but no key of it does.
                if has_failed and event_id == reference:
                    resolved[name] = None
                    continue
                self.unresolved_names.add(name)
                # ARE stops resolving at the first missing key, so the arguments after it are never passed on.
                if has_failed or event_id in self.return_values:
                    return resolved
        return resolved


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


def resolve_known_arguments(args: list[ExportedActionArg] | None, return_values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call that cannot be made, without those whose placeholders cannot be resolved.

    A value that does not fit its type is returned as its text.
    """
    known: dict[str, Any] = {}
    for each in args or ():
        try:
            known[each.name] = _resolve_value(each, return_values)
        except UnresolvedReference:
            continue
        except ValueDoesNotFit:
            known[each.name] = each.value
    return known


def read_arguments(args: list[ExportedActionArg] | None) -> dict[str, Any]:
    """Return the arguments by name, with placeholders as their text.

    Raises:
        ValueDoesNotFit: A text cannot be parsed as its type.
    """
    return {
        each.name: each.value if parse_placeholder(each.value) else parse_value(each.value, each.value_type)
        for each in args or ()
    }


def describe_arguments(args: list[ExportedActionArg] | None, return_values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call that was not made: those that have no value as their text."""
    described: dict[str, Any] = {}
    for each in args or ():
        try:
            described[each.name] = _resolve_value(each, return_values)
        except (UnresolvedReference, ValueDoesNotFit):
            described[each.name] = each.value
    return described


def _resolve_value(argument: ExportedActionArg, return_values: Mapping[str, Any]) -> Any:
    reference = parse_placeholder(argument.value)
    if reference is None:
        return parse_value(argument.value, argument.value_type)
    return _find_referenced_value(argument.name, reference, return_values)


def _find_referenced_value(name: str, reference: str, return_values: Mapping[str, Any]) -> Any:
    source = find_placeholder_event(reference, cast("dict[str, Any]", return_values))
    if source not in return_values:
        why = f"event {source[:80]!r} has no return value"
        raise UnresolvedReference(f"The placeholder {{{{{reference[:80]}}}}} of {name!r} cannot be resolved: {why}")
    value = return_values[source]
    for key in reference[len(source) :].split(".")[1:]:
        if not isinstance(value, dict) or key not in value:
            why = f"the return value of event {source[:80]!r} has no key {key[:80]!r}"
            raise UnresolvedReference(f"The placeholder {{{{{reference[:80]}}}}} of {name!r} cannot be resolved: {why}")
        value = cast("dict[str, Any]", value)[key]
    return value
