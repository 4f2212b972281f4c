"""Records of a run: every call as a completed event, return values, and failures.

Arguments of an event's call: texts parsed as values, placeholders replaced by return values of other events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from adk_agent_sim.scenario.app_base.app import App, AppCall, CallerRole
from adk_agent_sim.scenario.app_base.time_and_random import WorldRandom
from adk_agent_sim.scenario.app_base.tool_call import fill_in_defaults
from adk_agent_sim.scenario.format.call_arguments import (
    ValueDoesNotFit,
    find_placeholder_event,
    parse_placeholder,
    parse_value,
)
from adk_agent_sim.scenario.format.models import ExportedAction, ExportedActionArg
from adk_agent_sim.scenario.world.event_log import CompletedEvent, EventFailure, EventLog
from adk_agent_sim.scenario.world.event_plan import PlannedEvent


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


@dataclass(frozen=True, kw_only=True, slots=True)
class CallFrame:
    """The context of the current call: its time and the event that makes it."""

    time: float

    event: PlannedEvent | None = None


@dataclass(kw_only=True)
class EventRecorder:
    """The records of one run."""

    random: WorldRandom

    frame: CallFrame

    log: EventLog = field(default_factory=EventLog)

    latest_event: CompletedEvent | None = None
    """The event that was recorded last."""

    return_values: dict[str, Any] = field(default_factory=dict[str, Any])
    """The return values by event id, without those of failed events."""

    failures: list[EventFailure] = field(default_factory=list[EventFailure])

    on_event: Callable[[CompletedEvent], object] | None = None
    """Called with every completed event."""

    def add_event(self, event: CompletedEvent) -> None:
        """Record a completed event."""
        self.log.add(event)
        self.latest_event = event
        if self.on_event is not None:
            self.on_event(event)

    def record_call(self, app_call: AppCall) -> None:
        """Record a call that was made."""
        # Only the outermost call is that of the event; what its tool calls in turn gets an entry and an id of its own.
        event = None if app_call.is_nested else self.frame.event
        app, function = app_call.app, app_call.function
        event_id = event.event_id if event else f"{app_call.caller.upper()}-{app.name}.{function}-{self._new_uuid()}"
        action_id = event.action.action_id if event and event.action else ""
        self.add_event(
            CompletedEvent.from_return_value(
                event_id=event_id,
                kind=app_call.caller.upper(),
                time=self.frame.time,
                operation=app_call.operation.value,
                app=app.name,
                function=function,
                # ARE logs the arguments of direct calls with defaults, and those of events as they were passed.
                # Calls by ENV are made as an event would make them.
                arguments=app_call.arguments
                if event is not None or app_call.caller is CallerRole.ENV
                else fill_in_defaults(app.tools()[function], app_call.arguments),
                action_id=action_id or f"{type(app).__name__}.{function}-{self._new_uuid()}",
                dependencies=event.parents if event else (),
                value=app_call.value,
                error=app_call.error,
            )
        )
        if event is None and app_call.error is None:
            self.return_values[event_id] = app_call.value

    def record_refused_call(
        self, event: PlannedEvent, action: ExportedAction, app: App | None, error: Exception
    ) -> None:
        """Record a call that an event could not make."""
        tool = app.tools().get(action.function or "") if app is not None else None
        operation = tool.operation.value if tool is not None and tool.operation is not None else None
        self.add_event(
            CompletedEvent.from_return_value(
                event_id=event.event_id,
                kind=event.kind,
                time=self.frame.time,
                # ARE logs what ENV and USER events do as READ, whatever the tool declares.
                operation=operation if event.kind == "AGENT" else "READ",
                app=action.app,
                function=action.function or "",
                arguments=describe_arguments(action.args, self.return_values),
                action_id=action.action_id or f"{action.app}.{action.function}-{self._new_uuid()}",
                dependencies=event.parents,
                error=error,
            )
        )

    def create_placeholder_resolver(self) -> PlaceholderResolver:
        """Return a resolver of placeholders in the arguments of the next call."""
        return PlaceholderResolver(return_values=self.return_values, has_failed=self._has_failed)

    def record_failure(self, event_id: str, call_name: str, why: str, t: float) -> None:
        """Record why an event of the scenario failed."""
        self.failures.append(EventFailure(event_id=event_id, call=call_name, why=why, t=t))

    def apply_matches(self, matches: Mapping[str, str]) -> None:
        """Give the agent's events the ids of the expected events that they were matched with."""
        self.log.rename_events(matches)
        self.return_values.update(
            {matches[each]: self.return_values[each] for each in matches if each in self.return_values}
        )

    def capture_state(self) -> tuple[Any, ...]:
        """Return the records for `restore`."""
        return self.log.copy(), dict(self.return_values), tuple(self.failures), self.random.draw_count

    def restore(self, state: tuple[Any, ...]) -> None:
        """Restore what `capture_state` returned."""
        # The stream continues where it was, so that ids drawn after a restore are those of the original run.
        log, return_values, failures, self.random.draw_count = state
        self.log, self.return_values, self.failures = log.copy(), dict(return_values), list(failures)

    def _has_failed(self, event_id: str) -> bool:
        return any(each.event_id == event_id for each in self.failures)

    def _new_uuid(self) -> str:
        digits = self.random.new_id()
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
