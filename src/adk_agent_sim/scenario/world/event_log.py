"""The log of completed events, by time, and what is made of it: snapshots of a world, and the result of an oracle run.

ARE keeps its log as a binary heap on the time alone and lists it with a stable sort of the heap's array. This
determines the order of events with equal times and so, for a judge that takes the first event that fits, the verdict.
Oracle runs are listed the same way. ARE's log also has every check of a condition or validation, which we do not list:
only their places count. In runs with an agent, ARE's clock never gives two calls the same time but ours
does; these keep the order in which they happened.

A snapshot is taken at any event, and restored. Apps never modify entities in place, so it shares everything with the
world that has not changed since.
"""

from __future__ import annotations

import heapq
import json
import math
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from adk_agent_sim.scenario.format.models import (
    ExportedAction,
    ExportedActionArg,
    ExportedCompletedEvent,
    ExportedEventMetadata,
)
from adk_agent_sim.timeline.world_events import NotificationDelivered

_CHECK = "CHECK"
"""The kind of an entry that is not listed."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class CompletedEvent:
    """One completed event."""

    event_id: str

    kind: str
    """AGENT, ENV, USER, CONDITION or VALIDATION."""

    time: float

    operation: str | None = None

    app: str | None = None

    function: str | None = None

    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])

    action_id: str = ""

    dependencies: tuple[str, ...] = ()

    value: str | None = None
    """The return value as text."""

    value_type: str | None = None

    error: Exception | None = None

    @classmethod
    def from_return_value(cls, *, value: Any = None, **fields: Any) -> CompletedEvent:
        """Create an event, converting the return value to text before it can change."""
        text, value_type = _describe_value(value)
        return cls(value=text, value_type=value_type, **fields)

    def __lt__(self, other: object) -> bool:
        """Return False: ARE's heap compares only times."""
        return False

    @property
    def is_failed_validation(self) -> bool:
        """Whether it is a validation that failed, which ARE does not log."""
        return self.kind == "VALIDATION" and self.error is not None

    @property
    def exported_event(self) -> ExportedCompletedEvent:
        """The event as in scenario files."""
        action = None
        if self.function is not None:
            action = ExportedAction(
                action_id=self.action_id,
                app=self.app,
                function=self.function,
                operation_type=self.operation,
                args=[_export_argument(name, value) for name, value in self.arguments.items()],
            )
        return ExportedCompletedEvent(
            class_name="CompletedEvent",
            event_type=self.kind,
            event_time=self.time,
            event_id=self.event_id,
            dependencies=list(self.dependencies),
            event_relative_time=None,
            action=action,
            metadata=ExportedEventMetadata(
                return_value=self.value,
                return_value_type=self.value_type,
                exception=None if self.error is None else str(self.error),
                exception_stack_trace=None if self.error is None else _format_stack_trace(self.error),
            ),
        )


@dataclass(kw_only=True)
class EventLog:
    """All completed events of a run."""

    entries: list[CompletedEvent] = field(default_factory=list[CompletedEvent])
    """The events, and the checks that are not listed."""

    event_count: int = 0

    latest_time: float = -math.inf

    is_in_order: bool = True
    """Whether no entry has a time before that of an earlier entry."""

    def add(self, event: CompletedEvent) -> None:
        """Append an event."""
        self.event_count += event.kind != _CHECK
        self.is_in_order = self.is_in_order and event.time >= self.latest_time
        self.latest_time = max(self.latest_time, event.time)
        self.entries.append(event)

    def add_check(self, time: float) -> None:
        """Append a check of a condition or validation that is not listed."""
        self.add(CompletedEvent(event_id="", kind=_CHECK, time=time))

    def list_events(self, *, in_are_order: bool = False) -> list[CompletedEvent]:
        """Return the events by time; events of equal time in the order they happened, or in ARE's heap order."""
        entries = self.entries
        # Entries in ascending order never move in a binary heap, so a log in order needs no detour through one.
        if in_are_order and not self.is_in_order:
            heap: list[tuple[float, CompletedEvent]] = []
            for each in entries:
                if not each.is_failed_validation:
                    heapq.heappush(heap, (each.time, each))
            # ARE does not log a failed validation, so it must not take a place in the heap and shift the others.
            entries = [*(each for _, each in heap), *(each for each in entries if each.is_failed_validation)]
        events = [each for each in entries if each.kind != _CHECK]
        return events if self.is_in_order else sorted(events, key=lambda event: event.time)

    def find_agent_calls(self, app: str, function: str) -> list[CompletedEvent]:
        """Return the agent's calls of a tool in the order in which they were made."""
        return [
            event for event in self.entries if event.function == function and event.app == app and event.kind == "AGENT"
        ]

    def rename_events(self, new_ids: Mapping[str, str]) -> None:
        """Change the ids of events."""
        if new_ids:
            self.entries = [
                replace(event, event_id=new_ids[event.event_id]) if event.event_id in new_ids else event
                for event in self.entries
            ]

    def copy(self) -> EventLog:
        """Return a copy of the log."""
        return replace(self, entries=list(self.entries))

    def __len__(self) -> int:
        return self.event_count


def mark_empty_texts(event: ExportedCompletedEvent) -> ExportedCompletedEvent:
    """Return an event whose empty arguments ARE can import: it refuses an empty text unless its type allows None."""
    action = event.action
    if action is None or not any(each.value == "" for each in action.args or ()):
        return event
    args = [
        each.model_copy(update={"value_type": "str | None"}) if each.value == "" else each for each in action.args or ()
    ]
    return event.model_copy(update={"action": action.model_copy(update={"args": args})})


def _format_stack_trace(error: Exception) -> str:
    """Return where an exception was raised, with modules instead of paths: the same on every host."""
    lines = ["Traceback (most recent call last):\n"]
    for frame, line_number in traceback.walk_tb(error.__traceback__):
        module = frame.f_globals.get("__name__", "?")
        lines.append(f"  {module}, line {line_number}, in {frame.f_code.co_name}\n")
    return "".join([*lines, *traceback.format_exception_only(error)])


def _export_argument(name: str, value: Any) -> ExportedActionArg:
    text, value_type = _describe_value(value)
    # ARE writes lists and objects as JSON in arguments, but with `str` in return values.
    if value_type in ("list", "dict"):
        text = json.dumps(value, default=str)
    return ExportedActionArg(name=name, value=text, value_type=value_type)


def _describe_value(value: Any) -> tuple[str | None, str | None]:
    return (None, None) if value is None else (str(value), type(value).__name__)


@dataclass(frozen=True, kw_only=True)
class WorldSnapshot:
    """The complete state of a world at one time."""

    elapsed: float

    app_states: Mapping[str, Mapping[str, Any]]
    """The states of the apps by name."""

    hidden_states: Mapping[str, Mapping[str, Any]]
    """What the apps know beyond their states, by name."""

    events: tuple[CompletedEvent, ...]
    """The events completed so far."""

    notifications: tuple[NotificationDelivered, ...]

    engine_state: Mapping[str, Any]
    """The engine's state; opaque to everyone but the engine."""

    failure_counts: Mapping[str, int]
    """The number of calls of each tool, which determines the next random failure."""


@dataclass(frozen=True, kw_only=True)
class EventFailure:
    """An event that failed or never happened."""

    event_id: str

    call: str
    """The call, such as `Emails__send_email`."""

    why: str

    t: float | None = None
    """When it failed, in seconds since the start; None if it never happened."""


@dataclass(frozen=True, kw_only=True)
class OracleResult:
    """The result of running a scenario with all expected actions executed."""

    scenario_id: str

    completed: Sequence[CompletedEvent]

    failed: Sequence[EventFailure]
    """Events that failed, including those with an unresolved placeholder."""

    missing: Sequence[EventFailure]
    """Events that never happened."""

    seconds: float
    """The simulated duration of the run."""

    @property
    def is_ok(self) -> bool:
        """Whether every event happened and none failed."""
        return not self.failed and not self.missing
