"""Conditions and validations: Python predicates that are checked while time passes.

A scenario file can name a condition but not contain it, and names in files never become code. The creator of the world
passes in the functions by the ids of their events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adk_agent_sim.scenario.world.world import World

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
    """The time limit for the milestones in seconds; the end of the world if None."""


class ValidationFailed(AssertionError):
    """A minefield was triggered, or a milestone was not reached in time."""


@dataclass(kw_only=True)
class ActiveValidation:
    """A validation that has started."""

    event_id: str

    started_at: float

    validation: WorldValidation

    reached_milestones: Sequence[str] = ()

    def check(
        self, evaluate: Callable[[WorldPredicate], bool], now: float, *, is_final: bool = False
    ) -> ValidationFailed | bool:
        """Return True if the validation has succeeded, False while it is undecided, or the failure."""
        for name, predicate in self.validation.minefields.items():
            if evaluate(predicate):
                return ValidationFailed(f"Minefield {name!r} was triggered")
        open_milestones = [each for each in self.validation.milestones if each not in self.reached_milestones]
        reached = [each for each in open_milestones if evaluate(self.validation.milestones[each])]
        self.reached_milestones = (*self.reached_milestones, *reached)
        missing = [each for each in open_milestones if each not in reached]
        late = self.validation.timeout is not None and now >= self.started_at + self.validation.timeout
        if missing and (late or is_final):
            return ValidationFailed(f"Milestones not reached in time: {', '.join(missing)}")
        # Without milestones, a validation only watches its minefields, and succeeds when its time is over.
        return not missing and (bool(self.validation.milestones) or late or is_final)
