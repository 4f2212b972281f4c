"""The ADK session of one run in its services: the user's own, from URIs as `adk web` takes them, or in memory.

A session is created, read, copied and restored, with its artifacts.

Services of the user's are shared with other sessions and outlive the process, so a session that a run continues gets a
new id in them, and what belongs to all sessions of a user or an app (`user:`, `app:`) is never written back.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from google.adk.artifacts import BaseArtifactService, InMemoryArtifactService
from google.adk.cli.service_registry import load_services_module
from google.adk.cli.utils.service_factory import (
    create_artifact_service_from_options,
    create_memory_service_from_options,
    create_session_service_from_options,
)
from google.adk.events import Event as AdkEvent
from google.adk.events import EventActions
from google.adk.memory import BaseMemoryService, InMemoryMemoryService
from google.adk.platform.uuid import new_uuid
from google.adk.sessions import BaseSessionService, InMemorySessionService, Session, State
from google.adk.sessions.base_session_service import GetSessionConfig
from google.genai import types

from adk_agent_sim.adk.runs.credential_masking import MaskingSessionService
from adk_agent_sim.errors import InvalidTransition, ServiceFailed

__all__ = [
    "SHARED_STATE_PREFIXES",
    "BaseArtifactService",
    "BaseMemoryService",
    "BaseSessionService",
    "RunnerServices",
    "ServiceUris",
    "SessionStorage",
    "check_state_changes",
    "create_memory_service",
    "is_shared_artifact",
    "is_shared_key",
    "remove_shared_changes",
    "select_own_artifacts",
    "select_own_state",
    "select_shared_state",
]


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


SHARED_STATE_PREFIXES = (State.APP_PREFIX, State.USER_PREFIX)
"""How the keys of state begin that all sessions of an app or a user share."""

_USER_ARTIFACT = "user:"
"""How the names of artifacts begin that all sessions of a user share."""


def is_shared_key(key: str) -> bool:
    """Return whether all sessions of a user or an app share the state of this key."""
    return key.startswith(SHARED_STATE_PREFIXES)


def is_shared_artifact(filename: str) -> bool:
    """Return whether all sessions of a user share the artifact of this name."""
    return filename.startswith(_USER_ARTIFACT)


def select_own_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state without the values that other sessions share: these stay as they are there."""
    return {key: value for key, value in state.items() if not is_shared_key(key)}


def select_shared_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of the state that other sessions share."""
    return {key: value for key, value in state.items() if is_shared_key(key)}


def select_own_artifacts(artifacts: Sequence[tuple[str, types.Part]]) -> list[tuple[str, types.Part]]:
    """Return the artifacts without those that other sessions share."""
    return [(name, part) for name, part in artifacts if not is_shared_artifact(name)]


def remove_shared_changes(event: AdkEvent) -> AdkEvent:
    """Return an event without its changes of state that other sessions share: they were applied when it happened."""
    own = select_own_state(event.actions.state_delta)
    if len(own) == len(event.actions.state_delta):
        return event
    return event.model_copy(update={"actions": event.actions.model_copy(update={"state_delta": own})})


class SessionStorage:
    """An ADK session and its artifacts, in memory or in services of the user's."""

    def __init__(
        self, services: RunnerServices, *, app_name: str, user_id: str, continued_id: str | None = None
    ) -> None:
        """Prepare a session; nothing is created before `create` or `restore`.

        Args:
            services: The services of the user's; by default all are in memory.
            app_name: The ADK app.
            user_id: The ADK user.
            continued_id: The id of the session that this one continues.
        """
        self.session_service = MaskingSessionService(services.session) if services.session else InMemorySessionService()
        self.artifact_service = services.artifact or InMemoryArtifactService()
        self._own_sessions = None if services.session else self.session_service
        self.shares_state = services.session is not None
        """Whether other sessions have the same state of the user and the app."""
        self.shares_artifacts = services.artifact is not None
        """Whether other sessions have the same artifacts of the user."""
        self._app_name = app_name
        self._user_id = user_id
        # In services of the user's, both sessions are there until the one that is continued is removed.
        is_same_id = continued_id is not None and not self.shares_state and not self.shares_artifacts
        self.continued_key = None if continued_id is None or is_same_id else (app_name, user_id, continued_id)
        """App name, user id and id of the session that this one continues under another id; None if there is none."""
        self.session_id = continued_id if continued_id is not None and is_same_id else new_uuid()
        """The id of the session; a service may choose another one when it creates the session."""

    async def create(self, state: Mapping[str, Any]) -> Session:
        """Create the session; raise ServiceFailed if the service cannot."""
        with self._explain_errors("create a session"):
            session = await self.session_service.create_session(
                app_name=self._app_name, user_id=self._user_id, state=dict(state), session_id=self.session_id
            )
        self.session_id = session.id
        return session

    async def load(self) -> Session | None:
        """Return the session as it is in the service."""
        return await self.session_service.get_session(**self._key)

    async def load_artifact(self, filename: str, version: int | None = None) -> types.Part | None:
        """Return a version of an artifact, by default the latest; None if there is none."""
        return await self.artifact_service.load_artifact(**self._key, filename=filename, version=version)

    async def read_state(self) -> Mapping[str, Any]:
        """Return the state, with that of the user and of the app."""
        # Without its events, a session is read quickly.
        session = await self.session_service.get_session(**self._key, config=GetSessionConfig(num_recent_events=0))
        return session.state if session else {}

    async def read_events(self) -> Sequence[AdkEvent]:
        """Return the events; those of a session in memory are not copied."""
        if isinstance(self._own_sessions, InMemorySessionService):
            # `get_session` makes deep copies of all events, which takes long in a long session.
            return list(self._own_sessions.sessions[self._app_name][self._user_id][self.session_id].events)
        session = await self.load()
        return session.events if session else []

    async def read_artifacts(self) -> list[tuple[str, types.Part]]:
        """Return all versions of all artifacts, in the order in which they were saved."""
        artifacts: list[tuple[str, types.Part]] = []
        for filename in await self.artifact_service.list_artifact_keys(**self._key):
            for version in await self.artifact_service.list_versions(**self._key, filename=filename):
                part = await self.load_artifact(filename, version)
                artifacts += [(filename, part)] if part is not None else []
        return artifacts

    async def restore(
        self, state: Mapping[str, Any], events: Sequence[AdkEvent], artifacts: Sequence[tuple[str, types.Part]]
    ) -> Session:
        """Create the session with what another one had; what sessions share in services of the user's stays as it is.

        Args:
            state: The state after the events.
            events: The events.
            artifacts: All versions of all artifacts, in the order in which they were saved.
        """
        if isinstance(self._own_sessions, InMemorySessionService):
            session = await self.create(state)
            # Appending them one by one takes quadratic time, and would apply their changes of the state again.
            stored = self._own_sessions.sessions[self._app_name][self._user_id][self.session_id]
            stored.events.extend(events)
            session.events.extend(events)
        else:
            session = await self.create(select_own_state(state))
            for event in events:
                # Services can only append. That applies the state deltas once more, which ends in the same state.
                await self.session_service.append_event(session, remove_shared_changes(event))
        for filename, part in artifacts:
            if not (self.shares_artifacts and is_shared_artifact(filename)):
                await self.artifact_service.save_artifact(**self._key, filename=filename, artifact=part)
        return session

    async def edit_state(self, changes: Mapping[str, Any], session: Session | None = None) -> AdkEvent:
        """Set keys of the state, as `adk web` does, and return the event that did; raise ServiceFailed if it cannot.

        Args:
            changes: The keys with their values.
            session: The object that a run has of the session, if one is going on.
        """
        actions = EventActions(state_delta=dict(changes))
        return await self.append_edit(AdkEvent(invocation_id=f"p-{uuid4()}", author="user", actions=actions), session)

    async def append_edit(self, event: AdkEvent, session: Session | None) -> AdkEvent:
        """Append the event of an edit to the session, or to the object that a run has of it; raise ServiceFailed."""
        if session is None:
            with self._explain_errors("read the session"):
                session = await self.load()
        if session is None:
            raise ServiceFailed(f"The session service no longer has session {self.session_id}. Start a new session.")
        with self._explain_errors("change the state"):
            await self.session_service.append_event(session, event)
        return event

    async def remove(self) -> None:
        """Remove the session and its artifacts from services of the user's: another one has taken its place."""
        if self.shares_artifacts:
            for filename in await self.artifact_service.list_artifact_keys(**self._key):
                if not is_shared_artifact(filename):
                    await self.artifact_service.delete_artifact(**self._key, filename=filename)
        if self._own_sessions is None:
            await self.session_service.delete_session(**self._key)

    @contextmanager
    def _explain_errors(self, operation: str) -> Generator[None]:
        """Raise ServiceFailed, which names the service and the operation, for what a service of the user's raises."""
        try:
            yield
        except Exception as error:
            if self._own_sessions is not None:
                raise
            name = type(self._service_behind).__name__
            raise ServiceFailed(
                f"The session service ({name}) could not {operation}: {type(error).__name__}: {error}. "
                "Check that its database can be reached and written to."
            ) from error

    @property
    def _service_behind(self) -> BaseSessionService:
        service = self.session_service
        return service.inner if isinstance(service, MaskingSessionService) else service

    @property
    def _key(self) -> dict[str, Any]:
        return {"app_name": self._app_name, "user_id": self._user_id, "session_id": self.session_id}


def check_state_changes(changes: Mapping[str, Any]) -> None:
    """Raise InvalidTransition if nothing or something that cannot be set is to be set in the state."""
    if not changes:
        raise InvalidTransition("There is nothing to set: give at least one key with its value.")
    if lost := next((key for key in changes if key.startswith(State.TEMP_PREFIX) or not key.strip()), None):
        raise InvalidTransition(f"The key {lost!r} cannot be set: ADK keeps `temp:` keys for one invocation only.")
