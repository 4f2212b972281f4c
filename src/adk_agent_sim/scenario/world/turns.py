"""Turns: what comes after a message to the user waits until the agent has really sent one.

In a run with an agent nobody does what a scenario expects of the agent, so whatever waits for it would never happen.
Expected actions pass silently at the time they are due; an expected message to the user passes when the agent has sent
as many messages as end its turn. Whether it has is looked at once a second, counted from the scenario's start, and the
next turn's delays count from that look.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adk_agent_sim.scenario.world.plan import Plan


@dataclass(frozen=True, kw_only=True)
class TurnVerdict:
    """What a judge says about a turn that the agent has ended."""

    passed: bool
    """Whether the scenario goes on; if not, the world stops."""

    matches: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the agent did -> the expected event that it is. Its id is then that event's, so placeholders find it."""


@dataclass(kw_only=True)
class Turns:
    """Which turn it is."""

    plan: Plan

    said: list[float] = field(default_factory=list[float])
    """When the agent sent its messages to the user."""

    ended: int = 0
    """How many turns are over."""

    looked: float | None = None
    """Until when it was looked at whether a turn is over."""

    @property
    def held(self) -> frozenset[str]:
        """The expected messages."""
        return frozenset(name for names in self.plan.turn_ends.values() for name in names)

    def next_look(self) -> float | None:
        """When it will be seen that a turn is over; None if there is nothing to be seen."""
        if len(self.said) <= self.ended or self.ended >= self.plan.last_turn:
            return None
        look = math.ceil((self.said[self.ended] - self.plan.start) / self.plan.increment)
        if self.looked is not None:
            look = max(look, math.floor((self.looked - self.plan.start) / self.plan.increment) + 1)
        return self.plan.start + max(0, look) * self.plan.increment

    def look_id(self, time: float) -> str:
        """The id under which ARE knows that look: at one time, ids decide the order."""
        number = round((time - self.plan.start) / self.plan.increment)
        return f"condition_turn_{self.ended + 1}-CHECK_{number}"

    def end(self) -> list[str]:
        """End the turn; gives the expected messages that are so fulfilled."""
        self.ended += 1
        return self.plan.turn_ends.get(self.ended - 1, [])

    def saved(self) -> tuple[Any, ...]:
        """Where the turns stand, for `put_back`."""
        return tuple(self.said), self.ended, self.looked

    def put_back(self, saved: tuple[Any, ...]) -> None:
        """Stand again where `saved` was taken."""
        said, self.ended, self.looked = saved
        self.said = list(said)
