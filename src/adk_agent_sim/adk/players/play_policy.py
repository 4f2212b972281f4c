"""The policy by which a session is played at a server: which agents, deadlines, and what happens without an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Fallback: TypeAlias = Literal["real_model", "error"]
"""What to do without a decision: call the agent's own model, or fail the run."""


@dataclass(frozen=True, kw_only=True)
class PlayPolicy:
    """By default every agent is played, and a turn waits for a person without limit."""

    targets: frozenset[str] = frozenset()
    """The agents that are played; empty for all. The others call their own model, which is recorded."""

    deadline: float | None = None
    """How many seconds a turn waits for a person; None for no limit."""

    on_deadline: Fallback = "error"
    """What to do when the deadline has passed."""

    on_unreachable: Fallback = "error"
    """What to do when no server answers."""

    def should_play(self, agent_name: str) -> bool:
        """Return whether the session's player plays an agent."""
        return not self.targets or agent_name in self.targets
