"""The services of ADK that runs use: the user's own, from the URIs that `adk web` takes, or in memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from google.adk.artifacts import BaseArtifactService
from google.adk.cli.service_registry import load_services_module
from google.adk.cli.utils.service_factory import (
    create_artifact_service_from_options,
    create_memory_service_from_options,
    create_session_service_from_options,
)
from google.adk.memory import BaseMemoryService, InMemoryMemoryService
from google.adk.sessions import BaseSessionService

from adk_agent_sim.errors import ServiceFailed

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


_Service = TypeVar("_Service")


@dataclass(frozen=True, kw_only=True)
class ServiceUris:
    """Services as `adk web` takes them, such as `sqlite:///sessions.db`; None for one in memory."""

    session: str | None = None
    artifact: str | None = None
    memory: str | None = None

    def create_services(self, agent_dir: Path) -> RunnerServices:
        """Create the services; who calls this closes them.

        Args:
            agent_dir: The agent's folder, whose services.py or services.yaml may register URI schemes, as for ADK.

        Raises:
            ServiceFailed: A service cannot be created from its URI.
        """
        folder = agent_dir.resolve()
        if self.session or self.artifact or self.memory:
            load_services_module(str(folder))
        base_dir = folder.parent
        session, artifact, memory = self.session, self.artifact, self.memory
        return RunnerServices(
            session=_create(
                "session",
                session,
                lambda: create_session_service_from_options(base_dir=base_dir, session_service_uri=session),
            ),
            artifact=_create(
                "artifact",
                artifact,
                lambda: create_artifact_service_from_options(
                    base_dir=base_dir, artifact_service_uri=artifact, strict_uri=True
                ),
            ),
            memory=_create(
                "memory",
                memory,
                lambda: create_memory_service_from_options(base_dir=base_dir, memory_service_uri=memory),
            ),
        )


def _create(kind: str, uri: str | None, create: Callable[[], _Service]) -> _Service | None:
    if not uri:
        return None
    try:
        return create()
    except Exception as error:  # a factory is code of the user's, of ADK or of a database driver
        raise ServiceFailed(
            f"The {kind} service cannot be created from --{kind}_service_uri: {type(error).__name__}: {error}. "
            "Check the URI; it is one that `adk web` takes."
        ) from error
