"""The planned events of a scenario with their dependencies, and the conditions that are checked while time passes.

A plan is computed once and not changed by a run, so worlds of one scenario can share it. Conditions and validations are
Python predicates. A scenario file can name a condition but not contain it, and names in files never become code. The
creator of the world passes in the functions by the ids of their events.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adk_agent_sim.scenario.format.models import (
    AnyEvent,
    EventGraph,
    ExportedAction,
    ExportedEvent,
    ExportedTrace,
    Number,
    is_message_to_user,
)

if TYPE_CHECKING:
    from adk_agent_sim.scenario.world.world import World


_MAX_CHECKS = 1000
"""How many checks of a time in which nothing happens are counted one by one; they only determine ARE's order."""

WorldPredicate = Callable[["World"], bool]
"""A question about a world."""


@dataclass(frozen=True, kw_only=True)
class WorldCondition:
    """Delays the events that depend on it until a predicate is true."""

    predicate: WorldPredicate

    interval: float = 1.0
    """Seconds between two checks."""

    timeout: float | None = None
    """Seconds until the condition fails. Events that depend on it happen nevertheless."""


@dataclass(frozen=True, kw_only=True)
class WorldValidation:
    """Checks a run: all milestones must be reached, and no minefield may be triggered."""

    milestones: Mapping[str, WorldPredicate] = field(default_factory=dict[str, WorldPredicate])

    minefields: Mapping[str, WorldPredicate] = field(default_factory=dict[str, WorldPredicate])

    timeout: float | None = None
    """For how many seconds it is checked, the first time at once: with 3, the last check is 2 seconds after the first.

    If None, it is checked until the end of the world.
    """


class ValidationFailed(AssertionError):
    """A minefield was triggered, or a milestone was not reached in time."""


@dataclass(kw_only=True, eq=False)
class ActiveValidation:
    """A validation that has started: the first check is made at once, then one per time increment."""

    event_id: str

    validation: WorldValidation

    started_at: float

    checked_at: float
    """The time of the latest check; when it starts until then."""

    interval: float
    """Seconds between two checks."""

    check_count: int = 0

    reached_milestones: tuple[str, ...] = ()

    looked_at: float | None = None
    """The time of the world when due checks were last looked for, or when it started."""

    moment: Hashable = None
    """What the world was like when the predicates were last evaluated."""

    @property
    def is_last_check(self) -> bool:
        """Whether the latest check was the last within the time limit."""
        timeout = self.validation.timeout
        return timeout is not None and self.check_count * self.interval >= timeout

    def list_due_checks(self, now: float, *, is_alone: bool) -> list[float]:
        """Return the times of the checks that are due.

        Args:
            now: The time of the world.
            is_alone: Whether nothing else is due.
        """
        count = math.floor((now - self.checked_at) / self.interval)
        if self.validation.timeout is not None:
            count = min(count, math.ceil(self.validation.timeout / self.interval) - self.check_count)
        if self.looked_at == now and not is_alone:
            count = min(count, 1)  # it started for an earlier time: its checks take turns with what else is due
        self.looked_at = now
        numbers = range(max(0, count - _MAX_CHECKS) + 1, count + 1)
        return [self.checked_at + each * self.interval for each in numbers]

    def check(
        self,
        evaluate: Callable[[WorldPredicate], bool],
        *,
        time: float,
        moment: Hashable,
        is_final: bool = False,
    ) -> ValidationFailed | bool:
        """Return True if the validation has succeeded, False while it is undecided, or the failure.

        Args:
            evaluate: Evaluates a predicate on the world.
            time: When the check was due.
            moment: What the world is like; while it stays the same, predicates are not evaluated again.
            is_final: Whether there are no more checks.
        """
        # Checks that were left out because nothing happened count as made, or the timeout would come too late.
        self.check_count += max(1, round((time - self.checked_at) / self.interval))
        self.checked_at = time
        if moment != self.moment:
            self.moment = moment
            if (failure := self._evaluate_predicates(evaluate)) is not None:
                return failure
        missing = self._list_open_milestones()
        is_last = is_final or self.is_last_check
        if missing and is_last:
            return ValidationFailed(f"Milestones not reached in time: {', '.join(missing)}")
        # Minefields are watched until the time is over, also when all milestones are reached.
        return is_last or not (missing or self.validation.minefields)

    def _evaluate_predicates(self, evaluate: Callable[[WorldPredicate], bool]) -> ValidationFailed | None:
        milestones, minefields = self.validation.milestones, self.validation.minefields
        reached = [each for each in self._list_open_milestones() if evaluate(milestones[each])]
        self.reached_milestones = (*self.reached_milestones, *reached)
        triggered = [each for each in minefields if evaluate(minefields[each])]
        return ValidationFailed(f"Minefield {triggered[0]!r} was triggered") if triggered else None

    def _list_open_milestones(self) -> list[str]:
        return [each for each in self.validation.milestones if each not in self.reached_milestones]


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
