"""Checks the conditions and validations of a world while its time passes, and records their outcomes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from adk_agent_sim.scenario.world.event_log import CompletedEvent
from adk_agent_sim.scenario.world.event_plan import (
    ActiveValidation,
    EventPlan,
    PlannedEvent,
    WorldCondition,
    WorldPredicate,
    WorldValidation,
)
from adk_agent_sim.scenario.world.event_queue import EventQueue
from adk_agent_sim.scenario.world.event_recorder import EventRecorder


@dataclass(kw_only=True)
class WatchChecker:
    """The conditions and validations of one run."""

    plan: EventPlan

    recorder: EventRecorder

    watches: Mapping[str, WorldCondition | WorldValidation]

    evaluate: Callable[[WorldPredicate], bool]
    """Evaluates a predicate on the world."""

    validation_starts: dict[str, ActiveValidation] = field(default_factory=dict[str, ActiveValidation])
    """Every validation that has started, as its first check left it."""

    active_validations: list[ActiveValidation] = field(default_factory=list[ActiveValidation])
    """The validations that are checked regularly."""

    decided_validations: dict[str, bool] = field(default_factory=dict[str, bool])
    """Whether each validation with a result has succeeded."""

    first_checked: dict[str, float] = field(default_factory=dict[str, float])
    """When each condition was first checked."""

    timed_out_ids: set[str] = field(default_factory=set[str])
    """The conditions that have timed out."""

    def process_validation(
        self, event_id: str, validation: WorldValidation, *, time: float, now: float, moment: Hashable
    ) -> None:
        """Start a validation that is due, or make its check of this time.

        As in ARE, a validation starts once more for each other event that it depends on, with what its first check
        left: one check less, and without the milestones that were reached then.
        """
        start = self.validation_starts.get(event_id)
        if start is None:
            start = ActiveValidation(
                event_id=event_id,
                validation=validation,
                started_at=time,
                checked_at=time,
                interval=self.plan.time_increment,
            )
            self.validation_starts[event_id] = start
        if time == start.started_at:
            if not self._settle_validation(start, time, moment):
                self.active_validations.append(replace(start, looked_at=now))
            return
        due = [each for each in self.active_validations if each.event_id == event_id and each.checked_at < time]
        self._check_validations(due, time, moment)

    def process_condition(
        self, event_id: str, condition: WorldCondition, queue: EventQueue, *, time: float, now: float
    ) -> bool:
        """Return whether a condition is fulfilled or has timed out; otherwise schedule the next regular check.

        Args:
            event_id: The event of the condition.
            condition: The condition.
            queue: Where checks are scheduled.
            time: When the check was due.
            now: The time of the world.
        """
        is_fulfilled = self.evaluate(condition.predicate)
        # It was completed before, so only the place of this check in ARE's log counts.
        if event_id in queue.completed_ids:
            self.recorder.log.add_check(time)
            return is_fulfilled
        # `repeat_watches` makes a condition check again for the time of its first check, which is how it is recognized.
        is_repeated = self.first_checked.get(event_id) == time
        began = self.first_checked.setdefault(event_id, time)
        if is_fulfilled:
            self._record_condition(event_id, time)
        elif not is_repeated and condition.timeout is not None and time >= began + condition.timeout:
            error = TimeoutError(f"the condition was not fulfilled within {condition.timeout:g} s")
            self.recorder.record_failure(event_id, event_id, str(error), self.plan.get_elapsed(now))
            self._record_condition(event_id, time, error)
            self.timed_out_ids.add(event_id)
            return True
        else:
            self.recorder.log.add_check(time)
            # What depends on a condition ends ARE's event loop then. If nothing does, there are two regular checks.
            if not is_repeated or not self.plan.events[event_id].children:
                queue.schedule(event_id, time + condition.interval)
        return is_fulfilled

    def repeat_watches(self, event: PlannedEvent, queue: EventQueue) -> None:
        """Have conditions that depend on an event make their first check again, and have validations start again."""
        # In ARE, nothing happens after a condition that timed out.
        can_repeat = self.watches and event.event_id not in self.timed_out_ids
        for name in event.children if can_repeat else ():
            if name in self.watches and name in queue.scheduled_ids:
                queue.push(name, self.first_checked.get(name, queue.times[name]))

    def schedule_checks(self, queue: EventQueue, until: float) -> None:
        """Put the checks of validations that are due until then into the queue: their ids decide the order, too."""
        if self.active_validations:
            coming = queue.next_time()
            is_alone = coming is None or coming > until
            # A set, because several starts of one validation share a check; the queue puts the checks in order.
            checks = {
                (time, each.event_id)
                for each in self.active_validations
                for time in each.list_due_checks(until, is_alone=is_alone)
            }
            for time, event_id in checks:
                queue.push(event_id, time)

    def finish_validations(self, now: float) -> None:
        """Check the validations that are active for the last time."""
        # None differs from every moment, so the predicates are evaluated once more.
        self._check_validations(list(self.active_validations), now, None, is_final=True)

    def capture_state(self) -> dict[str, Any]:
        """Return the state for `restore`."""
        return {
            "since": dict(self.first_checked),
            "timed_out": frozenset(self.timed_out_ids),
            # Each check changes the validation, and a snapshot must not change with it.
            "starts": {name: replace(each) for name, each in self.validation_starts.items()},
            "watching": [replace(each) for each in self.active_validations],
            "decided": dict(self.decided_validations),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore what `capture_state` returned."""
        self.first_checked = dict(state["since"])
        self.timed_out_ids = set(state["timed_out"])
        self.validation_starts = {name: replace(each) for name, each in state["starts"].items()}
        self.active_validations = [replace(each) for each in state["watching"]]
        self.decided_validations = dict(state["decided"])

    def _record_condition(self, event_id: str, time: float, error: Exception | None = None) -> None:
        value = True if error is None else None
        self.recorder.add_event(
            CompletedEvent.from_return_value(event_id=event_id, kind="CONDITION", time=time, value=value, error=error)
        )

    def _check_validations(
        self, due: list[ActiveValidation], time: float, moment: Hashable, *, is_final: bool = False
    ) -> None:
        for each in due:
            self.active_validations.remove(each)
            if not self._settle_validation(each, time, moment, is_final=is_final):
                self.active_validations.append(each)

    def _settle_validation(
        self, active: ActiveValidation, time: float, moment: Hashable, *, is_final: bool = False
    ) -> bool:
        """Check a validation, record its result if it has one, and return whether it has."""
        event_id = active.event_id
        if self.decided_validations.get(event_id) is False:
            return True  # it started more than once, and has failed already
        result = active.check(self.evaluate, time=time, moment=moment, is_final=is_final)
        is_active_elsewhere = any(each.event_id == event_id for each in self.active_validations)
        if isinstance(result, Exception):
            self.recorder.record_failure(event_id, event_id, str(result), self.plan.get_elapsed(time))
            self._record_result(active, time, result)
        elif result and not is_active_elsewhere and event_id not in self.decided_validations:
            self._record_result(active, time, None)
        else:
            self.recorder.log.add_check(time)
        return result is not False

    def _record_result(self, active: ActiveValidation, time: float, error: Exception | None) -> None:
        self.decided_validations[active.event_id] = error is None
        reached = list(active.reached_milestones)
        self.recorder.add_event(
            CompletedEvent.from_return_value(
                event_id=active.event_id, kind="VALIDATION", time=time, value=reached, error=error
            )
        )
