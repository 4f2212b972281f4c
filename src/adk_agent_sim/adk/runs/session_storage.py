"""The ADK session of one run in its services: created, read, copied and restored, with its artifacts.

Services of the user's are shared with other sessions and outlive the process, so a session that a run continues gets a
new id in them, and what belongs to all sessions of a user or an app (`user:`, `app:`) is never written back.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from google.adk.artifacts import InMemoryArtifactService
from google.adk.events import Event as AdkEvent
from google.adk.events import EventActions
from google.adk.platform.uuid import new_uuid
from google.adk.sessions import BaseSessionService, InMemorySessionService, Session, State
from google.adk.sessions.base_session_service import GetSessionConfig
from google.genai import types

from adk_agent_sim.adk.runs.credential_masking import MaskingSessionService
from adk_agent_sim.adk.runs.runner_services import RunnerServices
from adk_agent_sim.adk.runs.shared_state import is_shared_artifact, remove_shared_changes, select_own_state
from adk_agent_sim.errors import InvalidTransition, ServiceFailed


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
