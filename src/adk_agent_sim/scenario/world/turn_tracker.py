"""Tracking of turns: events after an expected message to the user wait until the agent has sent a message.

In a run with an agent, nobody executes what a scenario expects of the agent, so events that depend on it would never
happen. Therefore expected actions count as done, without effect, at the time they are due. An expected message to the
user counts as done when the agent has sent as many messages as end its turn. Like ARE, this is checked once per time
increment (a second by default), counted from the scenario's start; delays of the next turn count from that check.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adk_agent_sim.scenario.world.event_plan import EventPlan


@dataclass(frozen=True, kw_only=True)
class TurnVerdict:
    """The judgement of a turn that the agent has ended."""

    passed: bool
    """Whether the scenario continues; if not, the world stops."""

    matches: Mapping[str, str] = field(default_factory=dict[str, str])
    """The ids of the agent's events -> the ids of the expected events they match.

    The agent's events take over these ids, so that placeholders find their return values.
    """


@dataclass(kw_only=True)
class TurnTracker:
    """The number of ended turns and when the next one ends."""

    plan: EventPlan

    message_times: list[float] = field(default_factory=list[float])
    """When the agent sent messages to the user."""

    ended_count: int = 0
    """The number of ended turns."""

    checked_until: float | None = None
    """The time until which turn ends were checked."""

    @property
    def expected_message_ids(self) -> frozenset[str]:
        """The ids of the expected messages to the user."""
        return frozenset(name for names in self.plan.turn_ends.values() for name in names)

    def next_check_time(self) -> float | None:
        """Return the time of the check that ends the current turn, or None if no message ends it yet."""
        # The message that ends the last turn releases no event, so it needs no check.
        if len(self.message_times) <= self.ended_count or self.ended_count >= self.plan.last_turn:
            return None
        check = math.ceil((self.message_times[self.ended_count] - self.plan.start) / self.plan.time_increment)
        if self.checked_until is not None:
            # The check at this time was made before the message was sent, so only the next one can notice it.
            check = max(check, math.floor((self.checked_until - self.plan.start) / self.plan.time_increment) + 1)
        return self.plan.start + max(0, check) * self.plan.time_increment

    def format_check_id(self, time: float) -> str:
        """Return ARE's id of that check. Ids determine the order of events with equal times."""
        number = round((time - self.plan.start) / self.plan.time_increment)
        return f"condition_turn_{self.ended_count + 1}-CHECK_{number}"

    def end_turn(self) -> list[str]:
        """End the turn and return the ids of the expected messages that are now done."""
        self.ended_count += 1
        return self.plan.turn_ends.get(self.ended_count - 1, [])

    def capture_state(self) -> tuple[Any, ...]:
        """Return the state of the turns for `restore`."""
        return tuple(self.message_times), self.ended_count, self.checked_until

    def restore(self, state: tuple[Any, ...]) -> None:
        """Restore what `capture_state` returned."""
        message_times, self.ended_count, self.checked_until = state
        self.message_times = list(message_times)
