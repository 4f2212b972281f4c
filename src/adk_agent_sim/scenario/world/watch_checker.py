"""Checks the conditions and validations of a world while its time passes, and records what came of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from adk_agent_sim.scenario.world.condition_watch import (
    ActiveValidation,
    WorldCondition,
    WorldPredicate,
    WorldValidation,
)
from adk_agent_sim.scenario.world.event_log import CompletedEvent
from adk_agent_sim.scenario.world.event_plan import EventPlan
from adk_agent_sim.scenario.world.event_recorder import EventRecorder


@dataclass(kw_only=True)
class WatchChecker:
    """The conditions and validations of one run."""

    plan: EventPlan

    recorder: EventRecorder

    evaluate: Callable[[WorldPredicate], bool]
    """Evaluates a predicate on the world."""

    active_validations: list[ActiveValidation] = field(default_factory=list[ActiveValidation])

    first_checked: dict[str, float] = field(default_factory=dict[str, float])
    """When each condition was first checked."""

    def start_validation(self, event_id: str, time: float, validation: WorldValidation) -> None:
        """Check a validation from now on."""
        self.active_validations.append(ActiveValidation(event_id=event_id, started_at=time, validation=validation))

    def check_condition(self, event_id: str, condition: WorldCondition, *, time: float, now: float) -> bool:
        """Return whether a condition is fulfilled or has timed out, and record that.

        Args:
            event_id: The event of the condition.
            condition: The condition.
            time: When the event was due.
            now: The time of the world.
        """
        began = self.first_checked.setdefault(event_id, time)
        if self.check_condition_again(event_id, condition, time=time):
            return True
        if condition.timeout is None or time < began + condition.timeout:
            return False
        error = TimeoutError(f"the condition was not fulfilled within {condition.timeout:g} s")
        self.recorder.record_failure(event_id, event_id, str(error), self.plan.get_elapsed(now))
        self.recorder.add_event(
            CompletedEvent.from_return_value(event_id=event_id, kind="CONDITION", time=time, error=error)
        )
        return True

    def check_condition_again(self, event_id: str, condition: WorldCondition, *, time: float) -> bool:
        """Return whether a condition is fulfilled, and record that."""
        is_fulfilled = self.evaluate(condition.predicate)
        if is_fulfilled:
            self.recorder.add_event(
                CompletedEvent.from_return_value(event_id=event_id, kind="CONDITION", time=time, value=True)
            )
        return is_fulfilled

    def check_validations(self, now: float, *, is_final: bool = False) -> None:
        """Check the validations that have started, and record those that are decided."""
        self.active_validations = [
            each for each in self.active_validations if not self._settle_validation(each, now, is_final=is_final)
        ]

    def capture_state(self) -> dict[str, Any]:
        """Return the state for `restore`."""
        return {"since": dict(self.first_checked), "watching": [replace(each) for each in self.active_validations]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore what `capture_state` returned."""
        self.first_checked = dict(state["since"])
        self.active_validations = [replace(each) for each in state["watching"]]

    def _settle_validation(self, active: ActiveValidation, now: float, *, is_final: bool) -> bool:
        """Return whether a validation is decided, and record its result."""
        result = active.check(self.evaluate, now, is_final=is_final)
        if result is False:
            return False
        error = result if isinstance(result, Exception) else None
        if error is not None:
            self.recorder.record_failure(active.event_id, active.event_id, str(error), self.plan.get_elapsed(now))
        reached = list(active.reached_milestones)
        self.recorder.add_event(
            CompletedEvent.from_return_value(
                event_id=active.event_id, kind="VALIDATION", time=now, value=reached, error=error
            )
        )
        return True
