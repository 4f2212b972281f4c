"""Apps that speak by themselves."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from adk_agent_sim.scenario.apps.surroundings import Message


@runtime_checkable
class Reminding(Protocol):
    """An app that has something to say when its time comes, without being called."""

    def next_due(self) -> float | None:
        """When there is something to say next; None if never."""
        ...

    def due(self) -> Message | None:
        """What to say now, once; None if nothing."""
        ...
