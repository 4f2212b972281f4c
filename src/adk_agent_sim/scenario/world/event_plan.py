"""The planned events of a scenario with their dependencies. Computed once and not changed by a run.

Worlds of one scenario can share a plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adk_agent_sim.scenario.format.models import (
    AnyEvent,
    EventGraph,
    ExportedAction,
    ExportedEvent,
    ExportedTrace,
    Number,
    is_message_to_user,
)
from adk_agent_sim.scenario.world.condition_watch import WorldCondition, WorldValidation


@dataclass(frozen=True, slots=True, eq=False)
class PlannedEvent:
    """One planned event."""

    event_id: str

    kind: str
    """AGENT, ENV, USER, CONDITION or VALIDATION."""

    action: ExportedAction | None

    absolute_time: Number | None
    """When it happens, independent of its dependencies; None if `delay` applies."""

    delay: Number
    """Seconds after the last of its dependencies."""

    parents: tuple[str, ...]

    children: tuple[str, ...]

    turn: int
    """The number of messages to the user that precede it."""

    blocked_reason: str
    """Why it can never happen; empty if it can."""

    @property
    def call_name(self) -> str:
        """The call as `Emails__send_email`; the event id if there is no call."""
        return self.event_id if self.action is None else f"{self.action.app}__{self.action.function}"


class EventPlan:
    """All planned events of a scenario."""

    def __init__(
        self,
        trace: ExportedTrace,
        noise: Sequence[ExportedEvent] = (),
        watches: Mapping[str, WorldCondition | WorldValidation] | None = None,
    ) -> None:
        """Compute the plan.

        Args:
            trace: The scenario.
            noise: Additional events that only happen in runs with an agent.
            watches: Conditions and validations by event id; an event is added for each id that the scenario lacks.
        """
        self.noise_ids = frozenset(each.event_id for each in noise)
        known = {each.event_id for each in trace.events}
        watched = [_build_watch_event(name, each) for name, each in (watches or {}).items() if name not in known]
        graph = EventGraph(trace.model_copy(update={"events": [*trace.events, *noise, *watched]}))
        turns = graph.compute_turns()
        in_cycle = {name for cycle in graph.find_cycles() for name in cycle}
        definition = trace.metadata.definition
        self.start = float(definition.start_time or 0)
        self.end = None if definition.duration is None else self.start + float(definition.duration)
        self.time_increment = float(definition.time_increment_in_seconds or 1)
        """Seconds between two checks of whether a turn has ended."""
        watched_ids = frozenset(watches or ())
        self.events = {
            name: _build_planned_event(
                event, graph, turns.get(name, 0), _find_blocked_reason(event, graph, in_cycle, watched_ids)
            )
            for name, event in graph.events.items()
        }
        self.turn_ends: dict[int, list[str]] = {}
        """The agent's expected messages to the user, by the turn that they end."""
        for name, event in graph.events.items():
            if is_message_to_user(event):
                self.turn_ends.setdefault(turns.get(name, 0), []).append(name)
        self.last_turn = max(turns.values(), default=0)

    def get_elapsed(self, now: float) -> float:
        """Return the seconds since the scenario's start."""
        return round(now - self.start, 6)


def _build_watch_event(event_id: str, watch: WorldCondition | WorldValidation) -> ExportedEvent:
    kind = "CONDITION" if isinstance(watch, WorldCondition) else "VALIDATION"
    return ExportedEvent(
        class_name=f"{kind.title()}Event",
        event_type=kind,
        event_time=None,
        event_id=event_id,
        dependencies=[],
        event_relative_time=0,
    )


def _build_planned_event(event: AnyEvent, graph: EventGraph, turn: int, blocked_reason: str) -> PlannedEvent:
    return PlannedEvent(
        event_id=event.event_id,
        kind=event.event_type,
        action=event.action,
        # A relative time wins if a file has both, as in ARE.
        absolute_time=event.event_time if event.event_relative_time is None else None,
        delay=event.event_relative_time or 0,
        parents=tuple(graph.parents[event.event_id]),
        children=tuple(graph.children[event.event_id]),
        turn=turn,
        blocked_reason=blocked_reason,
    )


def _find_blocked_reason(event: AnyEvent, graph: EventGraph, in_cycle: set[str], watched_ids: frozenset[str]) -> str:
    """Return why an event can never happen, or an empty text."""
    missing = next((each for each in event.dependencies if each not in graph.events), None)
    if missing is not None:
        return f"it depends on {missing[:80]!r}, which does not exist"
    if event.event_id in in_cycle:
        return "it is part of a dependency cycle"
    if event.event_id in watched_ids:
        return ""
    if event.event_type not in ("AGENT", "ENV", "USER"):
        return "no condition or validation was passed to World for it"
    return "it has no action" if event.action is None else ""
