"""On which terms a session is played by somebody who may be far away: which agents, how long, and what else then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Fallback: TypeAlias = Literal["real_model", "error"]
"""What to do without a decision: ask the agent's own model, or fail."""


@dataclass(frozen=True, kw_only=True)
class PlayPolicy:
    """By default every agent is played, and a person is waited for without limit."""

    targets: frozenset[str] = frozenset()
    """The agents that are played; empty for all. The others call their own model and are watched."""

    deadline: float | None = None
    """For how many seconds a person is waited for."""

    on_deadline: Fallback = "error"
    """What to do when nobody has decided by then."""

    on_unreachable: Fallback = "error"
    """What to do when no server answers."""

    def should_play(self, agent_name: str) -> bool:
        """Whether the session's player plays an agent."""
        return not self.targets or agent_name in self.targets
