"""The session, artifact and memory services of ADK that runs use: the user's own, or in memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from google.adk.artifacts import BaseArtifactService
from google.adk.memory import BaseMemoryService, InMemoryMemoryService
from google.adk.sessions import BaseSessionService

__all__ = ["BaseArtifactService", "BaseMemoryService", "BaseSessionService", "RunnerServices", "create_memory_service"]


@dataclass(frozen=True, kw_only=True)
class RunnerServices:
    """The services that a user has passed."""

    session: BaseSessionService | None = None
    """Where ADK's sessions are; None for one in memory per run."""

    artifact: BaseArtifactService | None = None
    """Where artifacts are; None for one in memory per run."""

    memory: BaseMemoryService | None = None
    """What `load_memory` searches; None for one in memory, which a run shares with its forks."""

    async def close(self) -> None:
        """Close the services that can be closed, such as connections to databases."""
        for service in (self.session, self.artifact, self.memory):
            close: Callable[[], Awaitable[Any]] | None = getattr(service, "close", None)
            if close is not None:
                await close()


def create_memory_service() -> BaseMemoryService:
    """Return a memory that lasts as long as the process."""
    return InMemoryMemoryService()
