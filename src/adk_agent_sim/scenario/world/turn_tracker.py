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

from adk_agent_sim.scenario.world.event_plan import EventPlan


@dataclass(frozen=True, kw_only=True)
class TurnVerdict:
    """What a judge says about a turn that the agent has ended."""

    passed: bool
    """Whether the scenario goes on; if not, the world stops."""

    matches: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the agent did -> the expected event that it is. Its id is then that event's, so placeholders find it."""


@dataclass(kw_only=True)
class TurnTracker:
    """Which turn it is."""

    plan: EventPlan

    message_times: list[float] = field(default_factory=list[float])
    """When the agent sent its messages to the user."""

    ended_count: int = 0
    """How many turns are over."""

    checked_until: float | None = None
    """Until when it was looked at whether a turn is over."""

    @property
    def expected_message_ids(self) -> frozenset[str]:
        """The expected messages."""
        return frozenset(name for names in self.plan.turn_ends.values() for name in names)

    def next_check_time(self) -> float | None:
        """When it will be seen that a turn is over; None if there is nothing to be seen."""
        if len(self.message_times) <= self.ended_count or self.ended_count >= self.plan.last_turn:
            return None
        look = math.ceil((self.message_times[self.ended_count] - self.plan.start) / self.plan.time_increment)
        if self.checked_until is not None:
            look = max(look, math.floor((self.checked_until - self.plan.start) / self.plan.time_increment) + 1)
        return self.plan.start + max(0, look) * self.plan.time_increment

    def format_check_id(self, time: float) -> str:
        """The id under which ARE knows that look: at one time, ids decide the order."""
        number = round((time - self.plan.start) / self.plan.time_increment)
        return f"condition_turn_{self.ended_count + 1}-CHECK_{number}"

    def end_turn(self) -> list[str]:
        """End the turn; gives the expected messages that are so fulfilled."""
        self.ended_count += 1
        return self.plan.turn_ends.get(self.ended_count - 1, [])

    def capture_state(self) -> tuple[Any, ...]:
        """Where the turns stand, for `put_back`."""
        return tuple(self.message_times), self.ended_count, self.checked_until

    def restore(self, state: tuple[Any, ...]) -> None:
        """Stand again where `saved` was taken."""
        said, self.ended_count, self.checked_until = state
        self.message_times = list(said)
