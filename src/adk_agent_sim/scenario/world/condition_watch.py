"""Conditions and validations: what only Python can say, looked at as time passes.

A scenario file can name a condition but not hold it, and no name in a file becomes code here. So whoever makes the
world hands in the functions, by the ids of their events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adk_agent_sim.scenario.world.world import World

WorldPredicate = Callable[["World"], bool]
"""Something that can be asked of a world."""


@dataclass(frozen=True, kw_only=True)
class WorldCondition:
    """Holds back what depends on it until it is true."""

    predicate: WorldPredicate

    interval: float = 1.0
    """Seconds between two looks."""

    timeout: float | None = None
    """After how many seconds it is given up: it counts as failed, and what depends on it happens all the same."""


@dataclass(frozen=True, kw_only=True)
class WorldValidation:
    """Checks the run: every milestone must be reached, no minefield stepped on."""

    milestones: Mapping[str, WorldPredicate] = field(default_factory=dict[str, WorldPredicate])

    minefields: Mapping[str, WorldPredicate] = field(default_factory=dict[str, WorldPredicate])

    timeout: float | None = None
    """Within how many seconds; until the world's end if left out."""


class ValidationFailed(AssertionError):
    """A minefield was stepped on, or a milestone was not reached in time."""


@dataclass(kw_only=True)
class ActiveValidation:
    """A validation under way."""

    event_id: str

    started_at: float

    validation: WorldValidation

    reached_milestones: Sequence[str] = ()

    def check(
        self, evaluate: Callable[[WorldPredicate], bool], now: float, *, is_final: bool = False
    ) -> ValidationFailed | bool:
        """True once it has succeeded, False while it goes on, or why it failed."""
        for name, stepped_on in self.validation.minefields.items():
            if evaluate(stepped_on):
                return ValidationFailed(f"Minefield {name!r} was stepped on")
        left = [each for each in self.validation.milestones if each not in self.reached_milestones]
        found = [each for each in left if evaluate(self.validation.milestones[each])]
        self.reached_milestones = (*self.reached_milestones, *found)
        missing = [each for each in left if each not in found]
        late = self.validation.timeout is not None and now >= self.started_at + self.validation.timeout
        if missing and (late or is_final):
            return ValidationFailed(f"Not reached in time: {', '.join(missing)}")
        return not missing and (bool(self.validation.milestones) or late or is_final)
