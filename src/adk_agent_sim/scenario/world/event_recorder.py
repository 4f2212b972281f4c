"""Records of a run: every call as a completed event, return values, and failures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from adk_agent_sim.scenario.app_base.app import App, AppCall, CallerRole
from adk_agent_sim.scenario.app_base.tool_call import fill_in_defaults
from adk_agent_sim.scenario.app_base.world_random import WorldRandom
from adk_agent_sim.scenario.format.models import ExportedAction
from adk_agent_sim.scenario.world.argument_resolution import PlaceholderResolver, describe_arguments
from adk_agent_sim.scenario.world.event_log import CompletedEvent, EventLog
from adk_agent_sim.scenario.world.event_plan import PlannedEvent
from adk_agent_sim.scenario.world.oracle_result import EventFailure


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
