"""The result of an oracle run, including the events that failed or never happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adk_agent_sim.scenario.world.event_log import CompletedEvent


@dataclass(frozen=True, kw_only=True)
class EventFailure:
    """An event that failed or never happened."""

    event_id: str

    call: str
    """The call, such as `Emails__send_email`."""

    why: str

    t: float | None = None
    """When it failed, in seconds since the start; None if it never happened."""


@dataclass(frozen=True, kw_only=True)
class OracleResult:
    """The result of running a scenario with all expected actions executed."""

    scenario_id: str

    completed: Sequence[CompletedEvent]

    failed: Sequence[EventFailure]
    """Events that failed, including those with an unresolved placeholder."""

    missing: Sequence[EventFailure]
    """Events that never happened."""

    seconds: float
    """The simulated duration of the run."""

    @property
    def is_ok(self) -> bool:
        """Whether every event happened and none failed."""
        return not self.failed and not self.missing
