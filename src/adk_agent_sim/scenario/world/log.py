"""What has happened, by time.

ARE keeps its log as a binary heap on the time alone and lists it by a stable sort of the heap's array. Where times are
equal this decides the order, and so, for a judge that takes the first event that fits, the verdict. Oracle runs are
listed that way. With an agent, ARE's clock never gives two calls one time, and ours does: they stay in their order.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from adk_agent_sim.scenario.format.models import (
    ExportedAction,
    ExportedActionArg,
    ExportedCompletedEvent,
    ExportedEventMetadata,
)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Happened:
    """One event that is over."""

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
    """What it returned, as text."""

    value_type: str | None = None

    error: Exception | None = None

    @classmethod
    def of(cls, *, value: Any = None, **fields: Any) -> Happened:
        """An event with what it returned, written down before it can change."""
        text, value_type = _text(value)
        return cls(value=text, value_type=value_type, **fields)

    def __lt__(self, other: object) -> bool:
        """Never less: in ARE's heap only times are compared."""
        return False

    @property
    def exported(self) -> ExportedCompletedEvent:
        """The event as scenario files hold it."""
        action = None
        if self.function is not None:
            action = ExportedAction(
                action_id=self.action_id,
                app=self.app,
                function=self.function,
                operation_type=self.operation,
                args=[_argument(name, value) for name, value in self.arguments.items()],
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
                exception_stack_trace=None,
            ),
        )


class Log:
    """All that has happened."""

    def __init__(self, arrived: list[Happened] | None = None) -> None:
        self._arrived = arrived or []

    def add(self, event: Happened) -> None:
        """Something happened."""
        self._arrived.append(event)

    def listed(self, *, as_are: bool = False) -> list[Happened]:
        """Everything by time; of one time, in the order in which it happened, or as ARE's heap has it."""
        if not as_are:
            return sorted(self._arrived, key=_time)
        heap: list[tuple[float, Happened]] = []
        for event in self._arrived:
            heapq.heappush(heap, (event.time, event))
        return sorted((event for _, event in heap), key=_time)

    def rename(self, names: Mapping[str, str]) -> None:
        """Give events other ids."""
        if names:
            self._arrived = [
                replace(event, event_id=names[event.event_id]) if event.event_id in names else event
                for event in self._arrived
            ]

    def copy(self) -> Log:
        """The log as it is now."""
        return Log(list(self._arrived))

    def __len__(self) -> int:
        return len(self._arrived)


def _time(event: Happened) -> float:
    return event.time


def _argument(name: str, value: Any) -> ExportedActionArg:
    text, value_type = _text(value)
    if value_type in ("list", "dict"):
        text = json.dumps(value, default=str)
    return ExportedActionArg(name=name, value=text, value_type=value_type)


def _text(value: Any) -> tuple[str | None, str | None]:
    return (None, None) if value is None else (str(value), type(value).__name__)
