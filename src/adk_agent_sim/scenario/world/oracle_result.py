"""What came of running a scenario's own events: what failed and what never happened is said, never hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adk_agent_sim.scenario.world.event_log import CompletedEvent


@dataclass(frozen=True, kw_only=True)
class EventFailure:
    """An event that failed or never happened."""

    event_id: str

    call: str
    """The call it is, as `Emails__send_email`."""

    why: str

    t: float | None = None
    """When it failed, in seconds since the start; None if it never happened."""


@dataclass(frozen=True, kw_only=True)
class OracleResult:
    """What came of doing everything as the scenario expects it."""

    scenario_id: str

    completed: Sequence[CompletedEvent]

    failed: Sequence[EventFailure]
    """Events that failed, those with an unresolved placeholder among them."""

    missing: Sequence[EventFailure]
    """Events that never happened."""

    seconds: float
    """How long it took in the world's time."""

    @property
    def ok(self) -> bool:
        """Whether every event happened and none failed."""
        return not self.failed and not self.missing
