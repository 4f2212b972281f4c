"""Edits the state of sessions in the session services of an agent's process, as a server orders it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from google.adk.events import Event as AdkEvent
from google.adk.sessions import BaseSessionService

from adk_agent_sim.adk.runs.recorded_session import RecordedSession
from adk_agent_sim.adk.runs.runner_services import RunnerServices
from adk_agent_sim.adk.runs.session_storage import SessionStorage
from adk_agent_sim.adk.runs.state_editing import StateEditor
from adk_agent_sim.adk.seats.seat_plugin import SessionKey
from adk_agent_sim.errors import ForkRefused
from adk_agent_sim.timeline.events import AgentEvent
from adk_agent_sim.timeline.strict_json import parse_json_object


class ProcessStateEditor:
    """Knows where the ADK sessions of a process are: a run of each says so when it begins."""

    def __init__(self) -> None:
        self._services: dict[str, BaseSessionService] = {}

    def add_service(self, session_id: str, service: BaseSessionService) -> None:
        """Remember the session service of a session on the timeline."""
        self._services[session_id] = service

    def remove_service(self, session_id: str) -> None:
        """Forget a session."""
        self._services.pop(session_id, None)

    async def edit(self, key: SessionKey, recorded: RecordedSession, changes: str, *, running: object | None) -> None:
        """Set keys of the state.

        Args:
            key: The ADK session.
            recorded: Its session on the timeline.
            changes: The keys with their values, a JSON object as text.
            running: The root agent of the run that is going on, if one is.

        Raises:
            InvalidTransition: The changes cannot be made, or not now.
            ServiceFailed: The session service cannot do it.
        """
        editor = StateEditor(self._open_storage(key, recorded))
        await editor.edit(recorded, parse_json_object(changes), running=running)

    def create_repeater(self, key: SessionKey, recorded: RecordedSession) -> Callable[[AgentEvent], Awaitable[object]]:
        """Return a function that makes a recorded edit again, in a run that is replayed and has begun."""

        async def repeat(edit: AgentEvent) -> None:
            editor = StateEditor(self._open_storage(key, recorded))
            await editor.create_repeater(recorded, _drop_event)(edit)

        return repeat

    def _open_storage(self, key: SessionKey, recorded: RecordedSession) -> SessionStorage:
        service = self._services.get(recorded.session_id)
        if service is None:
            raise ForkRefused("The agent has not run yet, so its process does not know where the session state is.")
        app_name, user_id, adk_session_id = key
        storage = SessionStorage(RunnerServices(session=service), app_name=app_name, user_id=user_id)
        # The storage has made up an id for a new session, but this one exists.
        storage.session_id = adk_session_id
        return storage


def _drop_event(event: AdkEvent) -> None:
    """Do nothing: the session service of the process has the event."""
